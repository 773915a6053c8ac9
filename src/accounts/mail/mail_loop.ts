// The mail loop: claims due emails, creates the keys of welcome emails, sends the emails and records the outcomes.
import type { TierTable } from "../../domain/ports/store/customers.ts";
import { failureLevel } from "../../domain/ports/store/storage_fault.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { limitsOf } from "../../domain/customer/customer.ts";
import {
  type ClaimedMail,
  CUSTOMER_DISABLED,
  MAIL_LEASE_MS,
  type Mailbox,
  type MailOutcome,
} from "../../domain/customer/mail.ts";
import {
  type Clock,
  DeadlineError,
  type Log,
  type Mailer,
  MailError,
  type Random,
} from "../../domain/ports/ports.ts";
import { NO_TRACER, type Tracer } from "../../domain/ports/tracer.ts";
import { SIGN_IN_LINK_MS } from "../../domain/customer/session.ts";
import { makeKey } from "../keys.ts";
import { makeLink } from "../sign_in.ts";
import { type MailFacts, renderMail } from "./render_mail.ts";

const ATTEMPT_MS = 60_000;
/** Maximum number of emails claimed and sent concurrently. */
const BATCH = 4;
const POLL_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Delays in ms after each failed attempt, about three days in total. */
const DELAYS_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const JITTER = 0.1;

interface MailLoopOptions {
  store: Pick<Store, "claimMails" | "storeWelcomeKey" | "addSignInLink" | "finishMail">;
  clock: Clock;
  random: Random;
  mailer: Mailer;
  log: Log;
  tracer?: Tracer;
  tiers: TierTable;
  from: Mailbox;
  support: string;
  publicUrl: string;
}

export interface MailLoop {
  tick(): Promise<void>;
  run(signal: AbortSignal): Promise<void>;
}

/** Creates the loop, which sends nothing until {@link MailLoop.tick} or {@link MailLoop.run} is called. */
export function createMailLoop(options: MailLoopOptions): MailLoop {
  const { store, clock, log } = options;
  const tick = async () => {
    while (true) {
      const mails = await store.claimMails({ nowMs: clock.nowMs(), leaseMs: MAIL_LEASE_MS, limit: BATCH });
      if (mails.length === 0) return;
      await Promise.all(mails.map((mail) => sendMail(mail, options)));
    }
  };
  return {
    tick,
    async run(signal) {
      while (!signal.aborted) {
        try {
          await tick();
        } catch (error) {
          log[failureLevel(error)]("sending mails failed", { cause: describe(error) });
        }
        await clock.sleep(POLL_MS, signal);
      }
    },
  };
}

async function sendMail(mail: ClaimedMail, options: MailLoopOptions): Promise<void> {
  const { store, clock, log, tracer = NO_TRACER } = options;
  const { id, kind, attempt, customer } = mail;
  const outcome = await tracer.act("send mail", { mail: id, kind, attempt }, async (span) => {
    const result = await attemptMail(mail, options);
    if (result !== null && result.kind !== "sent") span.fail(result.problem);
    return result;
  });
  if (outcome === null) return;
  await store.finishMail(id, attempt, outcome, clock.nowMs());
  const fields = { mail: id, kind, customer: customer.id, attempt };
  if (outcome.kind === "sent") {
    log.info(options.mailer.isOutbox ? "mail written to the outbox" : "mail sent", fields);
  } else if (outcome.kind === "retry") {
    log.warn("mail not sent, will retry", { ...fields, problem: outcome.problem });
  } else log.error("mail not sent, giving up", { ...fields, problem: outcome.problem });
}

/** Makes one attempt to send an email. Returns its outcome, or null if the email need not be sent any more. */
async function attemptMail(mail: ClaimedMail, options: MailLoopOptions): Promise<MailOutcome | null> {
  const { store, clock, random, mailer, from, support, publicUrl, tiers } = options;
  const { customer } = mail;
  if (customer.email === "") {
    // A failed welcome email is sent once an email address is set. Other emails would be outdated by then.
    return {
      kind: mail.kind === "welcome" ? "failed" : "cancelled",
      problem: "the customer has no email address",
    };
  }
  if (mail.kind === "welcome" && !customer.enabled) {
    const outcome = retryLater(mail, CUSTOMER_DISABLED, options);
    // Giving up is not a failure, because the email is sent when the customer is enabled again.
    return outcome.kind === "failed" ? { ...outcome, kind: "cancelled" } : outcome;
  }
  let key: string | null = null;
  if (mail.kind === "welcome") {
    // The key is stored before the email is sent, so that it works as soon as the email is read.
    const made = makeKey((count) => random.bytes(count), clock.nowMs());
    if (!await store.storeWelcomeKey(mail.id, mail.attempt, made.stored)) return null;
    key = made.key;
  }
  let link: MailFacts["link"] = null;
  if (mail.kind === "sign-in") {
    const nowMs = clock.nowMs();
    const { requestedAtMs, returnTo } = mail.data;
    if (nowMs - requestedAtMs >= SIGN_IN_LINK_MS) {
      return { kind: "cancelled", problem: "it could not be sent in time" };
    }
    const viewer = { kind: "customer", customerId: customer.id } as const;
    const made = makeLink(viewer, { random, nowMs, publicUrl, returnTo });
    if (!await store.addSignInLink(made.stored, null)) {
      return { kind: "cancelled", problem: CUSTOMER_DISABLED };
    }
    link = { url: made.url, expiresAtMs: nowMs + SIGN_IN_LINK_MS };
  }
  const limits = limitsOf(customer, tiers);
  const rendered = renderMail(mail, { key, link, publicUrl, support, limits });
  try {
    // A repeated welcome email has a new key, so mail programs must not treat it as a duplicate.
    const messageId = mail.kind === "welcome" ? `${mail.id}.${mail.attempt}` : mail.id;
    const outgoing = { id: messageId, from, to: customer.email, replyTo: support, ...rendered };
    await clock.within(ATTEMPT_MS, (signal) => mailer.send(outgoing, signal));
    return { kind: "sent" };
  } catch (error) {
    if (error instanceof MailError && error.isRefused) return { kind: "failed", problem: error.reason };
    if (error instanceof MailError) return retryLater(mail, error.reason, options);
    if (error instanceof DeadlineError) {
      return retryLater(mail, "the mail server did not respond in time", options);
    }
    throw error;
  }
}

function retryLater(
  { tries }: ClaimedMail,
  problem: string,
  { clock, random }: MailLoopOptions,
): MailOutcome {
  const atMs = nextMailAttempt(tries, clock.nowMs(), random.fraction());
  return atMs === null ? { kind: "failed", problem } : { kind: "retry", atMs, problem };
}

/** Returns when to try again after `attempt` (from 1), in Unix ms; null after the last one. `fraction` is in [0, 1). */
export function nextMailAttempt(attempt: number, nowMs: number, fraction: number): number | null {
  const delay = DELAYS_MS[attempt - 1];
  return delay === undefined ? null : nowMs + Math.round(delay * (1 - JITTER + 2 * JITTER * fraction));
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
