// The load generator, in a separate process: sends requests over plain sockets, one at a time per socket.
import { answerLines } from "./lines.ts";

/** A job, as a line on stdin. */
export interface LoadJob {
  port: number;
  /** Number of sockets, each with one request in progress. */
  connections: number;
  /** The load ends after this time in ms or after `maxRequests` requests, whichever comes first. */
  forMs: number;
  maxRequests: number;
  /** The Authorization header of every request. */
  authorization: string;
  /** The paths to request in turn. By default, the paths of the previous job. */
  paths?: readonly string[];
}

/** The result of a job, as a line on stdout. */
export interface LoadResult {
  requests: number;
  ms: number;
  bytes: number;
  /** Number of responses other than 200. */
  failed: number;
  /** Median time of a request, ms. */
  medianMs: number;
  /** 99th percentile of the request times, ms. */
  p99Ms: number;
}

/** Maximum size of a response, bytes. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
const HEADERS_END = new TextEncoder().encode("\r\n\r\n");

const paths: { list: Uint8Array[]; next: number } = { list: [], next: 0 };

if (import.meta.main) await answerLines(run);

async function run(job: LoadJob): Promise<LoadResult> {
  if (job.paths !== undefined) {
    const encoder = new TextEncoder();
    const head = `HTTP/1.1\r\nhost: 127.0.0.1:${job.port}\r\nauthorization: ${job.authorization}\r\n\r\n`;
    paths.list = job.paths.map((path) => encoder.encode(`GET ${path} ${head}`));
    paths.next = 0;
  }
  const result: LoadResult = { requests: 0, ms: 0, bytes: 0, failed: 0, medianMs: 0, p99Ms: 0 };
  const times: number[] = [];
  const startMs = performance.now();
  let left = job.maxRequests;
  const isOver = (): boolean => left-- <= 0 || performance.now() - startMs >= job.forMs;
  await Promise.all(Array.from({ length: job.connections }, () => ask(job.port, isOver, result, times)));
  result.ms = performance.now() - startMs;
  times.sort((a, b) => a - b);
  result.medianMs = times[times.length >> 1] ?? 0;
  result.p99Ms = times[Math.floor(times.length * 0.99)] ?? 0;
  return result;
}

async function ask(port: number, isOver: () => boolean, result: LoadResult, times: number[]): Promise<void> {
  using socket = await Deno.connect({ hostname: "127.0.0.1", port });
  socket.setNoDelay(true);
  const buffer = new Uint8Array(MAX_ANSWER_BYTES);
  while (!isOver()) {
    const request = paths.list[paths.next++ % paths.list.length] as Uint8Array;
    const startMs = performance.now();
    for (let at = 0; at < request.length;) at += await socket.write(request.subarray(at));
    const { length, status } = await readAnswer(socket, buffer);
    times.push(performance.now() - startMs);
    result.requests++;
    result.bytes += length;
    if (status !== "200") result.failed++;
  }
}

/** Reads a response with a Content-Length. */
async function readAnswer(
  socket: Deno.TcpConn,
  buffer: Uint8Array,
): Promise<{ length: number; status: string }> {
  let have = 0;
  let length = -1;
  let status = "";
  while (length === -1 || have < length) {
    const read = await socket.read(buffer.subarray(have));
    if (read === null) throw new Error("the server closed the connection");
    have += read;
    if (length !== -1) continue;
    const end = endOfHeaders(buffer, have);
    if (end === -1) continue;
    const head = String.fromCharCode(...buffer.subarray(0, end));
    const stated = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
    if (stated === undefined) throw new Error(`a response without a Content-Length: ${head}`);
    length = end + Number(stated);
    status = head.slice(9, 12);
  }
  return { length, status };
}

function endOfHeaders(buffer: Uint8Array, have: number): number {
  for (let at = 3; at < have; at++) {
    if (buffer[at] === HEADERS_END[3] && buffer[at - 2] === HEADERS_END[1]) return at + 1;
  }
  return -1;
}
