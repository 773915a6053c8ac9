// What the modules need from outside: time, randomness, network, files, a log. src/platform implements it.

import type { LogArea } from "./log.ts";
import type { Mailbox } from "../customer/mail.ts";
import type { EventLoop } from "../event_loop.ts";
import type { Tracer } from "./tracer.ts";

/** Time. */
export interface Clock {
  /** Now, in Unix ms. */
  nowMs(): number;
  /**
   * Resolves after `ms`, or at once when the signal aborts. 0 ms lets other work run between pieces of long work: those
   * that sleep so go on one at a time, and requests are served in between.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when what is ready at this moment is done. Not for long work: nobody who asks is let in by it. */
  turn(): Promise<void>;
  /**
   * Runs `work` under a deadline: its signal aborts after `ms` (reason: {@link DeadlineError}), or with the reason of
   * `stop` when that aborts. The promise settles when the work does or its signal aborts, whichever is first.
   */
  within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>, stop?: AbortSignal): Promise<T>;
}

/** A deadline passed before the work was done. */
export class DeadlineError extends Error {
  override readonly name = "DeadlineError";
  constructor(readonly ms: number) {
    super(`not done within ${ms / 1000} s`);
  }
}

/** Randomness of cryptographic quality. */
export interface Random {
  bytes(count: number): Uint8Array;
  /** A number in [0, 1). */
  fraction(): number;
}

/** A request to somewhere else. */
export interface OutgoingRequest {
  method: "GET" | "POST";
  url: URL;
  /** Lower-case names. */
  headers: Record<string, string>;
  /** Bytes are sent as they are, a text in UTF-8. */
  body?: string | Uint8Array;
  /** Addresses that were checked for this host: the connection goes to one of them and nothing is looked up again. */
  addresses?: readonly string[];
  /** PEM certificates of further trusted authorities, for this request alone. */
  authorities?: string;
  /** Maximum size of the response body, before and after decompression. */
  maxBodyBytes: number;
  signal: AbortSignal;
}

/** A response. Redirects are not followed. */
export interface IncomingResponse {
  status: number;
  /** Lower-case names; several values are joined by ", ", those of `set-cookie` by a line feed. */
  headers: Record<string, string>;
  body: Uint8Array;
  /** True when the body was longer than allowed; `body` then holds its beginning. */
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

/** HTTP to somewhere else. */
export interface HttpClient {
  /** Sends one request. Throws {@link NetworkError}; rejects with the signal's reason when it aborts. */
  request(request: OutgoingRequest): Promise<IncomingResponse>;
}

/** Host names to addresses. */
export interface Resolver {
  /** Every IPv4 and IPv6 address of the host; throws {@link NetworkError} when there is none. */
  resolve(host: string, signal: AbortSignal): Promise<string[]>;
}

/** A file of a folder. */
export interface FileEntry {
  name: string;
  sizeBytes: number;
  /** Unix ms. */
  modifiedAtMs: number;
}

/** The contents of a folder. */
export interface FolderListing {
  /** Its plain files, by name. */
  files: FileEntry[];
  /** What stands there and cannot be read as a file, by name, with the reason in words. */
  unreadable: { name: string; reason: string }[];
}

/** How a folder's entries are read. */
export interface FolderOptions {
  /**
   * Whether a link may lead out of the folder. One that stays in it is always followed: volumes of containers have
   * such.
   */
  followLinks: boolean;
}

/** The file system. Every method throws when the path cannot be read; messages name the path. */
export interface Files {
  readText(path: string): Promise<string>;
  /**
   * What a folder holds, nothing of it opened; folders in it and names that start with a dot are left out. Follows
   * links unless it is told otherwise.
   */
  list(folder: string, options?: FolderOptions): Promise<FolderListing>;
  /**
   * Reads a regular file of a folder. Throws when it has more bytes, or is not in the folder and links are not
   * followed.
   */
  readIn(folder: string, name: string, options: FolderOptions & { maxBytes: number }): Promise<Uint8Array>;
}

/** A mail, ready to be handed over. */
export interface OutgoingMail {
  /** Letters, digits, `_`, `-` and dots: of the Message-ID, and of the file in an outbox. */
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
 * What is wrong with the way to a mail server: its name, its port, its silence, what it speaks, its TLS or certificate,
 * that it takes no user, our password, another answer of it, or the connection that broke off.
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

/** A mail that was not accepted, or may not have been. */
export class MailError extends Error {
  override readonly name = "MailError";
  /**
   * `reason` is a cause in a few words that hold no address and nothing of the mail. `isRefused` says that its address
   * will never be taken: there is no use in trying again.
   */
  constructor(
    readonly reason: string,
    readonly isRefused: boolean,
    options?: ErrorOptions & { fault?: MailFault },
  ) {
    super(reason, options);
    this.fault = options?.fault ?? null;
  }

  /** Null where no mail server was asked. */
  readonly fault: MailFault | null;
}

/** Mail to somewhere else. */
export interface Mailer {
  /** Resolves when the mail is taken over; throws {@link MailError}. The connection ends with the signal. */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
}

/** The fields of a log line. */
export type LogFields = Record<string, string | number | boolean | null | readonly string[]>;

/** A log of one area. Messages are constant texts; what varies is in the fields. No key, secret or body goes in. */
export interface Log {
  /** False where what {@link Log.debug} is told is thrown away: who says much need not put it together then. */
  readonly isDebugged?: boolean;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Where something sealed is kept; it opens there and nowhere else. */
export interface SealedField {
  table: string;
  /** The row. */
  id: string;
}

/**
 * Keeps what could be used to impersonate a subscriber or the service unreadable to whoever reads the store's files.
 */
export interface Vault {
  /** The sealed form of a text for one place; every call gives another one. */
  seal(text: string, field: SealedField): Uint8Array;
  /** The text. Throws {@link VaultError} when it was sealed with another key or for another place, or was changed. */
  open(sealed: Uint8Array, field: SealedField): string;
}

/** Advice for a lost key. Backups contain it only on request. */
export const LOST_KEY_ADVICE =
  "restore your copy of it, or take it from a backup that was created with --secret-key or " +
  "backup.secret_key = true (`tar xzf FILE regfeed.db.key`; other backups do not contain it), or set its " +
  "path in the config ([store] key_file). If it is lost permanently, so are the secrets of all webhooks: " +
  "`regfeed store new-key --yes` creates a new key, and every subscription then needs a new secret";

/** Gives the vault of a store. `mayMake` says that nothing is sealed yet, so that a new key does no harm. */
export type VaultSource = (options: { mayMake: boolean }) => Vault;

/** The key is missing, is the wrong one or may be read by others, or what was sealed is damaged. */
export class VaultError extends Error {
  override readonly name = "VaultError";
}

/** The limits of one task in a worker thread. */
export interface TaskLimits {
  /** How long the task may run; the time that it waits for others before it does not count. */
  timeoutMs?: number;
  /** Ends the task; the call rejects with the signal's reason. */
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
   * The result of a task. Argument and result are copied; the elements of an array are copied in several messages, so
   * that what two of them share may become two things. Rejects with what the task threw (its name and message), with a
   * {@link WorkerLimitError} at a limit, and when the worker cannot start, fails or is ended: then the worker is
   * terminated, and the next call gets a new one.
   */
  call(task: string, argument: unknown, limits?: TaskLimits): Promise<unknown>;
}

/** The world outside, as one. */
export interface Platform {
  clock: Clock;
  random: Random;
  http: HttpClient;
  /** To the endpoints of webhooks, at addresses that were checked and nowhere else. */
  endpoints: HttpClient;
  resolver: Resolver;
  files: Files;
  mailer: Mailer;
  tracer: Tracer;
  eventLoop: EventLoop;
  /** Parses documents. */
  parseWorker: WorkerThread;
  log(area: LogArea): Log;
}
