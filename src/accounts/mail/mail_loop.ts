// The mail loop: claims what is due, makes a welcome's key, hands over, records what came of it.
import { loudnessOf } from "../../domain/store_trouble.ts";
import type { AccountStore, TierTable } from "../../domain/account_store.ts";
import { limitsOf } from "../../domain/customer.ts";
import {
  type ClaimedMail,
  CUSTOMER_DISABLED,
  MAIL_LEASE_MS,
  type Mailbox,
  type MailOutcome,
} from "../../domain/mail.ts";
import {
  type Clock,
  DeadlineError,
  type Log,
  type Mailer,
  MailError,
  type Random,
} from "../../domain/ports.ts";
import { NO_TRACER, type Tracer } from "../../domain/tracer.ts";
import { makeKey } from "../keys.ts";
import { writeLetter } from "./render_mail.ts";
import { nextMailAttempt } from "./retry_schedule.ts";

/** How long one attempt may take, ms. */
const ATTEMPT_MS = 60_000;
/** Mails claimed at once, and handed over at the same time. */
const BATCH = 4;
/** How often the loop looks for due mails, ms. */
const LOOK_MS = 1_000;

/** What the loop needs. */
export interface MailingOptions {
  store: Pick<AccountStore, "claimMails" | "storeWelcomeKey" | "finishMail">;
  clock: Clock;
  random: Random;
  mailer: Mailer;
  log: Log;
  tracer?: Tracer;
  tiers: TierTable;
  from: Mailbox;
  /** Where customers write to. */
  support: string;
  /** Where clients reach the service, without a slash at its end. */
  publicUrl: string;
}

/** The loop. */
export interface Mailing {
  /** Hands over everything that is due, once. */
  tick(): Promise<void>;
  run(signal: AbortSignal): Promise<void>;
}

/** Makes the loop; nothing goes out before {@link Mailing.tick} or {@link Mailing.run}. */
export function createMailing(options: MailingOptions): Mailing {
  const { store, clock, log } = options;
  const tick = async () => {
    while (true) {
      const mails = await store.claimMails({ nowMs: clock.nowMs(), leaseMs: MAIL_LEASE_MS, limit: BATCH });
      if (mails.length === 0) return;
      await Promise.all(mails.map((mail) => handOver(mail, options)));
    }
  };
  return {
    tick,
    async run(signal) {
      while (!signal.aborted) {
        try {
          await tick();
        } catch (error) {
          log[loudnessOf(error)]("mails not handed over", { cause: describe(error) });
        }
        await clock.sleep(LOOK_MS, signal);
      }
    },
  };
}

async function handOver(mail: ClaimedMail, options: MailingOptions): Promise<void> {
  const { store, clock, log, tracer = NO_TRACER } = options;
  const { id, kind, attempt, customer } = mail;
  const outcome = await tracer.act("send mail", { mail: id, kind, attempt }, async (span) => {
    const came = await tryOnce(mail, options);
    if (came !== null && came.kind !== "sent") span.fail(came.problem);
    return came;
  });
  if (outcome === null) return;
  await store.finishMail(id, attempt, outcome, clock.nowMs());
  const fields = { mail: id, kind, customer: customer.id, attempt };
  if (outcome.kind === "sent") log.info("mail handed over", fields);
  else if (outcome.kind === "retry") log.warn("mail not taken over", { ...fields, problem: outcome.problem });
  else log.error("mail given up", { ...fields, problem: outcome.problem });
}

/** What came of one attempt; null when it is not wanted any more. */
async function tryOnce(mail: ClaimedMail, options: MailingOptions): Promise<MailOutcome | null> {
  const { store, clock, random, mailer, from, support, publicUrl, tiers } = options;
  const { customer } = mail;
  if (customer.email === "") {
    // A welcome goes when an address is set; of everything else it is too late to tell then.
    return {
      kind: mail.kind === "welcome" ? "failed" : "cancelled",
      problem: "no address is known that mail can go to",
    };
  }
  if (mail.kind === "welcome" && !customer.enabled) {
    const outcome = later(mail, CUSTOMER_DISABLED, options);
    // Nothing is wrong that anybody could mend: who is let in again gets it then.
    return outcome.kind === "failed" ? { ...outcome, kind: "cancelled" } : outcome;
  }
  let key: string | null = null;
  if (mail.kind === "welcome") {
    // Stored before it is handed over: whoever reads the mail can use the key at once, whatever happens here.
    const made = makeKey((count) => random.bytes(count), clock.nowMs());
    if (!await store.storeWelcomeKey(mail.id, mail.attempt, made.stored)) return null;
    key = made.key;
  }
  const letter = writeLetter(mail, { key, publicUrl, support, limits: limitsOf(customer, tiers) });
  try {
    // A welcome that is repeated holds another key: a mail program must not take it for a copy of the first.
    const messageId = mail.kind === "welcome" ? `${mail.id}.${mail.attempt}` : mail.id;
    const outgoing = { id: messageId, from, to: customer.email, replyTo: support, ...letter };
    await clock.within(ATTEMPT_MS, (signal) => mailer.send(outgoing, signal));
    return { kind: "sent" };
  } catch (error) {
    if (error instanceof MailError && error.isRefused) return { kind: "failed", problem: error.reason };
    if (error instanceof MailError) return later(mail, error.reason, options);
    if (error instanceof DeadlineError) {
      return later(mail, "the mail server does not answer in time", options);
    }
    throw error;
  }
}

function later({ tries }: ClaimedMail, problem: string, { clock, random }: MailingOptions): MailOutcome {
  const atMs = nextMailAttempt(tries, clock.nowMs(), random.fraction());
  return atMs === null ? { kind: "failed", problem } : { kind: "retry", atMs, problem };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
