// The config: TOML text, checked, as the program uses it.
import { resolve } from "node:path";
import { parse, TomlError } from "smol-toml";
import type * as z from "zod";
import type { Additions } from "../domain/classification.ts";
import type { DeclaredCustomer } from "../domain/declared.ts";
import type { SourceSettings } from "../domain/source.ts";
import type { LogLevel, LogLevels } from "../domain/log.ts";
import { DEFAULT_LIMITS, limitsFromFields, type Tier, type TierLimits, TIERS } from "../domain/tier.ts";
import {
  type AccountSecrets,
  buildMail,
  buildPayment,
  type MailConfig,
  type PaymentConfig,
  readAccountSecrets,
} from "./payment_and_mail.ts";
import { buildAdditions } from "./classification.ts";
import { buildDelivery, type DeliveryConfig } from "./delivery.ts";
import { findFolderProblems } from "./folders.ts";
import { buildCustomers, findCustomerProblems } from "./declared_customers.ts";
import { findKeyLines, type KeyLines, type KeyPath } from "./key_lines.ts";
import { listTables, unknownKeyMessage } from "./known_keys.ts";
import { ConfigError, type ConfigProblem, formatKey, type KeyProblem } from "./problems.ts";
import { type CheckedFile, FILE_SCHEMA } from "./schema.ts";
import type { SecretFile, SecretReader } from "./secrets.ts";
import { buildServer, findServerProblems, type ServerConfig } from "./server.ts";
import { readSourceSecrets, type SourceSecrets } from "./source_secrets.ts";
import { findSelectorProblems } from "./check_selectors.ts";
import { findSourceProblems } from "./check_sources.ts";
import { buildRules } from "./strategy_rules.ts";
import { explainToml } from "./toml_errors.ts";

export { decodeConfig } from "./decode_file.ts";
export { ConfigError, type ConfigProblem } from "./problems.ts";
export type { MailConfig, PaymentConfig } from "./payment_and_mail.ts";
export type { SecretFile, SecretReader } from "./secrets.ts";

/** What the config file says, with every default filled in. */
export interface Config {
  server: ServerConfig;
  /** How often an address may ask a minute without a key, and with a wrong one; null: as often as it likes. */
  limits: { public: number | null; failed_key: number | null };
  store: {
    /** The database's file, absolute. */
    path: string;
    /** The file of the key that seals secrets in it, absolute. */
    keyFile: string;
  };
  ingest: {
    /** With `{version}`, `{public_url}` and `{contact}` in it; {@link userAgentOf} fills them in. */
    userAgent: string;
    /** Whom publishers may write to; null when nobody is named. */
    contact: string | null;
    /** The default of the sources that say nothing of it. */
    notifyFirstFetch: boolean;
    /** The most bytes of one document, counted after inflating. */
    maxDocumentBytes: number;
    /** For one fetch from its beginning to its last byte. */
    timeoutMs: number;
    /** For parsing one document, where its source names no other limit. */
    parseTimeoutMs: number;
    /** Sources fetched at the same time. */
    concurrency: number;
    /** The same for one host. */
    hostConcurrency: number;
    /** Between two requests to one host at least. */
    hostSpacingMs: number;
    /** The longest time by which a run is put off. */
    jitterMs: number;
    /** As far as the freshness that a publisher states counts. */
    maxFreshMs: number;
    /** Whether the addresses of sources may be private. */
    allowPrivate: boolean;
  };
  /** In the order of the file; `location` is absolute for `files`. */
  sources: SourceSettings[];
  /** What is added to the rules and words that Regfeed brings. */
  classification: Additions;
  delivery: DeliveryConfig;
  /** What the tiers' customers may use. */
  tiers: Record<Tier, TierLimits>;
  /** In the order of the file. */
  customers: DeclaredCustomer[];
  /** ISO 639-1 codes that a subscription may ask for: en, de, fr and what the file adds. */
  languages: string[];
  backup: {
    /** Where backups are made, absolute. */
    folder: string;
    /** When they are made by themselves; null leaves that to the operator. */
    schedule: { schedule: string; timezone: string } | null;
    /** How many of those that were made by themselves are kept. */
    keep: number;
    /** Whether the key that secrets are sealed with goes into them. */
    secretKey: boolean;
  };
  /** Null: payments are not taken. */
  payment: PaymentConfig | null;
  mail: MailConfig;
  metrics: {
    /** Where they are read; null switches them off. */
    listen: { hostname: string; port: number } | null;
    /** What whoever reads them has to show; null: nothing. */
    token: string | null;
  };
  log: { format: "text" | "json"; level: LogLevel; levels: LogLevels };
  /** The files that secrets were read from, so that their modes can be looked at. */
  secretFiles: SecretFile[];
  /** The keys whose secrets stand in the config file itself: "payment.webhook_secret". */
  secretsInPlace: string[];
}

/** What parsing a config needs beside its text. */
export interface ParseConfigOptions {
  /** The file's name for messages. */
  file: string;
  /** The absolute folder of the file; relative paths in it start there. */
  folder: string;
  readSecret: SecretReader;
  /**
   * What is wrong with what the file adds to the classification, with the ids of its sources; a path that begins with
   * `sources` goes on with a source's id.
   */
  findAdditionProblems(additions: Additions, sourceIds: readonly string[]): KeyProblem[];
}

/** The languages that every service has: those of the topics' names. */
const BASE_LANGUAGES = ["en", "de", "fr"];

/** A config with the file that it was read from. */
export interface ParsedConfig {
  config: Config;
  /** What the file says, by its own keys. */
  checked: CheckedFile;
  /** A problem of the config that only the store can know, placed in the file. */
  locate(problem: KeyProblem): ConfigProblem;
}

/** The config that a TOML text describes; see {@link parseConfigFile}. */
export async function parseConfig(text: string, options: ParseConfigOptions): Promise<Config> {
  return (await parseConfigFile(text, options)).config;
}

/**
 * The config that a TOML text describes, with the text's own keys. Asks for nothing but the secrets that it names.
 * Rejects with a {@link ConfigError} that holds everything that is wrong.
 */
export async function parseConfigFile(text: string, options: ParseConfigOptions): Promise<ParsedConfig> {
  const document = parseToml(text, options.file);
  // Compiling the schema, as zod does for repeated use, would cost more than it saves.
  const checked = FILE_SCHEMA.safeParse(document, { jitless: true });
  const from = { reader: options.readSecret, folder: options.folder };
  const secrets = await readSourceSecrets(document, from);
  const accounts = await readAccountSecrets(document, from);
  const found = [
    ...schemaProblems(checked.error?.issues ?? []),
    ...findServerProblems(document),
    ...findSourceProblems(document),
    ...await findSelectorProblems(document),
    ...findCustomerProblems(document),
    ...secrets.problems,
    ...accounts.problems,
    ...(checked.success ? additionProblems(checked.data, options) : []),
  ];
  const rejection = (problems: KeyProblem[]) => {
    const lines = findKeyLines(text);
    return new ConfigError(inOrder(problems.map((problem) => locate(problem, lines, options.file))));
  };
  if (found.length > 0 || !checked.success) throw rejection(found);
  const config = buildConfig(checked.data, { sources: secrets, accounts }, options.folder);
  const folderProblems = findFolderProblems(config);
  if (folderProblems.length > 0) throw rejection(folderProblems);
  return {
    config,
    checked: checked.data,
    locate: (problem) => locate(problem, findKeyLines(text), options.file),
  };
}

/** The User-Agent of the service's requests. */
export function userAgentOf(config: Config, version: string): string {
  const { contact, userAgent } = config.ingest;
  const { publicUrl } = config.server;
  const parts: Record<string, string> = {
    "{version}": version,
    "{public_url}": publicUrl,
    "{contact}": contact ?? publicUrl,
  };
  return withContact(userAgent, contact).replace(/\{\w+\}/g, (part) => parts[part] ?? part);
}

/** The contact stands in the comment at the end, where the text does not say where it is to stand. */
function withContact(userAgent: string, contact: string | null): string {
  if (contact === null || userAgent.includes("{contact}")) return userAgent;
  return userAgent.endsWith(")") ? `${userAgent.slice(0, -1)}; {contact})` : `${userAgent} ({contact})`;
}

function parseToml(text: string, file: string): Record<string, unknown> {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const { line, column } = error;
    const lines = text.split("\n");
    const message = explainToml(error.message, {
      line: lines[line - 1] ?? "",
      before: lines.slice(0, line - 1),
      listTables: listTables(),
    });
    throw new ConfigError([{ file, line, column, key: null, message }]);
  }
}

function schemaProblems(issues: readonly z.core.$ZodIssue[]): KeyProblem[] {
  return issues.flatMap((issue): KeyProblem[] => {
    const path = issue.path as KeyPath;
    if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownKeyMessage(path, key) }));
  });
}

function additionProblems(file: CheckedFile, options: ParseConfigOptions): KeyProblem[] {
  const ids = file.sources.map(({ id }) => id);
  return options.findAdditionProblems(buildAdditions(file), ids).map(({ path, message }) => {
    const [table, step, ...rest] = path;
    return { path: table === "sources" ? [table, ids.indexOf(String(step)), ...rest] : path, message };
  });
}

function locate(
  { path, message, duplicateOf }: KeyProblem,
  lines: KeyLines,
  file: string,
): ConfigProblem {
  const duplicate = duplicateOf === undefined
    ? ""
    : `is the same as ${formatKey(duplicateOf)} on line ${lines.nearestLineOf(duplicateOf)}: `;
  return {
    file,
    line: lines.nearestLineOf(path),
    key: formatKey(path),
    message: duplicate + message,
  };
}

function inOrder(problems: ConfigProblem[]): ConfigProblem[] {
  return problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

function buildConfig(
  file: CheckedFile,
  secrets: { sources: SourceSecrets; accounts: AccountSecrets },
  folder: string,
): Config {
  return {
    server: buildServer(file.server, folder),
    limits: {
      public: file.limits.public_per_minute || null,
      failed_key: file.limits.failed_keys_per_minute || null,
    },
    store: buildStore(file.store, folder),
    ingest: {
      userAgent: file.ingest.user_agent,
      contact: file.ingest.contact ?? null,
      notifyFirstFetch: file.ingest.notify_first_fetch,
      maxDocumentBytes: file.ingest.max_document_bytes,
      timeoutMs: file.ingest.timeout,
      parseTimeoutMs: file.ingest.parse_timeout,
      concurrency: file.ingest.concurrency,
      hostConcurrency: file.ingest.host_concurrency,
      hostSpacingMs: file.ingest.host_spacing,
      jitterMs: file.ingest.jitter,
      maxFreshMs: file.ingest.max_freshness,
      allowPrivate: file.ingest.allow_private,
    },
    sources: file.sources.map((source, index) => {
      const authorization = secrets.sources.authorizations.get(index);
      const headers = secrets.sources.headers.get(index);
      return {
        ...buildSource(source, file.ingest, folder),
        ...(authorization === undefined ? {} : { authorization }),
        ...(headers === undefined ? {} : { headers }),
      };
    }),
    classification: buildAdditions(file),
    delivery: buildDelivery(file.delivery),
    tiers: buildTiers(file.tiers),
    customers: buildCustomers(file),
    languages: [...new Set([...BASE_LANGUAGES, ...file.delivery.languages])],
    backup: buildBackup(file.backup, folder),
    payment: buildPayment(file, secrets.accounts),
    mail: buildMail(file, secrets.accounts, folder),
    metrics: { listen: file.metrics.listen ?? null, token: secrets.accounts.metricsToken },
    log: file.log,
    secretFiles: [...secrets.sources.files, ...secrets.accounts.files],
    secretsInPlace: [...secrets.sources.inPlace, ...secrets.accounts.inPlace],
  };
}

function buildStore(store: CheckedFile["store"], folder: string): Config["store"] {
  const path = resolve(folder, store.path);
  return { path, keyFile: store.key_file === undefined ? `${path}.key` : resolve(folder, store.key_file) };
}

function buildSource(
  source: CheckedFile["sources"][number],
  ingest: CheckedFile["ingest"],
  folder: string,
): SourceSettings {
  // That the one of url and path that the strategy needs is there, has been checked.
  const location = source.fetch_strategy === "files"
    ? resolve(folder, source.path ?? ".")
    : source.url ?? firstOf(source.urls);
  const rules = buildRules(source);
  // A feed always holds something, and so does a listing: one that holds nothing has moved, or is broken.
  const minItems = source.min_items ?? (["feed", "html"].includes(source.fetch_strategy) ? 1 : 0);
  return {
    id: source.id,
    nameEn: source.name_en,
    nameDe: source.name_de ?? source.name_en,
    baseUrl: source.base_url ?? new URL(location).origin,
    fetchStrategy: source.fetch_strategy,
    location,
    schedule: source.schedule,
    timezone: source.timezone,
    languages: source.languages ?? (source.urls === undefined ? ["en"] : Object.keys(source.urls)),
    ...(source.identity === undefined ? {} : { identity: source.identity }),
    ...(source.urls === undefined ? {} : { urls: source.urls }),
    ...(source.language_pattern === undefined ? {} : { languagePattern: source.language_pattern }),
    ...(source.follow_links ? { followLinks: true } : {}),
    removals: source.removals,
    relevance: source.relevance,
    notifyFirstFetch: source.notify_first_fetch ?? ingest.notify_first_fetch,
    enabled: source.enabled,
    ...(minItems === 0 ? {} : { minItems }),
    parseTimeoutMs: source.parse_timeout ?? ingest.parse_timeout,
    ...(!source.crawl_delay ? {} : { crawlDelayMs: source.crawl_delay }),
    ...(source.reuse === undefined ? {} : { reuse: source.reuse }),
    ...(rules === null ? {} : { rules }),
    ...(source.silent_after === undefined ? {} : { silentAfterMs: source.silent_after }),
    ...(source.ca_file === undefined ? {} : { caFile: resolve(folder, source.ca_file) }),
  };
}

function buildBackup(backup: CheckedFile["backup"], folder: string): Config["backup"] {
  const { schedule, timezone } = backup;
  return {
    folder: resolve(folder, backup.folder),
    schedule: schedule === undefined ? null : { schedule, timezone },
    keep: backup.keep,
    secretKey: backup.secret_key,
  };
}

function firstOf(urls: Readonly<Record<string, string>> | undefined): string {
  return Object.values(urls ?? {})[0] ?? "";
}

function buildTiers(changes: CheckedFile["tiers"]): Record<Tier, TierLimits> {
  const entries = TIERS.map((tier) => [
    tier,
    { ...DEFAULT_LIMITS[tier], ...limitsFromFields(changes[tier] ?? {}) },
  ]);
  return Object.fromEntries(entries) as Record<Tier, TierLimits>;
}
