// Compares the declared customers with the database, without a server.
import { type ConfigProblem, formatProblem, showProblem } from "../config/toml/problems.ts";
import type { DeclarationConflict } from "../domain/customer/declared_customers.ts";
import { type CommandCall, CommandError, EXIT } from "./command_context.ts";
import type { LoadedConfig } from "./open_store.ts";

/**
 * Compares the declared customers with an existing database, without changing it. Throws a {@link CommandError} that
 * names the conflicts. Returns a warning if the database cannot be inspected; otherwise null.
 */
export async function examineDeclared(
  { host, loadEngine }: Pick<CommandCall, "host" | "loadEngine">,
  loaded: LoadedConfig,
): Promise<string | null> {
  const { customers, store: { path } } = loaded.config;
  if (customers.length === 0 || !await host.exists(path)) return null;
  const unseen = "the declared customers are compared with the stored ones at the next start";
  let conflicts: DeclarationConflict[] | null;
  try {
    const engine = await loadEngine();
    conflicts = engine.declaredConflicts(path, customers, { readOnly: await host.exists(`${path}-wal`) });
  } catch (error) {
    return `the database ${path} cannot be inspected (${(error as Error).message}): ${unseen}`;
  }
  if (conflicts === null) return `the database ${path} has the schema of another version: ${unseen}`;
  if (conflicts.length > 0) {
    throw new CommandError(describeConflicts(conflicts, loaded, showProblem), EXIT.usage);
  }
  return null;
}

/** Describes each conflict with file, line number and key, like a problem in the config; by default on one line. */
export function describeConflicts(
  conflicts: readonly DeclarationConflict[],
  loaded: LoadedConfig,
  format: (problem: ConfigProblem) => string = formatProblem,
): string {
  return conflicts.map((conflict) => format(locateConflict(conflict, loaded))).join("\n");
}

const CONFLICTS: Record<DeclarationConflict["what"], (holderId: string) => string> = {
  email: (holderId) =>
    `is the email address of ${holderId}, which is not declared here: use another email address, or disable or ` +
    "erase that customer (`regfeed customer disable`, `regfeed customer erase`)",
  key: (holderId) =>
    `is the key of ${holderId}, which is not declared here: \`regfeed customer hash-key\` creates another key`,
  erased: () => "belongs to an erased customer: choose another id",
};

function locateConflict(
  { name, what, holderId, keyIndex }: DeclarationConflict,
  loaded: LoadedConfig,
): ConfigProblem {
  const index = loaded.config.customers.findIndex((customer) => customer.name === name);
  const key = { email: ["email"], key: ["key_sha256", keyIndex ?? 0], erased: ["id"] }[what];
  const path = ["customers", index, ...key];
  return loaded.locate({ path, message: CONFLICTS[what](holderId) });
}
