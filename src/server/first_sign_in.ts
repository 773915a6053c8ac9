// Tells the operator how to sign in to the console, until one has signed in.
import type { Config } from "../config/config.ts";
import { isOperatorName, SIGN_IN_LINK_MS } from "../domain/customer/session.ts";
import type { Clock, Log, Random } from "../domain/ports/ports.ts";
import type { Store } from "../domain/ports/store/store.ts";
import { issueLink } from "../operate/sign_in_links.ts";
import { type Host, shellQuote } from "../platform/process/process.ts";

interface FirstSignIn {
  host: Pick<Host, "program" | "isTerminal" | "out" | "user">;
  /** The path that `--config` named, or null. */
  configFile: string | null;
  config: Pick<Config, "server">;
  store: Pick<Store, "listAudit" | "addSignInLink" | "findCustomer">;
  platform: { clock: Pick<Clock, "nowMs">; random: Pick<Random, "bytes"> };
  log: Pick<Log, "info">;
}

/**
 * Logs the command that prints a one-time link, unless an operator has signed in before. If stdout is a terminal, also
 * prints a link there. The link is never logged, because logs are stored and read by others.
 */
export async function explainFirstSignIn(
  { host, configFile, config, store, platform, log }: FirstSignIn,
): Promise<void> {
  const signIns = await store.listAudit({ limit: 1, acts: ["console.sign-in"] });
  if (signIns.length > 0) return;
  const option = configFile === null ? "" : ` --config ${shellQuote(configFile)}`;
  log.info("no operator has signed in to the console yet; this command prints a link that signs you in", {
    command: `${host.program} console link${option}`,
  });
  if (!host.isTerminal) return;
  const user = host.user() ?? "";
  const name = isOperatorName(user) ? user : "operator";
  const by = { actor: "service", atMs: platform.clock.nowMs() };
  const { random } = platform;
  const { url } = await issueLink({ config, store, random }, { kind: "operator", name }, by);
  host.out(`\nSign in to the console (once, within ${SIGN_IN_LINK_MS / 60_000} minutes):\n${url}\n\n`);
}
