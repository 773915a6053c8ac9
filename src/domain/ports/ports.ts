// The ports for time, randomness, network, files and log, which src/platform implements.

import type { LogArea } from "./log.ts";
import type { Mailbox } from "../customer/mail.ts";
import type { EventLoop } from "./event_loop.ts";
import type { Tracer } from "./tracer.ts";

export interface Clock {
  nowMs(): number;
  /**
   * Resolves after `ms`, or as soon as the signal aborts. A sleep of 0 ms interrupts a long-running operation, so that
   * requests are served in between. Callers that sleep for 0 ms resume one at a time.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves after the tasks that are ready now have run. Unlike a sleep of 0 ms, accepts no requests in between. */
  turn(): Promise<void>;
  /**
   * Runs `work` under a deadline. Its signal aborts after `ms` (reason: {@link DeadlineError}), or when `stop` aborts
   * (with the reason of `stop`). Settles like `work`, or rejects with the reason as soon as the signal aborts.
   */
  within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>, stop?: AbortSignal): Promise<T>;
}

export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  constructor(readonly ms: number) {
    super(`not finished within ${ms / 1000} s`);
  }
}

export interface Random {
  bytes(count: number): Uint8Array;
  /** Returns a number in [0, 1). */
  fraction(): number;
}

export interface OutgoingRequest {
  method: "GET" | "POST";
  url: URL;
  /** The headers by lower-case name. */
  headers: Record<string, string>;
  /** Bytes are sent unchanged, and text is encoded as UTF-8. */
  body?: string | Uint8Array;
  /** The checked IP addresses of the host in `url`. Connects to one of them without another lookup. */
  addresses?: readonly string[];
  /** PEM certificates of additional authorities that are trusted for this request. */
  authorities?: string;
  /** Maximum size of the response body, both before and after decompression. */
  maxBodyBytes: number;
  signal: AbortSignal;
}

export interface IncomingResponse {
  status: number;
  /** The headers by lower-case name. Values of the same name are joined by ", ", or by a line feed for `set-cookie`. */
  headers: Record<string, string>;
  body: Uint8Array;
  /** Whether the body exceeded the limit. If so, `body` contains its beginning. */
  truncated: boolean;
}

/** The error of a request that got no usable response. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
  /** `reason` is a short cause without IP addresses, such as "connection refused" or "host name not found". */
  constructor(readonly reason: string, options?: ErrorOptions) {
    super(reason, options);
  }
}

export interface HttpClient {
  /** Sends one request. Rejects with a {@link NetworkError}, or with the signal's reason when it aborts. */
  request(request: OutgoingRequest): Promise<IncomingResponse>;
}

export interface Resolver {
  /** Returns all IPv4 and IPv6 addresses of the host. Throws a {@link NetworkError} if there are none. */
  resolve(host: string, signal: AbortSignal): Promise<string[]>;
}

export interface FileEntry {
  name: string;
  sizeBytes: number;
  modifiedAtMs: number;
}

export interface FolderListing {
  /** The regular files, sorted by name. */
  files: FileEntry[];
  /** The entries that cannot be read as files, sorted by name, each with the reason. */
  unreadable: { name: string; reason: string }[];
}

export interface FolderOptions {
  /** Whether links may lead out of the folder. Links within it, as in container volumes, are always followed. */
  followLinks: boolean;
}

/** The file system. Every method throws if the path cannot be read. Messages contain the path. */
export interface Files {
  readText(path: string): Promise<string>;
  /** Lists the files of a folder, except those whose names start with a dot. */
  list(folder: string, options?: FolderOptions): Promise<FolderListing>;
  /** Reads a regular file. Throws if it is too large, or if it is outside the folder and `followLinks` is false. */
  readIn(folder: string, name: string, options: FolderOptions & { maxBytes: number }): Promise<Uint8Array>;
}

export interface OutgoingMail {
  /** The id for the Message-ID and for the file name in an outbox folder: letters, digits, `_`, `-` and dots. */
  id: string;
  from: Mailbox;
  /** A single email address ({@link isMailAddress}). */
  to: string;
  replyTo: string;
  subject: string;
  text: string;
  html: string;
}

/**
 * Why an email was not sent. `name`: the host is unknown. `refused`: it refuses connections. `silent`: it did not
 * respond in time. `protocol`: it does not speak SMTP, or not with TLS. `tls`: it offers no valid TLS. `sign-in`: it
 * does not support authentication. `answer`: it responded with another error. `broken`: the connection was lost.
 */
export type MailFault =
  | "name"
  | "refused"
  | "silent"
  | "protocol"
  | "tls"
  | "certificate"
  | "sign-in"
  | "password"
  | "answer"
  | "broken";

/** The error for an email that was refused, or whose acceptance is uncertain. */
export class MailError extends Error {
  override readonly name = "MailError";
  /**
   * `reason` is a short cause, which contains no email address and no content. `isRefused` means that the email address
   * is permanently refused, so that further attempts are pointless.
   */
  constructor(
    readonly reason: string,
    readonly isRefused: boolean,
    options?: ErrorOptions & { fault?: MailFault },
  ) {
    super(reason, options);
    this.fault = options?.fault ?? null;
  }

  /** Null if the cause is not one of {@link MailFault}. */
  readonly fault: MailFault | null;
}

export interface Mailer {
  /** Resolves when the email is accepted; rejects with a {@link MailError}. Disconnects when the signal aborts. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
  /** Set if emails are only written to a folder. */
  isOutbox?: true;
}

export type LogFields = Record<string, string | number | boolean | null | readonly string[]>;

/** The log of one area. Messages are constant, and values go into fields. Never log a key, a secret or a body. */
export interface Log {
  /** False if {@link Log.debug} discards its messages, so that callers can skip building them. */
  readonly isDebugged?: boolean;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** The row that sealed data belongs to. The data can only be opened for that row. */
export interface SealedField {
  table: string;
  id: string;
}

/** Seals data, so that the store's files alone do not allow anyone to impersonate a subscriber or the service. */
export interface Vault {
  /** Seals a string for one field. Every call returns a different result. */
  seal(text: string, field: SealedField): Uint8Array;
  /** Opens a sealed string. Throws a {@link VaultError} if it was changed or belongs to another key or field. */
  open(sealed: Uint8Array, field: SealedField): string;
}

/** What to do about a lost key. Backups contain the key only on request. */
export const LOST_KEY_ADVICE =
  "restore your copy of the key, or take it from a backup that was created with --secret-key or " +
  "backup.secret_key = true (`tar xzf FILE regfeed.db.key`; other backups do not contain it), or set its " +
  "path in the config ([store] key_file). If the key is lost permanently, so are the secrets of all webhooks: " +
  "`regfeed store new-key --yes` creates a new key and disables every subscription. Each owner must then rotate " +
  "the secret and enable the subscription";

/** Opens the vault of a store. `mayMake` means that nothing is sealed yet, so creating a new key is safe. */
export type VaultSource = (options: { mayMake: boolean }) => Vault;

/** The key is missing, wrong or readable by others, or the sealed data is damaged. */
export class VaultError extends Error {
  override readonly name = "VaultError";
}

export interface TaskLimits {
  /** Maximum duration of the task in ms, not counting the time in the queue. */
  timeoutMs?: number;
  /** Aborts the task. The call rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** The error of a task that exceeded a limit and whose worker was therefore terminated. */
export class WorkerLimitError extends Error {
  override readonly name = "WorkerLimitError";
  /** `limit` is in ms or in bytes. */
  constructor(readonly kind: "time" | "memory", readonly limit: number) {
    super(kind === "time" ? `not finished within ${limit / 1_000} s` : `needed more than ${limit} bytes`);
  }
}

/** A worker thread that runs tasks by name, one at a time. Slow tasks may be stopped and run again after the others. */
export interface WorkerThread {
  /**
   * Runs a task. The argument and the result are copied. If the result is an array, an object that two of its elements
   * share may be duplicated. Rejects with the error of the task (name and message), with a {@link WorkerLimitError}, or
   * if the worker fails to start, crashes or is terminated. The next call gets a new worker, except after an error of
   * the task.
   */
  call(task: string, argument: unknown, limits?: TaskLimits): Promise<unknown>;
}

export interface Platform {
  clock: Clock;
  random: Random;
  http: HttpClient;
  /** Sends requests to webhook endpoints, at checked IP addresses only. */
  endpoints: HttpClient;
  resolver: Resolver;
  files: Files;
  mailer: Mailer;
  tracer: Tracer;
  eventLoop: EventLoop;
  parseWorker: WorkerThread;
  log(area: LogArea): Log;
}
