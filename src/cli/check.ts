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
import { linesFor, tableFor } from "./print.ts";
import type { Command } from "./command.ts";
import { CommandError, EXIT } from "../server/command_context.ts";
import { examineDeclared } from "../server/declared_conflicts.ts";
import { checkTls } from "../server/checks/certificate.ts";
import { checkPayment } from "../server/checks/payment.ts";
import { type Finding, linesOf, warning } from "../domain/operator/finding.ts";
import { warnOfRights } from "../server/checks/rights.ts";
import { checkSettings, failureOf } from "../server/checks/settings.ts";
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
    if (tls.some(({ level }) => level === "problem")) {
      const lines = linesOf(tls).map((flaw) => `${file}: server.tls_cert, server.tls_key: ${flaw}`);
      throw new CommandError(lines.join("\n"), EXIT.usage);
    }
    const unseen = await examineDeclared(call, loaded);
    const traces = await tracesWarning(host);
    const warnings = [
      ...unseen === null ? [] : [unseen],
      ...traces === null ? [] : [traces],
      ...linesOf([...await checkSettings(host, config), ...accountFindings(config), ...tls]),
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

function accountFindings({ payment, mail }: Config): Finding[] {
  if (payment === null) return [];
  const seen = `no mail server is set, so emails with customers' keys are written to ${mail.outbox}`;
  return [
    ...(mail.smtp === null ? [warning("mail", seen, "set mail.smtp_url")] : []),
    ...checkPayment({ payment }),
  ];
}
