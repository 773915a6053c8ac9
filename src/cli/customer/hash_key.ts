// `customer hash-key`: hashes a new or a given key for a customer in the config.
import { hashKey, isKey, makeKey } from "../../accounts/keys.ts";
import { createClock } from "../../platform/clock.ts";
import { createRandom } from "../../platform/random.ts";
import type { Command } from "../command.ts";
import { print } from "../print.ts";
import { type CommandCall, CommandError, EXIT } from "../../server/command_context.ts";

const MAX_INPUT_BYTES = 1_024;

export const hashKeyCommand: Command = {
  name: "customer hash-key",
  usage: "[--stdin] [--json]",
  summary: "creates a key and its hash for a customer in the config",
  example: "regfeed customer hash-key --stdin < key.txt",
  options: {
    stdin: {
      kind: "flag",
      help: "hash the key from stdin (an argument would stay in the shell's history)",
    },
  },
  withoutConfig: true,
  async run(call) {
    const { host, flags } = call;
    const given = flags.has("stdin") ? await readKey(call) : null;
    const { key, stored } = makeKey((count) => createRandom().bytes(count), createClock().nowMs());
    const hash = given === null ? stored.hash : hashKey(given);
    if (given !== null) return print(call, { key_sha256: hash }, () => `${hash}\n`);
    print(call, { key_sha256: hash, key }, () => `key         ${key}\nkey_sha256  ${hash}\n`);
    if (!flags.has("json")) {
      host.err("Give the key to the customer; the key is shown only now. Put the hash in the config.\n");
    }
  },
};

async function readKey({ host }: CommandCall): Promise<string> {
  const key = (await host.input(MAX_INPUT_BYTES).catch(() => "")).trim();
  if (isKey(key)) return key;
  throw new CommandError("stdin does not contain a key (rgf_ and 64 hexadecimal digits)", EXIT.usage);
}
