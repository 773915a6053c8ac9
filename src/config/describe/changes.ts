// Finds the keys that differ between two configs, and which of them require a restart.
import { limitFields, TIERS } from "../../domain/customer/tier.ts";
import type { ParsedConfig } from "../config.ts";
import { isTable } from "../toml/raw_document.ts";
import { localUrl } from "../server.ts";

/** The keys that differ. Their values may be secret and are left out. */
interface ConfigChanges {
  /** Keys that a reload applies: `tiers.team.active_subscriptions`, `sources.eu-x (new)`. */
  applied: string[];
  restart: string[];
}

/** Keys of the listeners and of the open database. A reload applies all other keys. */
const RESTART_KEYS: ReadonlySet<string> = new Set([
  "server.listen",
  "server.tls_cert",
  "server.tls_key",
  "store.path",
  "store.key_file",
  "metrics.listen",
  "metrics.token",
  "metrics.token_file",
  "metrics.token_env",
]);

/** Returns the keys in which two configs differ, in alphabetical order. */
export function compareConfigs(before: ParsedConfig, after: ParsedConfig): ConfigChanges {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  const entries = { old: entriesOf(before), now: entriesOf(after) };
  const changed = new Set<string>();
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    if (old.get(key) === now.get(key)) continue;
    const entry = entryOf(key);
    if (entry !== null && !entries.old.has(entry)) changed.add(`${entry} (new)`);
    else if (entry !== null && !entries.now.has(entry)) changed.add(`${entry} (gone)`);
    else changed.add(key);
  }
  const keys = [...changed].sort();
  return {
    applied: keys.filter((key) => !RESTART_KEYS.has(key)),
    restart: keys.filter((key) => RESTART_KEYS.has(key)),
  };
}

/** Returns the new config with the active values of the keys that require a restart. */
export function keepUntilRestart(inForce: ParsedConfig, given: ParsedConfig): ParsedConfig {
  const { config, checked } = given;
  const { listen, tls } = inForce.config.server;
  // The default of public_url depends on the address to listen on.
  const publicUrl = checked.server.public_url === undefined
    ? localUrl({ listen, tls })
    : config.server.publicUrl;
  const old = inForce.checked;
  return {
    ...given,
    config: {
      ...config,
      server: { ...config.server, listen, tls, publicUrl },
      store: inForce.config.store,
      metrics: inForce.config.metrics,
    },
    checked: {
      ...checked,
      server: {
        ...checked.server,
        listen: old.server.listen,
        tls_cert: old.server.tls_cert,
        tls_key: old.server.tls_key,
      },
      store: old.store,
      metrics: old.metrics,
    },
  };
}

const LISTS = ["sources", "topics", "customers"] as const;

/** Returns `sources.eu-x` for `sources.eu-x.url`, or null for a key outside {@link LISTS}. */
function entryOf(key: string): string | null {
  const [table = "", id = ""] = key.split(".");
  return (LISTS as readonly string[]).includes(table) ? `${table}.${id}` : null;
}

function entriesOf({ checked }: ParsedConfig): Set<string> {
  return new Set(LISTS.flatMap((list) => checked[list].map(({ id }) => `${list}.${id}`)));
}

/** Returns every value by key. This includes secrets, so the values are compared but never shown. */
function valuesOf({ checked, config }: ParsedConfig): Map<string, string> {
  const values = new Map<string, string>();
  collect(checked, [], values);
  const note = (key: string, value: unknown) => values.set(key, textOf(value));
  for (const tier of TIERS) {
    for (const [field, limit] of Object.entries(limitFields(config.tiers[tier]))) {
      note(`tiers.${tier}.${field}`, limit);
    }
  }
  // The content of a file or environment variable can change while its name stays the same.
  for (const { id, authorization, headers } of config.sources) {
    note(`sources.${id}.authorization`, authorization);
    note(`sources.${id}.headers`, headers);
  }
  note("payment.webhook_secret", config.payment?.webhookSecret);
  note("console.oidc.client_secret", config.console.oidc?.clientSecret);
  const { smtp } = config.mail;
  note("mail.smtp_url", smtp === null ? null : [smtp.host, smtp.port, smtp.isTls, smtp.credentials]);
  return values;
}

/** Keys whose values are objects that are compared as a whole. */
const WHOLE: ReadonlySet<string> = new Set(["listen", "headers", "from", "support"]);

function collect(value: unknown, path: readonly string[], into: Map<string, string>): void {
  if (isTable(value) && !(value instanceof RegExp) && !WHOLE.has(path.at(-1) ?? "")) {
    for (const [key, part] of Object.entries(value)) collect(part, [...path, key], into);
  } else if (
    Array.isArray(value) && path.length === 1 && (LISTS as readonly string[]).includes(path[0] ?? "")
  ) {
    for (const entry of value) collect(entry, [...path, String(entry.id)], into);
  } else if (value !== undefined) into.set(path.join("."), textOf(value));
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part) => part instanceof RegExp ? String(part) : part) ?? "";
}
