// Reads facts about the build from a file embedded in the executable.
import { join } from "node:path";
import type { Host } from "../platform/process/process.ts";

const BUILD_FACTS = join(import.meta.dirname ?? ".", "..", "..", "build.json");

interface BuildFacts {
  /** The commit, with "+changes" if files differed from it. Null if the program runs from source. */
  commit: string | null;
  /** Whether the executable was compiled with `OTEL_DENO` set. */
  traces: boolean;
}

export async function readFacts(host: Pick<Host, "exists" | "readText">): Promise<BuildFacts> {
  if (!await host.exists(BUILD_FACTS)) return { commit: null, traces: false };
  const { commit, traces } = JSON.parse(await host.readText(BUILD_FACTS)) as Record<string, unknown>;
  return { commit: typeof commit === "string" ? commit : null, traces: traces === true };
}

/** Returns a warning if the environment and the executable disagree about traces; otherwise null. */
export async function tracesWarning(
  host: Pick<Host, "exists" | "readText" | "env" | "program" | "runtime">,
): Promise<string | null> {
  // From source, and on newer Deno versions, only the environment decides.
  if (host.program !== "regfeed" || !host.runtime.startsWith("Deno 2.4.")) return null;
  const isAsked = ["true", "1"].includes(host.env("OTEL_DENO") ?? "");
  const { traces } = await readFacts(host);
  if (isAsked === traces) return null;
  return isAsked
    ? `OTEL_DENO is set, but nothing is exported: with ${host.runtime}, tracing must be enabled when the ` +
      "executable is compiled: " +
      "`OTEL_DENO=true deno task compile`"
    : "this executable was compiled with OTEL_DENO and exports a trace of every request (default: to port " +
      "4318 on this machine): set OTEL_DENO=true to include Regfeed's own spans, or use an executable " +
      "compiled without OTEL_DENO";
}
