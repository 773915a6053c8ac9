// Where attempts are made: on this thread, and while there are many on another one, so that this one can answer.
import type { AttemptResult } from "../domain/delivery.ts";
import {
  type Clock,
  DeadlineError,
  type Log,
  type RunningThread,
  type ThreadProgram,
} from "../domain/ports.ts";
import type { Stop } from "../domain/stop.ts";
import { brokenOff } from "./attempt.ts";
import { BrokeOffElsewhere } from "./attempt_names.ts";
import { type Message, sendAttempt, type Sending } from "./send.ts";
import type { Outcome, Posted, Said, SendingSettings, Told } from "./sending_thread.ts";

/** So many attempts within {@link WINDOW_MS} are worth a thread: its start costs what about two thousand of them do. */
const MANY = 250;
const WINDOW_MS = 1_000;
/** A thread ends when there were not many for so long, ms: by then its memory is worth more than its start. */
const IDLE_MS = 30_000;
/** For the start of a thread, ms. */
const START_MS = 30_000;
/** So long after an attempt's own bound the thread must have told what came of it, ms; else it hangs. */
const SILENT_MS = 10_000;
/** After a thread broke all is sent here for so long, ms. */
const REST_MS = 60_000;

/** What a {@link Sender} is made of. */
export interface SenderDeps {
  sending: Sending;
  settings: SendingSettings;
  /** Null where there is one thread only. */
  program: ThreadProgram | null;
  log: Log;
}

/**
 * Makes attempts. What is decided about them, before and after, is decided on the first thread, one by one: the other
 * one is given what starts now, holds nothing back, and keeps nothing of it.
 */
export class Sender {
  readonly #deps: SenderDeps;
  #thread: SendingThread | null = null;
  /** Attempts since the window began. */
  #sent = 0;
  #sinceMs = 0;
  /** When there were many last. */
  #busyAtMs = 0;
  #brokeAtMs = -Infinity;

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  /** Makes an attempt as {@link sendAttempt} does. Rejects also with {@link BrokeOffElsewhere}. */
  send(message: Message, stop: Stop): Promise<AttemptResult> {
    this.#sent++;
    return this.#thread?.isReady === true
      ? this.#thread.send(message, stop)
      : sendAttempt(message, this.#deps.sending, stop);
  }

  /** To be called again and again: begins a thread when there is much to send, and ends it when that is long over. */
  look(): void {
    const { program, sending: { clock } } = this.#deps;
    if (program === null) return;
    const nowMs = clock.nowMs();
    const isMuch = this.#sent >= MANY;
    if (isMuch) this.#busyAtMs = nowMs;
    if (isMuch || Math.abs(nowMs - this.#sinceMs) >= WINDOW_MS) {
      this.#sent = 0;
      this.#sinceMs = nowMs;
    }
    if (this.#thread !== null) {
      this.#thread.look();
      if (Math.abs(nowMs - this.#busyAtMs) >= IDLE_MS) this.end();
    } else if (isMuch && Math.abs(nowMs - this.#brokeAtMs) >= REST_MS) this.#begin(program);
  }

  /** Gives the thread nothing more: it ends when what it has is over. */
  end(): void {
    this.#thread?.leave();
    this.#thread = null;
  }

  #begin(program: ThreadProgram): void {
    const { sending: { clock }, settings, log } = this.#deps;
    const { policy: { allowHttp, allowNetworks, allowPorts, ownUrl }, timeoutMs, userAgent } = settings;
    const policy = { allowHttp, allowNetworks, allowPorts, ...(ownUrl === undefined ? {} : { ownUrl }) };
    const plain = { policy, timeoutMs, userAgent }; // what else stands in the settings given may be no data
    try {
      const thread = new SendingThread(program, { clock, settings: plain }, (cause, attempts) => {
        if (this.#thread === thread) this.#thread = null;
        this.#rest(cause, attempts);
      });
      this.#thread = thread;
      log.debug("much is to be sent: a thread of its own sends it");
    } catch (error) {
      this.#rest(String(error), 0);
    }
  }

  #rest(cause: string, attempts: number): void {
    this.#brokeAtMs = this.#deps.sending.clock.nowMs();
    const text =
      "the thread that sends broke; what it had is sent again, and the first thread sends meanwhile";
    this.#deps.log.error(text, { cause, attempts });
  }
}

/** An attempt that the thread makes. */
interface Elsewhere {
  startedAtMs: number;
  settle(result: AttemptResult): void;
  refuse(reason: unknown): void;
  /** Ends its deadline. */
  end(): void;
}

/** A thread with what it was given. */
class SendingThread {
  readonly #clock: Clock;
  readonly #settings: SendingSettings;
  readonly #broke: (cause: string, attempts: number) => void;
  readonly #thread: RunningThread;
  readonly #begunAtMs: number;
  readonly #underWay = new Map<number, Elsewhere>();
  #posted: Posted[] = [];
  #count = 0;
  #isReady = false;
  #isOver = false;
  #isLeft = false;

  constructor(
    program: ThreadProgram,
    { clock, settings }: { clock: Clock; settings: SendingSettings },
    broke: (cause: string, attempts: number) => void,
  ) {
    this.#clock = clock;
    this.#settings = settings;
    this.#broke = broke;
    this.#begunAtMs = clock.nowMs();
    this.#thread = program.begin({
      hear: (said) => this.#hear(said as Said),
      broke: (reason) => this.#break(reason),
    });
    this.#thread.tell({ kind: "begin", settings } satisfies Told);
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  send({ id, webhookUrl, webhookSecrets, body }: Message, stop: Stop): Promise<AttemptResult> {
    return new Promise((settle, refuse) => {
      stop.throwIfAborted();
      const number = ++this.#count;
      const deadline = this.#clock.deadline(this.#settings.timeoutMs + SILENT_MS, stop);
      deadline.addEventListener("abort", () => {
        if (!stop.aborted) {
          return this.#break(`no word for ${(deadline.reason as DeadlineError).ms / 1_000} s`);
        }
        this.#take(number)?.refuse(stop.reason);
      });
      const end = () => deadline.end();
      this.#underWay.set(number, { startedAtMs: this.#clock.nowMs(), settle, refuse, end });
      this.#posted.push([number, id, webhookUrl, webhookSecrets, body]);
      // What starts together goes together.
      if (this.#posted.length === 1) queueMicrotask(() => this.#post());
    });
  }

  /** Breaks a thread that does not get ready. */
  look(): void {
    if (this.#isReady || Math.abs(this.#clock.nowMs() - this.#begunAtMs) < START_MS) return;
    this.#break(`not ready within ${START_MS / 1_000} s`);
  }

  /** It is given nothing more, and ends when nothing of it is under way. */
  leave(): void {
    this.#isLeft = true;
    if (this.#underWay.size === 0) this.#end();
  }

  #post(): void {
    const posted = this.#posted;
    this.#posted = [];
    if (this.#isOver) return;
    const kept = posted.filter(([number]) => this.#underWay.has(number));
    this.#thread.tell({ kind: "send", posted: kept } satisfies Told);
  }

  #hear(said: Said): void {
    if (said.kind === "ready") this.#isReady = true;
    else for (const outcome of said.outcomes) this.#done(outcome);
  }

  #done([number, ...outcome]: Outcome): void {
    const one = this.#take(number);
    if (one === undefined) return; // nobody waits for it any more
    if (outcome.length === 1) return one.refuse(new BrokeOffElsewhere(outcome[0]));
    const [startedAtMs, durationMs, statusCode, problem, retryAtMs, answer] = outcome;
    one.settle({ startedAtMs, durationMs, statusCode, problem, retryAtMs, answer });
  }

  #take(number: number): Elsewhere | undefined {
    const one = this.#underWay.get(number);
    one?.end();
    this.#underWay.delete(number);
    if (this.#isLeft && this.#underWay.size === 0) this.#end();
    return one;
  }

  #end(): void {
    this.#isOver = true;
    this.#thread.end();
  }

  /** Nobody knows what came of that which it had: it counts as failed, and is made again. */
  #break(cause: string): void {
    if (this.#isOver) return;
    this.#end();
    const lost = [...this.#underWay.values()];
    this.#underWay.clear();
    this.#broke(cause, lost.length);
    for (const { startedAtMs, settle, end } of lost) {
      end();
      settle(brokenOff(startedAtMs, this.#clock.nowMs()));
    }
  }
}
