// Why something of a release was not made, and what to do.

/** A download of Deno's that failed: the base that an executable is made on. */
const MISSING_BASE = /error sending request for url \((\S+\/release\/(v[\d.]+)\/(denort-\S+?\.zip))\)/;
/** The same of the program that makes the bundles, which comes from npm. */
const MISSING_BUNDLER = /(?:Failed to (?:download|fetch)|error sending request)[^\n]*esbuild[^\n]*/;

/** What a program that failed has said, in one line, with what to do where that is known. */
export function whyLeftOut(said: string): string {
  const [, url, version, file] = MISSING_BASE.exec(said) ?? [];
  if (url !== undefined) {
    return `its runtime base could not be downloaded: fetch ${url} on a machine that reaches it, put it at ` +
      `dl/release/${version}/${file} in the folder of \`deno info\`'s "DENO_DIR location", and run this again`;
  }
  const [bundler] = MISSING_BUNDLER.exec(said) ?? [];
  if (bundler !== undefined) {
    return `the bundler could not be downloaded: run this once where npm's registry can be reached (${bundler.trim()})`;
  }
  return causesOf(said).join(": ") || "it failed silently";
}

/** The error and its causes, outermost first, without where in the program it was; else the last line. */
function causesOf(said: string): string[] {
  const lines = said.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const from = lines.findIndex((line) => line.startsWith("error:"));
  if (from === -1) return lines.slice(-1);
  const until = lines.findIndex((line, at) => at > from && line === "Stack backtrace:");
  return lines.slice(from, until === -1 ? undefined : until).filter((line) => line !== "Caused by:")
    .map((line) => line.replace(/^(error:|\d+:) */, ""));
}
