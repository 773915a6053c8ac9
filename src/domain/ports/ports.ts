// The ports of the modules: time, randomness, network, files, log. src/platform implements them.

import type { LogArea } from "./log.ts";
import type { Mailbox } from "../customer/mail.ts";
import type { EventLoop } from "./event_loop.ts";
import type { Tracer } from "./tracer.ts";

export interface Clock {
  nowMs(): number;
  /**
   * Resolves after `ms`, or at once when the signal aborts. 0 ms splits long work: requests are served in between, and
   * works that pause this way continue one at a time.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves after the tasks that are ready now. Not for long work: no request is accepted meanwhile. */
  turn(): Promise<void>;
  /**
   * Runs `work` under a deadline: its signal aborts after `ms` (reason: {@link DeadlineError}), or when `stop` aborts
   * (with its reason). The promise settles with the work or the signal, whichever is first.
   */
  within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>, stop?: AbortSignal): Promise<T>;
}

export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  constructor(readonly ms: number) {
    super(`not done within ${ms / 1000} s`);
  }
}

export interface Random {
  bytes(count: number): Uint8Array;
  /** A number in [0, 1). */
  fraction(): number;
}

export interface OutgoingRequest {
  method: "GET" | "POST";
  url: URL;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Bytes are sent unchanged, text in UTF-8. */
  body?: string | Uint8Array;
  /** Checked addresses of this host: the connection goes to one of them, without another look-up. */
  addresses?: readonly string[];
  /** PEM certificates of additional authorities that are trusted for this request. */
  authorities?: string;
  /** Maximum size of the response body, before and after decompression. */
  maxBodyBytes: number;
  signal: AbortSignal;
}

export interface IncomingResponse {
  status: number;
  /** Lower-case names; several values are joined by ", ", those of `set-cookie` by a line feed. */
  headers: Record<string, string>;
  body: Uint8Array;
  /** The body exceeded the limit; `body` contains its beginning. */
  truncated: boolean;
}

/** A request without a usable response. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
  /** `reason` is a cause in a few words without addresses: "connection refused", "host name not found". */
  constructor(readonly reason: string, options?: ErrorOptions) {
    super(reason, options);
  }
}

export interface HttpClient {
  /** Sends one request. Throws {@link NetworkError}; rejects with the signal's reason when it aborts. */
  request(request: OutgoingRequest): Promise<IncomingResponse>;
}

/** Resolves host names. */
export interface Resolver {
  /** All IPv4 and IPv6 addresses of the host; throws {@link NetworkError} without one. */
  resolve(host: string, signal: AbortSignal): Promise<string[]>;
}

export interface FileEntry {
  name: string;
  sizeBytes: number;
  modifiedAtMs: number;
}

export interface FolderListing {
  /** Its regular files, by name. */
  files: FileEntry[];
  /** The entries that cannot be read as files, by name, with the reason. */
  unreadable: { name: string; reason: string }[];
}

export interface FolderOptions {
  /** Whether links may lead out of the folder. Links within it are always followed: container volumes use them. */
  followLinks: boolean;
}

/** The file system. Every method throws when the path cannot be read; messages contain the path. */
export interface Files {
  readText(path: string): Promise<string>;
  /** Lists the files of a folder, without names that start with a dot. Follows links unless told otherwise. */
  list(folder: string, options?: FolderOptions): Promise<FolderListing>;
  /** Reads a regular file. Throws if it is too large, or outside of the folder and links are not followed. */
  readIn(folder: string, name: string, options: FolderOptions & { maxBytes: number }): Promise<Uint8Array>;
}

export interface OutgoingMail {
  /** For the Message-ID and the file name in an outbox: letters, digits, `_`, `-` and dots. */
  id: string;
  from: Mailbox;
  /** One address ({@link isMailAddress}). */
  to: string;
  replyTo: string;
  subject: string;
  text: string;
  html: string;
}

/**
 * The causes of failures between us and the mail server: name, port, timeout, protocol, TLS or certificate, no login,
 * wrong password, another answer, or a lost connection.
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

/** A mail that was refused, or may not have been accepted. */
export class MailError extends Error {
  override readonly name = "MailError";
  /**
   * `reason` is a cause in a few words without addresses and contents. `isRefused`: the address is refused for good, so
   * that no further attempt makes sense.
   */
  constructor(
    readonly reason: string,
    readonly isRefused: boolean,
    options?: ErrorOptions & { fault?: MailFault },
  ) {
    super(reason, options);
    this.fault = options?.fault ?? null;
  }

  /** Null without an answer of a mail server. */
  readonly fault: MailFault | null;
}

export interface Mailer {
  /** Resolves when the mail is accepted; throws {@link MailError}. Disconnects when the signal aborts. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
}

export type LogFields = Record<string, string | number | boolean | null | readonly string[]>;

/** A log of one area. Messages are constant; values go into fields. Never a key, a secret or a body. */
export interface Log {
  /** False when {@link Log.debug} discards its messages, so that callers can skip building them. */
  readonly isDebugged?: boolean;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Where sealed data is stored; it opens only there. */
export interface SealedField {
  table: string;
  id: string;
}

/** Seals data so that the store's files are not enough to impersonate a subscriber or the service. */
export interface Vault {
  /** Seals a text for one place; every call returns another result. */
  seal(text: string, field: SealedField): Uint8Array;
  /** Opens a sealed text. Throws {@link VaultError} if the key or the place is another one, or the text was changed. */
  open(sealed: Uint8Array, field: SealedField): string;
}

/** Advice for a lost key. Backups contain it only on request. */
export const LOST_KEY_ADVICE =
  "restore your copy of it, or take it from a backup that was created with --secret-key or " +
  "backup.secret_key = true (`tar xzf FILE regfeed.db.key`; other backups do not contain it), or set its " +
  "path in the config ([store] key_file). If it is lost permanently, so are the secrets of all webhooks: " +
  "`regfeed store new-key --yes` creates a new key, and every subscription then needs a new secret";

/** Opens the vault of a store. `mayMake`: nothing is sealed yet, so that a new key is harmless. */
export type VaultSource = (options: { mayMake: boolean }) => Vault;

/** The key is missing, wrong or readable by others, or the sealed data is damaged. */
export class VaultError extends Error {
  override readonly name = "VaultError";
}

export interface TaskLimits {
  /** Maximum duration of the task, without the time in the queue. */
  timeoutMs?: number;
  /** Aborts the task; the call rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** A task exceeded a limit; its worker was terminated. */
export class WorkerLimitError extends Error {
  override readonly name = "WorkerLimitError";
  /** `limit` is in ms or in bytes. */
  constructor(readonly kind: "time" | "memory", readonly limit: number) {
    super(kind === "time" ? `not done within ${limit / 1_000} s` : `needed more than ${limit} bytes`);
  }
}

/** A worker thread that runs tasks by name, one at a time, in the order of the calls. */
export interface WorkerThread {
  /**
   * Runs a task. Argument and result are copied, the elements of an array in several messages, so that an object that
   * two of them share may be duplicated. Rejects with the task's error (name and message), with a {@link
   * WorkerLimitError}, or when the worker fails to start, crashes or is terminated; the next call then gets a new
   * worker.
   */
  call(task: string, argument: unknown, limits?: TaskLimits): Promise<unknown>;
}

export interface Platform {
  clock: Clock;
  random: Random;
  http: HttpClient;
  /** To webhook endpoints, at checked addresses only. */
  endpoints: HttpClient;
  resolver: Resolver;
  files: Files;
  mailer: Mailer;
  tracer: Tracer;
  eventLoop: EventLoop;
  parseWorker: WorkerThread;
  log(area: LogArea): Log;
}
