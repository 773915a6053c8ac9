// Sends emails through SMTP (nodemailer), or writes them to a folder.
import { readFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import tls from "node:tls";
import type { Transporter } from "nodemailer";
import type { SmtpServer } from "../../domain/customer/mail.ts";
import { type Mailer, MailError, type MailFault, type OutgoingMail } from "../../domain/ports/ports.ts";
import { createFiles } from "../files/files.ts";

export interface MailSettings {
  /** Null if emails are written to the outbox. */
  smtp:
    | (SmtpServer & {
      requireTls: boolean;
      /** The path of certificates (PEM) that are trusted instead of the system's, or null. */
      caFile: string | null;
    })
    | null;
  /** The absolute path of the outbox. */
  outbox: string;
}

const IN_TIME = ["the mail server does not respond in time", false] as const;
/** How long the server may stay silent, ms. The caller's signal limits the total time. */
const SILENCE_MS = 20_000;

/** Creates a mailer. Without settings, every email fails. */
export function createMailer(settings: MailSettings | null): Mailer {
  if (settings === null) return { send: () => Promise.reject(new MailError("email is not set up", false)) };
  const { smtp, outbox } = settings;
  return smtp === null ? { isOutbox: true, send: (mail) => writeMail(mail, outbox) } : {
    send: (mail, signal) =>
      withServer(smtp, signal, {}, async (transport) => void await transport.sendMail(messageOf(mail))),
  };
}

const loadNodemailer = async () => (await import("nodemailer")).default;

/** Writes the email to a file that only its owner can read. A second attempt replaces the file. */
async function writeMail(mail: OutgoingMail, outbox: string): Promise<void> {
  const files = createFiles();
  const { createTransport } = await loadNodemailer();
  const composer = createTransport({ streamTransport: true, buffer: true, newline: "unix" });
  try {
    const { message } = await composer.sendMail(messageOf(mail));
    await files.makeFolder(outbox, 0o700);
    await files.writeText(join(outbox, `${mail.id}.eml`), String(message), 0o600);
  } catch (error) {
    throw new MailError("the outbox cannot be written", false, { cause: error });
  }
}

type SocketCallback = (error: Error | null, made?: { connection: net.Socket; secured: boolean }) => void;

/** Connects, starts TLS and logs in, as if to send an email. Throws a {@link MailError}. */
export const tryMailServer = (
  server: NonNullable<MailSettings["smtp"]>,
  signal: AbortSignal,
): Promise<void> =>
  // Without forced authentication, a server that does not support it would pass.
  withServer(server, signal, { forceAuth: server.credentials !== null }, async (transport) => {
    await transport.verify();
  });

async function withServer(
  server: NonNullable<MailSettings["smtp"]>,
  signal: AbortSignal,
  options: { forceAuth?: boolean },
  work: (transport: Transporter) => Promise<void>,
): Promise<void> {
  const target = { host: server.host, port: server.port };
  const trust = {
    servername: net.isIP(server.host) === 0 ? server.host : "",
    ...certificates(server.caFile),
  };
  const { createTransport } = await loadNodemailer();
  if (signal.aborted) throw new MailError(...IN_TIME, { fault: "silent" });
  let socket: net.Socket | null = null;
  const transport = createTransport({
    ...target,
    ...options,
    secure: server.isTls,
    requireTLS: server.requireTls && !server.isTls,
    greetingTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    tls: trust,
    ...(server.credentials === null
      ? {}
      : { auth: { user: server.credentials.user, pass: server.credentials.password } }),
    // The socket is created here so that the signal can end it, and so that implicit TLS works on every Deno version.
    getSocket(_: unknown, callback: SocketCallback) {
      const made = server.isTls ? tls.connect({ ...target, ...trust }) : net.connect(target);
      socket = made;
      made.setTimeout(SILENCE_MS, () => made.destroy(new Error("ETIMEDOUT")));
      made.once("error", callback);
      made.once(server.isTls ? "secureConnect" : "connect", () => {
        made.off("error", callback);
        made.setTimeout(0);
        callback(null, { connection: made, secured: server.isTls });
      });
    },
  });
  const end = () => void socket?.destroy(new Error("not accepted in time"));
  signal.addEventListener("abort", end, { once: true });
  try {
    await work(transport);
  } catch (error) {
    if (signal.aborted) throw new MailError(...IN_TIME, { cause: error, fault: "silent" });
    throw toMailError(error);
  } finally {
    signal.removeEventListener("abort", end);
    transport.close();
  }
}

function messageOf(mail: OutgoingMail): Record<string, unknown> {
  const domain = mail.from.address.split("@").at(-1);
  return {
    messageId: `<${mail.id}@${domain}>`,
    from: mail.from,
    to: { name: "", address: mail.to },
    replyTo: { name: "", address: mail.replyTo },
    envelope: { from: mail.from.address, to: [mail.to] },
    subject: mail.subject,
    text: inLines(mail.text),
    html: inLines(mail.html),
    textEncoding: "quoted-printable",
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Converts line breaks to CRLF, because otherwise the encoder also breaks short lines. */
function inLines(text: string): string {
  return text.replaceAll(/\r?\n/g, "\r\n");
}

function certificates(caFile: string | null): { ca?: string[] } {
  return caFile === null ? {} : { ca: [readFileSync(caFile, "utf8")] };
}

/** The reasons for nodemailer's errors. The server's messages are not used, as they may contain the email address. */
const REASONS: Readonly<Record<string, [reason: string, fault: MailFault]>> = {
  EAUTH: ["the mail server rejects the user name and password", "password"],
  EDNS: ["the mail server's host name was not found", "name"],
  ENOTFOUND: ["the mail server's host name was not found", "name"],
  ETLS: ["the mail server does not offer valid TLS", "tls"],
  ETIMEDOUT: ["the mail server does not respond in time", "silent"],
  ECONNREFUSED: ["the mail server refuses the connection", "refused"],
  EPROTOCOL: ["the mail server does not speak SMTP", "protocol"],
};

/** Response codes for unsupported commands, or for commands that require TLS (RFC 5321, RFC 4954). */
const NO_SIGN_IN = new Set([500, 502, 503, 504, 530, 538]);

function toMailError(error: unknown): MailError {
  const { code = "", responseCode, command = "", message = "" } = error as {
    code?: string;
    responseCode?: number;
    command?: string;
    message?: string;
  };
  const fail = (reason: string, fault: MailFault, isRefused = false) =>
    new MailError(reason, isRefused, { cause: error, fault });
  if (/certificate|self.signed|CERT_/i.test(`${code} ${message}`)) {
    return fail("the mail server's certificate is not valid", "certificate");
  }
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER") {
    return fail("the mail server does not use TLS on this port", "protocol");
  }
  if (/^RCPT/.test(command) && responseCode !== undefined && responseCode >= 500) {
    return fail(`the mail server refuses the email address (${responseCode})`, "answer", true);
  }
  if (code === "EAUTH" && responseCode !== undefined && NO_SIGN_IN.has(responseCode)) {
    return fail(`the mail server does not support authentication (${responseCode})`, "sign-in");
  }
  const known = REASONS[code] ?? REASONS[/ECONNREFUSED|ENOTFOUND|ETIMEDOUT/.exec(message)?.[0] ?? ""];
  if (known !== undefined) return fail(...known);
  if (responseCode !== undefined) {
    const to = /^[A-Z]+/.exec(command)?.[0] ?? "";
    return fail(`the mail server responded with ${responseCode}${to === "" ? "" : ` to ${to}`}`, "answer");
  }
  return fail("the connection to the mail server was lost", "broken");
}
