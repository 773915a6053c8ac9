// One server a store: who comes second says so, in its log, its metrics and to the doctor, until it is alone.
import { dirname } from "node:path";
import type { Metrics } from "../domain/metrics.ts";
import type { Clock, Log } from "../domain/ports.ts";
import { type Claim, claimFile, claimToRead, isClaimed, readClaim, takeWithin } from "../platform/claim.ts";
import { type Finding, problem } from "./doctor/finding.ts";

/** How long a server that ends may still be there beside the one that follows it, ms: longer than it takes to end. */
const HANDOVER_MS = 20_000;
/** How often it is said again. */
const SAY_AGAIN_MS = 3_600_000;
/** How often a claim is tried again that could not be made. */
const TRY_AGAIN_MS = 10_000;
/** How long a look may take that finds a claim free, ms. */
const LOOK_MS = 300;

/** What to do about two servers. */
const ADVICE = "stop all servers of this store but one, or give each a store of its own ([store] path)";

/** The file that a store's server claims, and the one that is claimed by a server which waits for the first. */
function claimsOf(path: string): { first: string; second: string } {
  return { first: `${path}.server`, second: `${path}.second-server` };
}

/** What a server needs to claim its store. */
export interface SoleServer {
  /** The store's file. */
  path: string;
  /** What to say of this server to others: its address. */
  address: string;
  log: Log;
  clock: Clock;
  metrics: Metrics;
}

/**
 * Claims the store until the returned function is called, or the process ends. While another server has it, the work goes
 * on, for that one may be ending; but it is said, and where the other one stays, said as an error: both do everything, and
 * each counts only its own requests.
 *
 * Who may not write claims the file that an earlier server has left. Where there is none it is the folder: only those who
 * may not write either meet there, so the file is claimed as soon as it can be.
 */
export function claimStore(server: SoleServer): () => void {
  const ending = new AbortController();
  const { metrics } = server;
  const shared = { isShared: false };
  metrics.gauge(
    { name: "regfeed_store_shared", help: "Whether another server has the same store open." },
    () => [{ value: shared.isShared ? 1 : 0 }],
  );
  void claimInTurn(server, shared, ending.signal);
  return () => ending.abort();
}

/** The file's claim, or the folder's until there is one. */
async function claimInTurn(
  server: SoleServer,
  shared: { isShared: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { first } = claimsOf(server.path);
  const claim = claimOrWhyNot(first, server.address);
  if (!(claim instanceof Error)) return await keepClaim(claim, server, shared, signal);
  const meanwhile = claimFolder(first);
  const stage = new AbortController();
  signal.addEventListener("abort", () => stage.abort(), { once: true });
  if (meanwhile === null) sayUntold(server.log, first, claim);
  else void keepClaim(meanwhile, server, shared, stage.signal);
  const later = await claimLater(first, server, signal);
  stage.abort();
  if (later !== null) await keepClaim(later, server, shared, signal);
}

/** Holds the claim until the signal aborts, and says it while somebody else has it. */
async function keepClaim(
  claim: Claim,
  { path, address, log, clock }: SoleServer,
  shared: { isShared: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { first, second } = claimsOf(path);
  const release = () => {
    shared.isShared = false;
    claim.release();
  };
  if (signal.aborted) return release();
  signal.addEventListener("abort", release, { once: true });
  let isAlone = false;
  const taken = claim.taken.catch((error) => {
    if (!signal.aborted) sayUntold(log, first, error);
  }).then(() => {
    isAlone = true;
    shared.isShared = false;
  });
  await Promise.race([taken, clock.sleep(LOOK_MS, signal)]);
  if (isAlone || signal.aborted) return;
  shared.isShared = true;
  // Only the doctor asks for it: where it cannot be made, the log and the metrics know all the same.
  const waiting = claimOrWhyNot(second, address);
  log.warn("another server has this store open: it has some seconds to end", { other: readClaim(first) });
  await Promise.race([taken, clock.sleep(HANDOVER_MS, signal)]);
  while (!isAlone && !signal.aborted) {
    log.error(`two servers use one store; ${ADVICE}`, { store: path, other: readClaim(first) });
    await Promise.race([taken, clock.sleep(SAY_AGAIN_MS, signal)]);
  }
  if (!(waiting instanceof Error)) waiting.release();
  if (isAlone) log.info("the other server has ended: this one has the store to itself");
}

/** A claim as soon as there can be one: a disk that cannot be written may be later. Null when the signal has aborted. */
async function claimLater(
  file: string,
  { address, clock }: Pick<SoleServer, "address" | "clock">,
  signal: AbortSignal,
): Promise<Claim | null> {
  while (!signal.aborted) {
    await clock.sleep(TRY_AGAIN_MS, signal);
    const claim = signal.aborted ? null : claimOrWhyNot(file, address);
    if (claim !== null && !(claim instanceof Error)) return claim;
  }
  return null;
}

/** A claim on the file, also for who can only read it; why not, where there can be none: no reason not to serve. */
function claimOrWhyNot(file: string, address: string): Claim | Error {
  try {
    return claimFile(file, address);
  } catch (error) {
    try {
      return claimToRead(file);
    } catch {
      return error as Error; // that it cannot be read either says less than why it cannot be made
    }
  }
}

/** A claim on the folder of a file; null where that cannot be opened. */
function claimFolder(file: string): Claim | null {
  try {
    return claimToRead(dirname(file));
  } catch {
    return null; // told of the file
  }
}

function sayUntold(log: Log, file: string, error: unknown): void {
  log.warn(
    "whether another server uses this store cannot be told; let the service's user write this file, or remove it while " +
      "no server runs",
    { file, cause: (error as Error).message },
  );
}

/**
 * Claims the store for work that no server and no other such work may meet, until it is released. Throws with a message
 * for the operator while anybody has it.
 */
export async function claimForAlone(
  path: string,
  work: string,
): Promise<{ file: string; release(): void }> {
  const { first } = claimsOf(path);
  const claim = await takeWithin(first, work, LOOK_MS);
  if (claim !== null) return { file: first, release: claim.release };
  throw new Error(
    `${path} is in use (${readClaim(first)}): stop the server first, or let the other restore end`,
  );
}

/** Finds two servers on a store. */
export async function findSecondServer(path: string): Promise<Finding[]> {
  const { first, second } = claimsOf(path);
  if (!await isClaimed(second, LOOK_MS)) return [];
  const found = `two servers have this store open: ${readClaim(first)}, and ${readClaim(second)}`;
  return [problem("store", found, ADVICE)];
}

/** The server that has a store open, in words; null where none has. */
export async function findServer(path: string): Promise<string | null> {
  const { first } = claimsOf(path);
  return await isClaimed(first, LOOK_MS) ? readClaim(first) : null;
}
