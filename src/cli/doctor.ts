// `doctor`: checks what Regfeed depends on, changes nothing, and says what to do.
import type { Config } from "../config/config.ts";
import { formatCount } from "../domain/format_count.ts";
import { type Finding, good, warning } from "../domain/operator/finding.ts";
import { createPlatform, type RealPlatform } from "../platform/platform.ts";
import type { Host } from "../platform/process/process.ts";
import { examine } from "../server/checks/examine.ts";
import { type CommandCall, EXIT } from "../server/command_context.ts";
import { storeUser } from "../server/instance_lock.ts";
import { loadConfig } from "../server/open_store.ts";
import type { Command } from "./command.ts";
import { askHealth, listenUrl } from "./healthcheck.ts";
import { progressOf } from "./progress.ts";
import { nameProgram } from "./print.ts";
import { paint } from "./table.ts";
import { textWidth, wrapText } from "./wrap_text.ts";

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
    const findings = await withNetwork(
      call,
      (network) => examine(call, loaded, { checkServer: () => checkServer(loaded.config), network }),
    );
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
  host: Pick<Host, "isTerminal" | "hasColours" | "columns" | "program" | "args">,
): string {
  const { isTerminal, hasColours, columns } = host;
  const sorted = Object.keys(MARKS).flatMap((level) => findings.filter((finding) => finding.level === level));
  const byArea = Map.groupBy(sorted, ({ area }) => area);
  const indent = Math.max(...findings.map(({ area }) => area.length)) + 11;
  const width = isTerminal ? textWidth(columns()) : Infinity;
  const wrap = (first: string, text: string) =>
    wrapText(nameProgram(host, text), { width, indent, first: first.padEnd(indent) });
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

/** Opens the platform's network for `work`, unless the option `--offline` is set. */
async function withNetwork<T>(
  { flags }: CommandCall,
  work: (network: RealPlatform | null) => Promise<T>,
): Promise<T> {
  if (flags.has("offline")) return await work(null);
  const platform = createPlatform({ log: { format: "text", level: "error" } });
  try {
    return await work(platform);
  } finally {
    await platform.close();
  }
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
