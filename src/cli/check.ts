// `check`: validates the config, checks the files and folders that it names, and prints the effective settings.
import type { Config } from "../config/config.ts";
import {
  describeConfig,
  summariseConfig,
  tabulateLimits,
  tabulateSources,
} from "../config/describe/describe.ts";
import { createClock } from "../platform/clock.ts";
import { createMachine } from "../platform/files/machine.ts";
import type { Host } from "../platform/process/process.ts";
import { linesFor, tableFor } from "./print.ts";
import type { Command } from "./command.ts";
import { CommandError, EXIT } from "../server/command_context.ts";
import { examineDeclared } from "../server/declared_conflicts.ts";
import { checkTls } from "../server/checks/certificate.ts";
import { checkPayment } from "./doctor/payment.ts";
import { warnOfRights } from "../server/checks/rights.ts";
import { loadConfig } from "../server/open_store.ts";
import { tracesWarning } from "../server/build_info.ts";

export const checkCommand: Command = {
  name: "check",
  usage: "[--utc] [--json]",
  summary: "validates the config and prints the effective settings",
  example: "regfeed check --config regfeed.toml",
  async run(call) {
    const { host, flags } = call;
    const loaded = await loadConfig(call);
    const { config, file } = loaded;
    if (await failureOf(host.list(config.store.path)) === null) {
      throw new CommandError(
        `${file}: store.path: ${config.store.path} is a folder: name a file in it, such as regfeed.db`,
        EXIT.usage,
      );
    }
    const nowMs = createClock().nowMs();
    const tls = await checkTls(host, config, nowMs);
    const flaws = tls.filter(({ level }) => level !== "good").map(({ seen, todo }) => `${seen}: ${todo}`);
    if (tls.some(({ level }) => level === "problem")) {
      const lines = flaws.map((flaw) => `${file}: server.tls_cert, server.tls_key: ${flaw}`);
      throw new CommandError(lines.join("\n"), EXIT.usage);
    }
    const unseen = await examineDeclared(call, loaded);
    const traces = await tracesWarning(host);
    const warnings = [
      ...unseen === null ? [] : [unseen],
      ...traces === null ? [] : [traces],
      ...await findWarnings(host, config),
      ...flaws,
      ...warnOfRights(loaded, createMachine()),
    ];
    const data = { file, ok: true, warnings, ...summariseConfig(config, nowMs) };
    if (flags.has("json")) return host.out(`${JSON.stringify(data)}\n`);
    host.out(linesFor(host, `${describeConfig(config, nowMs)}\n`));
    for (const { header, rows } of [tabulateLimits(data), tabulateSources(data)]) {
      if (rows.length === 0) continue;
      host.out(`\n${tableFor(call, header, rows, { drop: ["TIME ZONE"], cut: "SETTINGS" })}`);
    }
    if (host.isTerminal) host.out("\n");
    for (const warning of warnings) host.err(`warning: ${warning}\n`);
    host.err(`${file} is valid.\n`);
  },
};

/** Returns warnings about settings that are valid but probably not intended. */
async function findWarnings(host: Host, config: Config): Promise<string[]> {
  const enabled = config.sources.filter((source) => source.enabled);
  const warnings = accountWarnings(config);
  if (enabled.length === 0) return ["no source is enabled: nothing will be collected", ...warnings];
  const byAddress = new Map<string, string>();
  for (const source of enabled) {
    const { id, fetchStrategy, location, caFile } = source;
    if (fetchStrategy === "files") {
      const failure = await failureOf(host.list(location));
      if (failure !== null) warnings.push(`the source ${id} cannot be read: ${failure}`);
      warnings.push(...languageWarnings(source));
      continue;
    }
    const twin = byAddress.get(location);
    if (twin !== undefined) {
      warnings.push(`the sources ${twin} and ${id} have the same url, which is fetched twice`);
    }
    byAddress.set(location, id);
    const failure = caFile === undefined ? null : await failureOf(host.readText(caFile));
    if (failure !== null) warnings.push(`the ca_file of the source ${id} cannot be read: ${failure}`);
  }
  if (byAddress.size > 0 && config.ingest.contact === null && !config.ingest.userAgent.includes("@")) {
    warnings.push(
      "ingest.contact is missing: set an email address or a URL, so that publishers can contact you " +
        "instead of blocking you",
    );
  }
  return warnings;
}

/** Warns of a folder with several languages but no pattern that tells them apart. */
function languageWarnings({ id, languages, languagePattern }: Config["sources"][number]): string[] {
  if (languages.length < 2 || languagePattern !== undefined) return [];
  return [
    `the source ${id} reads ${languages.length} languages from one folder and stores each translation as a separate event: set a pattern that finds the language in item URLs, such as language_pattern = "/(${
      languages.join("|")
    })/"`,
  ];
}

function accountWarnings(config: Config): string[] {
  const { customers, payment, mail } = config;
  const warnings = customers.filter(({ limits }) => limits.apiRequestsPerDay === 0).map(({ name }) =>
    `the customer ${name} has api_requests_per_day = 0: all of its requests are refused`
  );
  if (payment === null) return warnings;
  if (mail.smtp === null) {
    warnings.push(`no mail server is set: emails with customers' keys are written to ${mail.outbox}`);
  }
  const ofPayment = checkPayment(config).filter(({ level }) => level !== "good");
  return [...warnings, ...ofPayment.map(({ seen, todo }) => `${seen}: ${todo}`)];
}

function failureOf(work: Promise<unknown>): Promise<string | null> {
  return work.then(() => null, (error: Error) => error.message);
}
