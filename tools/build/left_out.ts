// Explains why a file of a release could not be built, and what to do.

/** Deno's message when it cannot download the runtime base of an executable. */
const MISSING_BASE = /error sending request for url \((\S+\/release\/(v[\d.]+)\/(denort-\S+?\.zip))\)/;
/** Deno's message when it cannot download the bundler from npm. */
const MISSING_BUNDLER = /(?:Failed to (?:download|fetch)|error sending request)[^\n]*esbuild[^\n]*/;

/** Summarises the output of a failed program in one line, with advice for known causes. */
export function whyLeftOut(said: string): string {
  const [, url, version, file] = MISSING_BASE.exec(said) ?? [];
  if (url !== undefined) {
    return `its runtime base could not be downloaded: fetch ${url} on a machine that can reach it, put the file at ` +
      `dl/release/${version}/${file} in the folder that \`deno info\` calls "DENO_DIR location", and run this again`;
  }
  const [bundler] = MISSING_BUNDLER.exec(said) ?? [];
  if (bundler !== undefined) {
    return `the bundler could not be downloaded: run this once where npm's registry can be reached (${bundler.trim()})`;
  }
  return causesOf(said).join(": ") || "it failed silently";
}

/**
 * Returns the error and its causes, outermost first, without the backtrace. Output without an error yields its last
 * line.
 */
function causesOf(said: string): string[] {
  const lines = said.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const from = lines.findIndex((line) => line.startsWith("error:"));
  if (from === -1) return lines.slice(-1);
  const until = lines.findIndex((line, at) => at > from && line === "Stack backtrace:");
  return lines.slice(from, until === -1 ? undefined : until).filter((line) => line !== "Caused by:")
    .map((line) => line.replace(/^(error:|\d+:) */, ""));
}
