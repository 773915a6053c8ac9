// Watches the server's certificate files, and uses a new certificate without a restart.
import type { Clock, Files, Log } from "../domain/ports/ports.ts";
import { type CertificatePair, examineCertificate } from "../platform/tls/certificate.ts";
import type { Machine } from "../platform/files/machine.ts";
import { checkKeyFile } from "./checks/rights.ts";

const LOOK_EVERY_MS = 5_000;

interface CertificatePaths {
  cert: string;
  key: string;
}

/** Reads both files. Rejects with a message that names the unreadable file. */
export async function readPair(
  files: Pick<Files, "readText">,
  paths: CertificatePaths,
): Promise<CertificatePair> {
  return { cert: await files.readText(paths.cert), key: await files.readText(paths.key) };
}

interface Watching {
  files: Pick<Files, "readText">;
  clock: Pick<Clock, "sleep" | "nowMs">;
  log: Log;
  paths: CertificatePaths;
  inUse: CertificatePair;
  renew(pair: CertificatePair): Promise<void>;
  machine: Pick<Machine, "rightsOf">;
}

/**
 * Reads the files every few seconds until the signal aborts. Uses a new pair once two successive reads return it,
 * because the two files are not written at the same time. Logs an unusable pair once and keeps the old one in use. A
 * pair that is not valid yet is used once it is valid.
 */
export async function watchCertificate(watching: Watching, signal: AbortSignal): Promise<void> {
  const { files, clock, log, paths } = watching;
  let inUse = textOf(watching.inUse);
  let seen = inUse;
  let reported = "";
  while (!signal.aborted) {
    await clock.sleep(LOOK_EVERY_MS, signal);
    if (signal.aborted) return;
    const found = await readPair(files, paths).catch((error: Error) => error.message);
    const text = typeof found === "string" ? found : textOf(found);
    const isSettled = text === seen;
    seen = text;
    if (!isSettled || text === inUse) continue;
    const problem = typeof found === "string" ? found : await use(found, watching);
    if (problem === null) inUse = text;
    else if (reported !== text + problem) {
      reported = text + problem;
      log.error("new certificate not used; the old one stays in use", { file: paths.cert, cause: problem });
    }
  }
}

/** Uses a pair, or returns why it cannot be used. */
async function use(
  pair: CertificatePair,
  { clock, log, paths, renew, machine }: Watching,
): Promise<string | null> {
  const state = examineCertificate(pair);
  if (state.kind === "bad") return state.reason;
  const expires = new Date(state.expiresAtMs).toISOString();
  if (state.expiresAtMs <= clock.nowMs()) return `it expired at ${expires}`;
  if (state.beginsAtMs > clock.nowMs()) {
    return `it is not valid before ${new Date(state.beginsAtMs).toISOString()}`;
  }
  try {
    await renew(pair);
  } catch (error) {
    return (error as Error).message;
  }
  log.info("new certificate in use", { file: paths.cert, expires });
  const { level, seen, todo } = checkKeyFile(paths.key, machine.rightsOf(paths.key));
  if (level !== "good") log.warn(`${seen}: ${todo}`);
  return null;
}

function textOf({ cert, key }: CertificatePair): string {
  return `${cert}\0${key}`;
}
