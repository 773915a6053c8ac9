// What the doctor says of mail: whether the server takes us, without sending anything, or whether the outbox is there.
import type { Config } from "../../config/config.ts";
import { type Clock, DeadlineError, MailError, type MailFault } from "../../domain/ports.ts";
import type { Machine } from "../../platform/machine.ts";
import { judgeFolder } from "./disk.ts";
import { type Finding, good, problem, warning } from "./finding.ts";

/** From the look-up of its name to the end of signing in, ms. */
const SERVER_MS = 10_000;

type SmtpSettings = NonNullable<Config["mail"]["smtp"]>;

/** What the mail server is asked with. */
export interface AskingMail {
  clock: Clock;
  /** Does all that comes before a mail; throws {@link MailError}. */
  tryMailServer(server: SmtpSettings, signal: AbortSignal): Promise<void>;
}

/** What to do about each fault. */
const ADVICE: Readonly<Record<MailFault, string>> = {
  name: "correct the host in mail.smtp_url, or the machine's DNS (/etc/resolv.conf)",
  refused: "correct host and port in mail.smtp_url, or let the firewall between them through",
  silent:
    "correct host and port in mail.smtp_url (smtps:// for port 465, smtp:// for 587 and 25), and look whether " +
    "a firewall keeps mail in: many hosters close port 25",
  protocol: "correct scheme and port in mail.smtp_url: smtps:// for port 465, smtp:// for 587 and 25",
  tls:
    "let the server offer STARTTLS, or write smtps:// if it has a port for that; mail.require_tls = false hands mails " +
    "and their keys over in clear, which only a server on this machine or in a network of your own may get",
  certificate: "name the server as its certificate does, or its authority's certificate in mail.smtp_ca_file",
  "sign-in": "take user and password out of mail.smtp_url, or name the port that takes them (587 or 465)",
  password: "correct user and password in mail.smtp_url; many providers want a password made for programs",
  answer: "look into the mail server's log, or ask who runs it",
  broken: "look into the mail server's log, or ask who runs it",
};

/** Of the outbox, where no mail server is configured. */
export function judgeOutbox(
  { mail, payment }: Pick<Config, "mail" | "payment">,
  machine: Pick<Machine, "rightsOf">,
): Finding[] {
  if (mail.smtp !== null) return [];
  const folder = judgeFolder("mail", mail.outbox, machine);
  if (folder.level !== "good") return [folder];
  const seen = `no mail server: mails are put into ${mail.outbox}`;
  if (payment === null) return [good("mail", seen)];
  return [
    warning(
      "mail",
      `${seen}, and with them the keys of customers who have paid`,
      "name one in mail.smtp_url",
    ),
  ];
}

/** Asks the mail server, where there is one, whether it would take a mail from us. No mail is sent. */
export async function askMailServer(
  { mail: { smtp } }: Pick<Config, "mail">,
  { clock, tryMailServer }: AskingMail,
): Promise<Finding[]> {
  if (smtp === null) return [];
  const name = `${smtp.host}:${smtp.port}`;
  const open = judgeOpenLine(smtp);
  try {
    await clock.within(SERVER_MS, (signal) => tryMailServer(smtp, signal));
    const signedIn = smtp.credentials === null ? "" : " and our user and password";
    return [good("mail", `${name} takes mails${signedIn}; none was sent`), ...open];
  } catch (error) {
    return [judgeFailure(name, error), ...open];
  }
}

function judgeFailure(name: string, error: unknown): Finding {
  if (error instanceof DeadlineError) {
    return problem("mail", `${name}: the mail server does not answer in time`, ADVICE.silent);
  }
  if (!(error instanceof MailError)) throw error;
  return problem("mail", `${name}: ${error.reason}`, ADVICE[error.fault ?? "broken"]);
}

/** Of a password that may travel in clear. */
function judgeOpenLine({ host, isTls, requireTls, credentials }: SmtpSettings): Finding[] {
  if (isTls || requireTls || credentials === null || /^(localhost|127\.|::1$)/.test(host)) return [];
  return [warning(
    "mail",
    `mail.require_tls is off: whoever is between here and ${host} can take TLS away, and read the password and all mails`,
    "set mail.require_tls = true",
  )];
}
