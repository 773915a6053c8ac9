// The server's certificate while it runs: read from its files, and read again when they change.
import type { Clock, Files, Log } from "../domain/ports.ts";
import { type CertificatePair, examineCertificate } from "../platform/certificate.ts";
import type { Machine } from "../platform/machine.ts";
import { judgeKeyFile } from "./doctor/certificate.ts";

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
  machine: Pick<Machine, "rightsOf">;
}

/**
 * Reads the files every few seconds until the signal aborts, and takes what is new into use once it was read the same
 * twice: the two files are not written in one instant. What cannot be used is logged once, and the pair before goes on; one
 * that is not valid yet is taken when it is.
 */
export async function watchCertificate(watching: Watching, signal: AbortSignal): Promise<void> {
  const { files, clock, paths, inUse } = watching;
  let known = textOf(inUse);
  let seen = known;
  let beginsAtMs: number | null = null;
  while (!signal.aborted) {
    await clock.sleep(LOOK_EVERY_MS, signal);
    if (signal.aborted) return;
    const found = await readOrExplain(files, paths);
    const text = typeof found === "string" ? found : textOf(found);
    const isSettled = text === seen;
    seen = text;
    const hasBegun = text === known && beginsAtMs !== null && beginsAtMs <= clock.nowMs();
    if (!isSettled || text === known && !hasBegun) continue;
    known = text;
    beginsAtMs = await take(found, watching);
  }
}

/** Takes it into use if it can be; gives when to try again where it cannot be yet, Unix ms. */
async function take(
  found: CertificatePair | string,
  { clock, log, paths, renew, machine }: Watching,
): Promise<number | null> {
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
    if (state.beginsAtMs > clock.nowMs()) {
      log.warn("new certificate not used before it is valid; the one before goes on until then", {
        file: paths.cert,
        begins: new Date(state.beginsAtMs).toISOString(),
      });
      return state.beginsAtMs;
    }
    await renew(found);
    log.info("new certificate in use", {
      file: paths.cert,
      expires,
    });
    const { level, seen, todo } = judgeKeyFile(paths.key, machine.rightsOf(paths.key));
    if (level !== "good") log.warn(`${seen}: ${todo}`);
  } catch (error) {
    log.error("new certificate not used; the one before goes on", {
      file: paths.cert,
      cause: (error as Error).message,
    });
  }
  return null;
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
