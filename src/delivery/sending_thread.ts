// What a thread that sends webhooks does: each attempt that it is given, from the guard to the verdict.
import type { AttemptResult } from "../domain/delivery.ts";
import type { AfterTurn, Clock, HttpClient, Resolver } from "../domain/ports.ts";
import { Stopper } from "../domain/stop.ts";
import { whereOf } from "./attempt_names.ts";
import { createAddressPolicy, type PolicySettings } from "./guard.ts";
import { type Message, sendAttempt, type Sending } from "./send.ts";

/** How a thread is to send. */
export interface SendingSettings extends Pick<Sending, "timeoutMs" | "userAgent"> {
  policy: PolicySettings;
}

/** An attempt on its way to the thread, under a number of its own: a row takes less room and time than an object. */
export type Posted = readonly [
  number: number,
  id: Message["id"],
  webhookUrl: Message["webhookUrl"],
  webhookSecrets: Message["webhookSecrets"],
  body: Message["body"],
];

/** What came of an attempt, in a row: of one that broke off where the error arose. */
export type Outcome =
  | readonly [
    number: number,
    startedAtMs: AttemptResult["startedAtMs"],
    durationMs: AttemptResult["durationMs"],
    statusCode: AttemptResult["statusCode"],
    problem: AttemptResult["problem"],
    retryAtMs: AttemptResult["retryAtMs"],
    answer: AttemptResult["answer"],
  ]
  | readonly [number: number, brokeOff: string];

/** What the thread is told: first how to send, then again and again what. */
export type Told = { kind: "begin"; settings: SendingSettings } | { kind: "send"; posted: Posted[] };

/** What it says: once that it is ready, then what came of attempts. */
export type Said = { kind: "ready" } | { kind: "done"; outcomes: Outcome[] };

/** The world of the thread. */
export interface ThreadWorld {
  http: HttpClient;
  resolver: Resolver;
  clock: Clock;
  afterTurn: AfterTurn;
  /** Loads what requests need. */
  prepare(): Promise<void>;
}

/** The thread's part: gives what hears the messages of the first thread. Outcomes of one turn go back together. */
export function createSendingThread(
  { prepare, afterTurn, ...world }: ThreadWorld,
  tell: (said: Said) => void,
): (told: unknown) => void {
  const onwards = new Stopper(); // nothing here is stopped but with the whole thread
  let sending: Sending | null = null;
  let outcomes: Outcome[] = [];

  function say(outcome: Outcome): void {
    outcomes.push(outcome);
    if (outcomes.length > 1) return;
    afterTurn(() => {
      tell({ kind: "done", outcomes });
      outcomes = [];
    });
  }

  async function attempt(
    [number, id, webhookUrl, webhookSecrets, body]: Posted,
    how: Sending,
  ): Promise<void> {
    try {
      const result = await sendAttempt({ id, webhookUrl, webhookSecrets, body }, how, onwards);
      const { startedAtMs, durationMs, statusCode, problem, retryAtMs, answer } = result;
      say([number, startedAtMs, durationMs, statusCode, problem, retryAtMs, answer]);
    } catch (error) {
      say([number, whereOf(error)]);
    }
  }

  async function begin({ policy, timeoutMs, userAgent }: SendingSettings): Promise<void> {
    await prepare();
    sending = { ...world, policy: createAddressPolicy(policy), timeoutMs, userAgent };
    tell({ kind: "ready" });
  }

  return (message) => {
    const told = message as Told;
    if (told.kind === "begin") return void begin(told.settings);
    if (sending === null) throw new Error("a thread that is not ready was given attempts");
    for (const posted of told.posted) attempt(posted, sending);
  };
}
