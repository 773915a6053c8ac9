// `customer hash-key`: the hash of a key, for customers in the config.
import { hashKey, isKey, makeKey } from "../../accounts/keys.ts";
import { createClock } from "../../platform/clock.ts";
import { createRandom } from "../../platform/random.ts";
import { type Command, JSON_OPTION } from "../command.ts";
import { CommandError } from "../../server/command_call.ts";
import { EXIT } from "../../server/command_call.ts";
import type { CommandCall } from "../../server/command_call.ts";

/** Maximum size of stdin, bytes: a key and a line end. */
const MAX_INPUT_BYTES = 1_024;

/** The command. */
export const hashKeyCommand: Command = {
  name: "customer hash-key",
  usage: "[--stdin] [--json]",
  summary: "creates a key and its hash for a customer in the config",
  example: "regfeed customer hash-key --stdin < key.txt",
  positionals: [0, 0],
  options: {
    stdin: {
      kind: "flag",
      help: "hash the key from stdin (an argument would stay in the shell's history)",
    },
    ...JSON_OPTION,
  },
  withoutConfig: true,
  async run(call) {
    const { host, flags } = call;
    const given = flags.has("stdin") ? await readKey(call) : null;
    const { key, stored } = makeKey((count) => createRandom().bytes(count), createClock().nowMs());
    const hash = given === null ? stored.hash : hashKey(given);
    if (flags.has("json")) {
      host.out(`${JSON.stringify({ key_sha256: hash, ...(given === null ? { key } : {}) })}\n`);
      return EXIT.done;
    }
    if (given !== null) host.out(`${hash}\n`);
    else {
      host.out(`key         ${key}\nkey_sha256  ${hash}\n`);
      host.err("Give the key to the customer; it is shown only now. Put the hash into the config.\n");
    }
    return EXIT.done;
  },
};

async function readKey({ host }: CommandCall): Promise<string> {
  const key = (await host.input(MAX_INPUT_BYTES).catch(() => "")).trim();
  if (isKey(key)) return key;
  throw new CommandError("stdin does not contain a key: rgf_ and 64 hexadecimal digits", EXIT.usage);
}
