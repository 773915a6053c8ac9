// The server's certificate while it runs: read from its files, and read again when they change.
import type { Clock, Files, Log } from "../domain/ports.ts";
import { type CertificatePair, examineCertificate } from "../platform/certificate.ts";

/** How often the files are read, ms. */
const LOOK_EVERY_MS = 5_000;

/** Where a certificate and its key are, absolute. */
export interface CertificatePaths {
  cert: string;
  key: string;
}

/** Reads both files. Rejects with a message that names the one that cannot be read. */
export async function readPair(
  files: Pick<Files, "readText">,
  paths: CertificatePaths,
): Promise<CertificatePair> {
  return { cert: await files.readText(paths.cert), key: await files.readText(paths.key) };
}

/** What watching needs. */
export interface Watching {
  files: Pick<Files, "readText">;
  clock: Pick<Clock, "sleep" | "nowMs">;
  log: Log;
  paths: CertificatePaths;
  /** The pair that is in use. */
  inUse: CertificatePair;
  /** Takes a new one into use. */
  renew(pair: CertificatePair): Promise<void>;
}

/**
 * Reads the files every few seconds until the signal aborts, and takes what is new into use once it was read the same
 * twice: the two files are not written in one instant. What cannot be used is logged once, and the pair before goes on.
 */
export async function watchCertificate(
  { files, clock, log, paths, inUse, renew }: Watching,
  signal: AbortSignal,
): Promise<void> {
  let known = textOf(inUse);
  let seen = known;
  while (!signal.aborted) {
    await clock.sleep(LOOK_EVERY_MS, signal);
    if (signal.aborted) return;
    const found = await readOrExplain(files, paths);
    const text = typeof found === "string" ? found : textOf(found);
    const isSettled = text === seen;
    seen = text;
    if (!isSettled || text === known) continue;
    known = text;
    await take(found, { clock, log, paths, renew });
  }
}

async function take(
  found: CertificatePair | string,
  { clock, log, paths, renew }: Pick<Watching, "clock" | "log" | "paths" | "renew">,
): Promise<void> {
  const state = typeof found === "string"
    ? { kind: "bad" as const, reason: found }
    : examineCertificate(found);
  try {
    if (state.kind === "bad" || typeof found === "string") {
      throw new Error(state.kind === "bad" ? state.reason : "");
    }
    const expires = new Date(state.expiresAtMs).toISOString();
    // No client would take it, and the one before may still be good.
    if (state.expiresAtMs <= clock.nowMs()) throw new Error(`it expired at ${expires}`);
    await renew(found);
    log.info("new certificate in use", {
      file: paths.cert,
      expires,
    });
  } catch (error) {
    log.error("new certificate not used; the one before goes on", {
      file: paths.cert,
      cause: (error as Error).message,
    });
  }
}

async function readOrExplain(
  files: Pick<Files, "readText">,
  paths: CertificatePaths,
): Promise<CertificatePair | string> {
  try {
    return await readPair(files, paths);
  } catch (error) {
    return (error as Error).message;
  }
}

function textOf({ cert, key }: CertificatePair): string {
  return `${cert}\0${key}`;
}
