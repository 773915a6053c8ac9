// Parses and validates the config file.
import { resolve } from "node:path";
import { parse, TomlError } from "smol-toml";
import type * as z from "zod";
import type { Additions } from "../domain/event/classification.ts";
import type { SourceSettings } from "../domain/source/source.ts";
import {
  DEFAULT_LIMITS,
  limitsFromFields,
  type Tier,
  type TierLimits,
  TIERS,
} from "../domain/customer/tier.ts";
import { type AccountSecrets, readAccountSecrets } from "./account_secrets.ts";
import { buildAdditions } from "./classification.ts";
import { findFolderProblems } from "./folders.ts";
import { findConsoleProblems } from "./console.ts";
import { buildCustomers, findCustomerProblems } from "./declared_customers.ts";
import { findKeyLines, type KeyPath } from "./toml/key_lines.ts";
import { listTables, unknownKeyMessage } from "./toml/known_keys.ts";
import { excerptOf, excerptOfSyntax } from "./toml/excerpt.ts";
import { nameKey } from "./toml/name_key.ts";
import { ConfigError, type ConfigProblem, type KeyProblem } from "./toml/problems.ts";
import { type CheckedFile, FILE_SCHEMA } from "./schema.ts";
import { type SecretReader, Secrets } from "./secrets.ts";
import { findServerProblems, localUrl } from "./server.ts";
import { readSourceSecrets, type SourceSecrets } from "./sources/source_secrets.ts";
import { findSelectorProblems } from "./sources/check_selectors.ts";
import { findSourceProblems } from "./sources/check_sources.ts";
import { buildRules } from "./sources/strategy_rules.ts";
import { explainToml } from "./toml/toml_errors.ts";

export { decodeConfig } from "./toml/decode_file.ts";
export { ConfigError, type ConfigProblem } from "./toml/problems.ts";
export type { SecretFile, SecretReader } from "./secrets.ts";

/** The settings, with all defaults. Durations are in ms, sizes in bytes, and paths are absolute. */
export type Config = ReturnType<typeof buildConfig>;

interface ParseConfigOptions {
  file: string;
  /** The absolute path of the file's folder, against which relative paths are resolved. */
  folder: string;
  readSecret: SecretReader;
  /** Validates the additions to the classification. In a problem's path, `sources` is followed by the source's id. */
  findAdditionProblems(additions: Additions, sourceIds: readonly string[]): KeyProblem[];
}

const BASE_LANGUAGES = ["en", "de", "fr"];

export interface ParsedConfig {
  config: Config;
  checked: CheckedFile;
  /** Adds file, line, name and excerpt to a problem that was found after parsing. */
  locate(problem: KeyProblem): ConfigProblem;
}

export async function parseConfig(text: string, options: ParseConfigOptions): Promise<Config> {
  return (await parseConfigFile(text, options)).config;
}

/** Parses and validates a config, and reads its secrets. Rejects with a {@link ConfigError} that lists all problems. */
export async function parseConfigFile(text: string, options: ParseConfigOptions): Promise<ParsedConfig> {
  const document = parseToml(text, options.file);
  // For a single use, compiling the schema, which is zod's default, costs more time than it saves.
  const checked = FILE_SCHEMA.safeParse(document, { jitless: true });
  const secrets = new Secrets(options.readSecret, options.folder, document);
  const ofSources = await readSourceSecrets(document, secrets);
  const ofAccounts = await readAccountSecrets(document, secrets);
  const found = [
    ...schemaProblems(checked.error?.issues ?? []),
    ...findServerProblems(document),
    ...findConsoleProblems(document),
    ...findSourceProblems(document),
    ...await findSelectorProblems(document),
    ...findCustomerProblems(document),
    ...secrets.problems,
    ...(checked.success ? additionProblems(checked.data, options) : []),
  ];
  const rejection = (problems: KeyProblem[]) => {
    const locate = locator(text, document, options.file);
    const located = problems.map(locate);
    return new ConfigError(located.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)));
  };
  if (found.length > 0 || !checked.success) throw rejection(found);
  const config = buildConfig(checked.data, { secrets, ofSources, ofAccounts }, options.folder);
  const folderProblems = findFolderProblems(config);
  if (folderProblems.length > 0) throw rejection(folderProblems);
  return {
    config,
    checked: checked.data,
    locate: (problem) => locator(text, document, options.file)(problem),
  };
}

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

/** Appends the contact as a comment, unless the User-Agent has a placeholder for it. */
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
    const excerpt = excerptOfSyntax(lines.slice(0, line), column);
    throw new ConfigError([{ file, line, column, key: null, message, excerpt }]);
  }
}

function schemaProblems(issues: readonly z.core.$ZodIssue[]): KeyProblem[] {
  return issues.flatMap((issue): KeyProblem[] => {
    const path = issue.path as KeyPath;
    if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: unknownKeyMessage(path, key),
      isKey: true,
    }));
  });
}

function additionProblems(file: CheckedFile, options: ParseConfigOptions): KeyProblem[] {
  const ids = file.sources.map(({ id }) => id);
  return options.findAdditionProblems(buildAdditions(file), ids).map(({ path, message }) => {
    const [table, step, ...rest] = path;
    return { path: table === "sources" ? [table, ids.indexOf(String(step)), ...rest] : path, message };
  });
}

/** Returns a function that adds file, line, name and excerpt to the problems of a document. */
function locator(
  text: string,
  document: Record<string, unknown>,
  file: string,
): (problem: KeyProblem) => ConfigProblem {
  const keyLines = findKeyLines(text);
  const lines = text.replace(/^\uFEFF/, "").split("\n");
  return ({ path, message, duplicateOf, isKey = false }) => {
    const position = keyLines.positionOf(path);
    const duplicate = duplicateOf === undefined
      ? ""
      : `is already used on line ${keyLines.nearestLineOf(duplicateOf)}: `;
    return {
      file,
      line: keyLines.nearestLineOf(path),
      key: nameKey(path, document),
      message: duplicate + message,
      excerpt: position === null ? "" : excerptOf(lines, path, position, isKey),
    };
  };
}

function buildConfig(
  file: CheckedFile,
  { secrets, ofSources, ofAccounts }: {
    secrets: Secrets;
    ofSources: Map<number, SourceSecrets>;
    ofAccounts: AccountSecrets;
  },
  folder: string,
) {
  const storePath = resolve(folder, file.store.path);
  const { schedule, timezone } = file.backup;
  const { server, ingest, delivery, payment, mail } = file;
  const tls = server.tls_cert === undefined || server.tls_key === undefined
    ? null
    : { cert: resolve(folder, server.tls_cert), key: resolve(folder, server.tls_key) };
  const { webhookSecret, smtp, metricsToken, oidcSecret } = ofAccounts;
  const caFile = mail.smtp_ca_file === undefined ? null : resolve(folder, mail.smtp_ca_file);
  return {
    server: {
      /** Port 0 lets the system choose a port. */
      listen: server.listen,
      /** The URL at which clients reach the service, without a trailing slash. */
      publicUrl: server.public_url ?? localUrl({ listen: server.listen, tls }),
      /** CIDRs of the proxies that are trusted to report the client's IP address. */
      trustedProxies: server.trusted_proxies,
      /** The paths of the certificate and key (PEM), or null to serve without TLS. */
      tls,
      watchConfig: server.watch_config,
    },
    /** Maximum requests per minute and IP address, without a key and with an invalid key; null means unlimited. */
    limits: {
      public: file.limits.public_per_minute || null,
      failed_key: file.limits.failed_keys_per_minute || null,
    },
    store: {
      path: storePath,
      keyFile: file.store.key_file === undefined ? `${storePath}.key` : resolve(folder, file.store.key_file),
    },
    ingest: {
      /** May contain `{version}`, `{public_url}` and `{contact}`; {@link userAgentOf} replaces them. */
      userAgent: ingest.user_agent,
      contact: ingest.contact ?? null,
      notifyFirstFetch: ingest.notify_first_fetch,
      /** Size after decompression. */
      maxDocumentBytes: ingest.max_document_bytes,
      /** Time limit for one fetch, including the body. */
      timeoutMs: ingest.timeout,
      parseTimeoutMs: ingest.parse_timeout,
      concurrency: ingest.concurrency,
      hostConcurrency: ingest.host_concurrency,
      hostSpacingMs: ingest.host_spacing,
      jitterMs: ingest.jitter,
      /** Maximum freshness lifetime accepted from a publisher. */
      maxFreshMs: ingest.max_freshness,
      allowPrivate: ingest.allow_private,
    },
    sources: file.sources.map((source, index) => ({
      ...buildSource(source, ingest, folder),
      ...ofSources.get(index),
    })),
    classification: buildAdditions(file),
    delivery: {
      allowHttp: delivery.allow_http,
      /** CIDRs of non-public addresses that webhooks may be sent to. */
      allowNetworks: delivery.allow_networks,
      /** The ports that webhooks may use. If empty: 80, 443, and the ports from 1024 that no other protocol uses. */
      allowPorts: delivery.allow_ports,
      /** Time limit for one attempt: DNS, connection, request and response. */
      timeoutMs: delivery.timeout,
      concurrency: delivery.concurrency,
      concurrencyPerSubscription: Math.min(delivery.concurrency_per_subscription, delivery.concurrency),
      /** How long bodies and attempts of finished deliveries are kept. */
      keepDeliveredMs: delivery.keep_delivered,
      /** How long finished deliveries are kept. */
      keepLogMs: Math.max(delivery.keep_log, delivery.keep_delivered),
    },
    tiers: buildTiers(file.tiers),
    customers: buildCustomers(file),
    /** ISO 639-1 codes of the languages that subscriptions may use. */
    languages: [...new Set([...BASE_LANGUAGES, ...delivery.languages])],
    backup: {
      folder: resolve(folder, file.backup.folder),
      /** Null if there are no automatic backups. */
      schedule: schedule === undefined ? null : { schedule, timezone },
      keep: file.backup.keep,
      secretKey: file.backup.secret_key,
    },
    /** Null if payments are disabled. */
    payment: payment === undefined || webhookSecret === null ? null : {
      /** The whole signing secret, as the provider displays it. */
      webhookSecret,
      /** Whether to accept events of live mode rather than of test mode. */
      livemode: payment.livemode,
      /** How long access continues after a failed payment. */
      graceMs: payment.grace,
      /** The tiers by price id. */
      prices: payment.prices,
    },
    mail: {
      from: mail.from,
      /** The email address that customers write to. */
      support: mail.support === "" ? mail.from.address : mail.support.address,
      /** Null if emails are written to the outbox. */
      smtp: smtp === null ? null : { ...smtp, requireTls: mail.require_tls, caFile },
      outbox: resolve(folder, mail.outbox),
      /** How long the contents of sent emails are kept. */
      keepMs: mail.keep,
    },
    console: {
      /** Who may see the status page. */
      status: file.console.status,
      /** Single sign-on for operators, or null. */
      oidc: buildOidc(file.console.oidc, oidcSecret, folder),
    },
    /** A null `listen` disables metrics. With a null `token`, clients need no token. */
    metrics: { listen: file.metrics.listen ?? null, token: metricsToken },
    log: file.log,
    secretFiles: secrets.files,
    /** The keys whose secrets are in the config file itself, such as "payment.webhook_secret". */
    inlineSecrets: secrets.inline,
  };
}

function buildOidc(oidc: CheckedFile["console"]["oidc"], clientSecret: string | null, folder: string) {
  if (oidc === undefined) return null;
  return {
    /** As the issuer writes it. */
    issuer: oidc.issuer,
    clientId: oidc.client_id,
    /** Null for a public client. */
    clientSecret,
    /** Shown on the sign-in page, or null. */
    name: oidc.name ?? null,
    scopes: oidc.scopes,
    groupsClaim: oidc.groups_claim,
    operatorGroups: oidc.operator_groups,
    /** In lower case. */
    operatorEmails: oidc.operator_emails.map((email) => email.toLowerCase()),
    caFile: oidc.ca_file === undefined ? null : resolve(folder, oidc.ca_file),
  };
}

function buildSource(
  source: CheckedFile["sources"][number],
  ingest: CheckedFile["ingest"],
  folder: string,
): SourceSettings {
  // The checks ensure that the strategy's URL or path is set.
  const location = source.fetch_strategy === "files"
    ? resolve(folder, source.path ?? ".")
    : source.url ?? Object.values(source.urls ?? {})[0] ?? "";
  const rules = buildRules(source);
  // A feed or listing that is empty has probably moved or is broken.
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

function buildTiers(changes: CheckedFile["tiers"]): Record<Tier, TierLimits> {
  const limitsOf = (tier: Tier) => ({ ...DEFAULT_LIMITS[tier], ...limitsFromFields(changes[tier] ?? {}) });
  return Object.fromEntries(TIERS.map((tier) => [tier, limitsOf(tier)])) as Record<Tier, TierLimits>;
}
