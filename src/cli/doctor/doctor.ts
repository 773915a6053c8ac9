// `doctor`: checks what Regfeed depends on, changes nothing, and says what to do.
import { dirname } from "node:path";
import { userAgentOf } from "../../config/config.ts";
import { createClock } from "../../platform/clock.ts";
import { createMachine } from "../../platform/files/machine.ts";
import { createPlatform } from "../../platform/platform.ts";
import type { Host } from "../../platform/process/process.ts";
import { VERSION } from "../../version.ts";
import type { Command } from "../command.ts";
import { linesFor } from "../print.ts";
import { type CommandCall, EXIT } from "../../server/command_context.ts";
import { checkTls } from "../../server/checks/certificate.ts";
import { attempt, type Finding, good, warning } from "../../server/checks/finding.ts";
import { checkMailServer, checkOutbox } from "./mail.ts";
import { askHosts, checkClock, checkHosts, checkProxies, checkTargets } from "./network.ts";
import { checkPayment } from "./payment.ts";
import { checkRights, checkSecretFile } from "../../server/checks/rights.ts";
import { checkBackups, checkFolder, checkVolume } from "./disk.ts";
import { checkDatabase } from "./store.ts";
import { storeUser } from "../../server/instance_lock.ts";
import { loadConfig, type LoadedConfig } from "../../server/open_store.ts";

export const doctorCommand: Command = {
  name: "doctor",
  usage: "[--offline] [--json]",
  summary: "checks this installation and says what to do; changes nothing",
  details: "It checks disks, permissions, secrets, clock, network, mail and backups.",
  example: "regfeed doctor",
  options: {
    offline: { kind: "flag", help: "do not connect to hosts or mail servers" },
  },
  async run(call) {
    const loaded = await loadConfig(call);
    const findings = [
      good("config", `${loaded.file} is valid`),
      // Causes come before their symptoms: without a network, all sources fail.
      ...await checkNetwork(loaded, call.flags.has("offline")),
      ...await checkMachine(call, loaded),
    ];
    const problems = findings.filter(({ level }) => level === "problem").length;
    if (call.flags.has("json")) call.host.out(`${JSON.stringify({ ok: problems === 0, findings })}\n`);
    else call.host.out(linesFor(call.host, describeFindings(findings)));
    return problems === 0 ? EXIT.done : EXIT.failed;
  },
};

/** Formats the findings as text, grouped by area. The advice is below each finding. */
export function describeFindings(findings: readonly Finding[]): string {
  const marks = { good: "  ok     ", warning: "  WARNING", problem: "  PROBLEM" } as const;
  const lines: string[] = [];
  for (const [area, found] of Map.groupBy(findings, (finding) => finding.area)) {
    lines.push(area);
    for (const { level, seen, todo } of found) {
      lines.push(`${marks[level]}  ${seen}`);
      if (todo !== null) lines.push(`             → ${todo}`);
    }
  }
  const count = (level: Finding["level"]) => findings.filter((finding) => finding.level === level).length;
  const many = (number: number, word: string) => `${number} ${word}${number === 1 ? "" : "s"}`;
  return `${lines.join("\n")}\n${many(count("problem"), "problem")}, ${many(count("warning"), "warning")}\n`;
}

async function checkNetwork({ config }: LoadedConfig, isOffline: boolean): Promise<Finding[]> {
  const settings = [...checkProxies(config.server), ...checkTargets(config)];
  if (isOffline) return settings;
  const platform = createPlatform({ log: { format: "text", level: "error" } });
  try {
    const enabled = config.sources.filter((source) => source.enabled);
    const [hosts, mail] = await Promise.all([
      askHosts(enabled, { ...platform, userAgent: userAgentOf(config, VERSION) }),
      checkMailServer(config, platform.clock),
    ]);
    return [...settings, ...checkHosts(hosts), checkClock(hosts), ...mail];
  } finally {
    await platform.close();
  }
}

async function checkMachine({ host, loadEngine }: CommandCall, loaded: LoadedConfig): Promise<Finding[]> {
  const engine = await loadEngine();
  const { config } = loaded;
  const { path, keyFile } = config.store;
  const machine = createMachine();
  const key = machine.rightsOf(keyFile);
  const folder = checkFolder("store", dirname(path), machine);
  return [
    ...checkUser(host, machine.rightsOf(path)?.isRoots ?? true),
    await checkServer(path),
    ...await attempt("secrets", () => [
      ...checkRights(loaded, machine),
      ...(key === null ? [] : [checkSecretFile(keyFile, key)]),
    ]),
    ...await checkTls(host, config, createClock().nowMs()),
    folder,
    ...(folder.level === "problem" ? [] : [
      ...await attempt("store", () => checkVolume("store", dirname(path), machine)),
      ...await attempt("store", () => checkDatabase(config, machine, engine)),
    ]),
    ...await attempt("backup", () => checkBackups(host, config, { machine, nowMs: createClock().nowMs() })),
    ...checkPayment(config),
    ...await attempt("mail", () => checkOutbox(config, machine)),
  ];
}

/** Warns if root checks another user's database, because the permissions of that user are then not checked. */
function checkUser(host: Host, isRootsData: boolean): Finding[] {
  if (host.user() !== "root" || isRootsData) return [];
  const seen = "doctor runs as root, which can use every file: the service's permissions are not checked";
  return [warning("store", seen, "run this as the service's user: `sudo -u regfeed regfeed doctor`")];
}

async function checkServer(store: string): Promise<Finding> {
  const user = await storeUser(store);
  return good(
    "server",
    user === null ? "no process is using this database" : `the database is in use: ${user}`,
  );
}
