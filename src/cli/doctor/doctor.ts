// `doctor`: checks what Regfeed depends on, changes nothing, and says what to do.
import { dirname } from "node:path";
import { formatCount } from "../../domain/format_count.ts";
import { type Config, userAgentOf } from "../../config/config.ts";
import { createClock } from "../../platform/clock.ts";
import { createMachine } from "../../platform/files/machine.ts";
import { createPlatform } from "../../platform/platform.ts";
import type { Host } from "../../platform/process/process.ts";
import { VERSION } from "../../version.ts";
import type { Command } from "../command.ts";
import { paint } from "../table.ts";
import { textWidth, wrapText } from "../wrap_text.ts";
import { type CommandCall, EXIT } from "../../server/command_context.ts";
import { checkTls } from "../../server/checks/certificate.ts";
import { attempt, type Finding, good, groupSymptoms, problem, warning } from "../../server/checks/finding.ts";
import { checkSettings } from "../../server/checks/settings.ts";
import { examineDeclared } from "../../server/declared_conflicts.ts";
import { tracesWarning } from "../../server/build_info.ts";
import { askHealth, listenUrl } from "../healthcheck.ts";
import { checkMailServer, checkOutbox } from "./mail.ts";
import { askHosts, checkClock, checkHosts, checkProxies, checkTargets } from "./network.ts";
import { checkPayment } from "./payment.ts";
import { checkRights, checkSecretFile } from "../../server/checks/rights.ts";
import { checkBackups, checkFolder, checkVolume } from "./disk.ts";
import { checkDatabase } from "./store.ts";
import { storeUser } from "../../server/instance_lock.ts";
import { progressOf } from "../progress.ts";
import { loadConfig, type LoadedConfig } from "../../server/open_store.ts";

export const doctorCommand: Command = {
  name: "doctor",
  usage: "[--offline] [--json]",
  summary: "checks this installation and says what to do; changes nothing",
  details:
    "It checks disks, permissions, secrets, clock, network, mail and backups. Problems come first, each with its " +
    "symptoms (↳). The exit code is 0 without problems (warnings are allowed), 1 with problems, and 2 for an " +
    "invalid config.",
  example: "regfeed doctor",
  options: {
    offline: { kind: "flag", help: "do not connect to hosts or mail servers" },
  },
  async run(call) {
    const loaded = await loadConfig(call);
    progressOf(call)("checking this installation …");
    const findings = groupSymptoms([
      good("config", `${loaded.file} is valid`),
      ...await checkConfig(call, loaded),
      ...await checkMachine(call, loaded),
      ...await checkNetwork(loaded, call.flags.has("offline")),
    ]);
    const ok = findings.every(({ level }) => level !== "problem");
    if (call.flags.has("json")) {
      const fields = findings.map(({ cause: _, symptomOf: _of, ...finding }) => finding);
      call.host.out(`${JSON.stringify({ ok, findings: fields })}\n`);
    } else call.host.out(describeFindings(findings, call.host), { hasColours: true });
    return ok ? EXIT.done : EXIT.failed;
  },
};

/** The words and colours of the levels, in the order in which the findings are printed. */
const MARKS = { problem: ["PROBLEM", "red"], warning: ["WARNING", "yellow"], good: ["ok", "green"] } as const;

/** Formats the findings as text: one section per area, and the areas with problems first. */
export function describeFindings(
  findings: readonly Finding[],
  { isTerminal, hasColours, columns }: Pick<Host, "isTerminal" | "hasColours" | "columns">,
): string {
  const sorted = Object.keys(MARKS).flatMap((level) => findings.filter((finding) => finding.level === level));
  const byArea = Map.groupBy(sorted, ({ area }) => area);
  const indent = Math.max(...findings.map(({ area }) => area.length)) + 11;
  const width = isTerminal ? textWidth(columns()) : Infinity;
  const wrap = (first: string, text: string) =>
    wrapText(text, { width, indent, first: first.padEnd(indent) });
  const lines = [...byArea].flatMap(([area, found]) =>
    found.flatMap(({ level, seen, todo, symptoms = [] }, at) => {
      const [mark, colour] = MARKS[level];
      const text = wrap(`${(at === 0 ? area : "").padEnd(indent - 9)}${mark}`, seen);
      const below = (sign: string, line: string) => wrap(`${" ".repeat(indent - 2)}${sign}`, line);
      return [
        isTerminal && hasColours ? text.replace(mark, paint(mark, colour)) : text,
        ...(todo === null ? [] : [below("→", todo)]),
        ...symptoms.map((symptom) => below("↳", symptom)),
      ];
    })
  );
  const count = (level: Finding["level"]) =>
    formatCount(findings.filter((finding) => finding.level === level).length, level);
  return `${lines.join("")}${count("problem")}, ${count("warning")}\n`;
}

/** Repeats the warnings of `check`, except those about files and payments, which other checks cover. */
async function checkConfig(call: CommandCall, loaded: LoadedConfig): Promise<Finding[]> {
  const traces = await tracesWarning(call.host);
  const declared = await examineDeclared(call, loaded).then(
    (unseen) => unseen === null ? [] : [warning("customers", unseen, "start or restart `regfeed serve`")],
    ({ message }: Error) => [problem("customers", message, "correct this in the config")],
  );
  return [
    ...await checkSettings(call.host, loaded.config),
    ...(traces === null ? [] : [warning("traces", traces, "change OTEL_DENO, or use another executable")]),
    ...declared,
  ];
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
    await checkServer(config),
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

async function checkServer(config: Config): Promise<Finding> {
  const user = await storeUser(config.store.path);
  if (user === null) return good("server", "no server is running; `regfeed serve` starts one");
  if (config.server.listen.port === 0) return good("server", `the database is in use (${user})`);
  const url = listenUrl(config);
  try {
    const { status } = await askHealth(url, "anybody");
    return good("server", `the server is running at ${url} (${user}); its health is ${status}`);
  } catch (error) {
    const todo = "see the server's log: it may be starting, or use another server.listen than the config";
    return warning("server", `the database is in use (${user}), but ${(error as Error).message}`, todo);
  }
}
