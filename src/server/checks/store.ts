// Checks of the database: its file, schema and key, and the stored state of sources and deliveries.
import type { Config } from "../../config/config.ts";
import { formatBytes } from "../../domain/format_bytes.ts";
import type { SourceState } from "../../domain/source/source.ts";
import type { Undelivered } from "../../domain/ports/store/deliveries.ts";
import type { ExamineOptions, StoreEngine } from "../../domain/ports/store/engine.ts";
import { VaultError } from "../../domain/ports/ports.ts";
import type { Machine } from "../../platform/files/machine.ts";
import { openVaultFile } from "../../platform/vault.ts";
import { type Finding, good, problem, warning } from "../../domain/operator/finding.ts";
import { checkSecretFile } from "./rights.ts";

const MAX_NAMED = 10;

export function checkDatabase(config: Config, machine: Machine, engine: StoreEngine): Finding[] {
  const { path, keyFile } = config.store;
  const rights = machine.rightsOf(path);
  if (rights === null) return [good("store", `no database yet: the first start creates ${path}`)];
  if (rights.isFolder) {
    return [
      problem(
        "store",
        `${path} is a folder, not a file`,
        "move the folder away, or name a file in store.path",
      ),
    ];
  }
  if (!rights.mayRead || !rights.mayWrite) {
    const todo = `run this as the user that runs Regfeed, or give the file to that user: chown USER ${path}*`;
    return [problem("store", `${path} cannot be read and written by this user`, todo)];
  }
  const file = checkSecretFile(path, rights);
  // A write-ahead log belongs to a running server or was left by a killed one. Opening the database must not remove it.
  const readOnly = machine.rightsOf(`${path}-wal`) !== null;
  try {
    const schema = engine.schemaOf(path, { readOnly });
    if (schema === 0) {
      const todo =
        "if it should contain data, restore the newest good backup: `regfeed backup restore FILE --force`";
      return [file, warning("store", `${path} is empty: it has no customers and no events`, todo)];
    }
    if (schema !== engine.schemaVersion) {
      const seen = `the database has schema ${schema}, but this version uses ${engine.schemaVersion}`;
      return [
        file,
        warning(
          "store",
          seen,
          "start or restart `regfeed serve`: it makes a backup and migrates the database",
        ),
      ];
    }
    const key = keyProblem(engine, { path, keyFile }, { readOnly });
    return [
      file,
      key === null
        ? good("secrets", `${keyFile} is the database's key`)
        : problem("secrets", key, "until this is fixed, no delivery can be signed"),
      good("store", `the database has this version's schema (${engine.schemaVersion})`),
      ...checkSources(config, engine.sourceStates(path, { readOnly })),
      ...checkDeliveries(engine.undelivered(path, { readOnly })),
    ];
  } catch (error) {
    const todo = engine.adviceOn(error as Error) ?? "fix the cause, or change store.path";
    const found = problem("store", `${path}: ${(error as Error).message}`, todo);
    return [file, { ...found, symptomOf: "disk space" }];
  }
}

export function checkSources(
  { sources }: Pick<Config, "sources">,
  states: readonly SourceState[],
): Finding[] {
  const enabled = new Set(sources.filter((source) => source.enabled).map(({ id }) => id));
  const fetched = states.filter(({ id, outcome }) => enabled.has(id) && outcome !== null);
  const failing = fetched.filter(({ outcome }) => outcome !== "ok");
  const partial = fetched.filter(({ outcome, partialFailures: gaps }) => outcome === "ok" && gaps.length > 0);
  const todo = "`regfeed source list` says why; `regfeed source test ID` fetches one now";
  const found = ([[failing, "whose last fetch failed"], [partial, "fetched only in part"]] as const)
    .filter(([states]) => states.length > 0)
    .map(([states, what]): Finding => ({
      ...warning("sources", `${states.length} ${what}: ${named(states)}`, todo),
      ...(states === failing ? { symptomOf: "network" as const } : {}),
    }));
  const held = states.filter(({ heldBack }) => heldBack > 0);
  if (held.length > 0) {
    const release = "`regfeed source release ID` lists them, and --deliver or --discard ends the hold";
    found.push(warning("sources", `change spikes hold events of ${held.length}: ${named(held)}`, release));
  }
  if (found.length > 0 || fetched.length === 0) return found;
  return [good("sources", `fetched completely last time: ${fetched.length}`)];
}

function named(things: readonly { id: string }[]): string {
  const more = things.length > MAX_NAMED ? ` and ${things.length - MAX_NAMED} more` : "";
  return `${things.slice(0, MAX_NAMED).map(({ id }) => id).join(", ")}${more}`;
}

/** Checks deliveries that did not arrive, disabled subscriptions, and the space that customers use. */
export function checkDeliveries({ held, failed, heldFull, disabled, largest }: Undelivered): Finding[] {
  const findings: Finding[] = [];
  const states = ([[held, "held"], [failed, "failed"]] as const).filter(([count]) => count > 0);
  if (states.length > 0) {
    findings.push(warning(
      "deliveries",
      `not arrived: ${states.map(([count, state]) => `${count} ${state}`).join(" and ")}`,
      `\`regfeed delivery list --status ${states.map(([, state]) => state).join(",")}\` shows the reasons`,
    ));
  }
  if (heldFull > 0) {
    findings.push(warning(
      "deliveries",
      `subscriptions in the state held_full: ${heldFull}; their customers have reached the limit on held deliveries, ` +
        "so no further deliveries are stored, but no event is lost",
      "nothing: the subscriptions continue when their held deliveries are sent; tiers.*.held_deliveries sets the limit",
    ));
  }
  if (disabled.length > 0) {
    findings.push(warning(
      "deliveries",
      `subscriptions that Regfeed disabled: ${named(disabled)}`,
      "`regfeed customer show SUBSCRIPTION` shows the reason, the owner and what is held; the owner can enable the " +
        "subscription with PATCH /v1/subscriptions/{id}",
    ));
  }
  if (findings.length === 0) findings.push(good("deliveries", "none are held and none have failed"));
  if (largest.length > 0) {
    const sizes = largest.map(({ customerId, bytes }) => `${customerId} ${formatBytes(bytes)}`).join(", ");
    findings.push(good("deliveries", `the customers with the most stored data: ${sizes}`));
  }
  return findings;
}

/** Returns why the key file cannot decrypt the database's secrets, or null if it can. */
export function keyProblem(
  engine: StoreEngine,
  { path, keyFile }: { path: string; keyFile: string },
  options: ExamineOptions = {},
): string | null {
  try {
    engine.requireKey(path, (given) => openVaultFile(keyFile, given), options);
    return null;
  } catch (error) {
    if (error instanceof VaultError) return error.message;
    throw error;
  }
}
