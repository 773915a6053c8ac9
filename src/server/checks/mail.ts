// Checks of mail: whether the mail server accepts emails (none is sent), or whether the outbox is writable.
import type { Config } from "../../config/config.ts";
import { type Clock, DeadlineError, MailError, type MailFault } from "../../domain/ports/ports.ts";
import { tryMailServer } from "../../platform/mail/mailer.ts";
import type { Machine } from "../../platform/files/machine.ts";
import { checkFolder } from "./disk.ts";
import { type Finding, good, problem, warning } from "../../domain/operator/finding.ts";

/** Maximum time to connect and sign in, ms. */
const SERVER_MS = 10_000;

const CORRECT_URL =
  "correct the scheme, host and port in mail.smtp_url (smtps:// for port 465, smtp:// for 587 and 25)";
const SEE_LOG = "see the mail server's log, or ask its operator";

const ADVICE: Readonly<Record<MailFault, string>> = {
  name: `${CORRECT_URL}, or repair the machine's DNS`,
  refused: `${CORRECT_URL}, or open the firewall`,
  silent: `${CORRECT_URL}, or open the firewall: many hosting providers block port 25`,
  protocol: CORRECT_URL,
  tls:
    "enable STARTTLS on the server, or use smtps://; mail.require_tls = false sends emails and keys unencrypted",
  certificate:
    "use the host name in the server's certificate, or set mail.smtp_ca_file to the certificate of its authority",
  "sign-in": "remove the user and password from mail.smtp_url, or use a port that accepts them (587 or 465)",
  password: "correct the user and password in mail.smtp_url; many providers require an app password",
  answer: SEE_LOG,
  broken: SEE_LOG,
};

/** The faults that a machine without a network has. */
const UNREACHED: ReadonlySet<MailFault> = new Set(["name", "refused", "silent"]);

export function checkOutbox(
  { mail, payment }: Pick<Config, "mail" | "payment">,
  machine: Pick<Machine, "rightsOf">,
): Finding[] {
  if (mail.smtp !== null) return [];
  const folder = checkFolder("mail", mail.outbox, machine);
  if (folder.level !== "good") return [folder];
  const seen = `no mail server is set: emails are written to ${mail.outbox}`;
  return [
    payment === null
      ? good("mail", seen)
      : warning("mail", `${seen}, including those with paying customers' keys`, "set mail.smtp_url"),
  ];
}

/** Checks whether the mail server, if any, would accept an email. Sends no email. */
export async function checkMailServer(
  { mail: { smtp } }: Pick<Config, "mail">,
  clock: Clock,
): Promise<Finding[]> {
  if (smtp === null) return [];
  const name = `${smtp.host}:${smtp.port}`;
  try {
    await clock.within(SERVER_MS, (signal) => tryMailServer(smtp, signal));
    const signedIn = smtp.credentials === null ? "" : " and the user and password";
    return [good("mail", `${name} accepts emails${signedIn}; no email was sent`)];
  } catch (error) {
    if (error instanceof DeadlineError) {
      const seen = `${name}: the mail server does not respond in time`;
      return [{ ...problem("mail", seen, ADVICE.silent), symptomOf: "network" }];
    }
    if (!(error instanceof MailError)) throw error;
    const fault = error.fault ?? "broken";
    const found = problem("mail", `${name}: ${error.reason}`, ADVICE[fault]);
    return [UNREACHED.has(fault) ? { ...found, symptomOf: "network" } : found];
  }
}
