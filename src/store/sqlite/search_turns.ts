// The turns of searches: each takes a piece of its work in one, and between two of them everybody else has one, too.
import type { AfterOthers } from "../../domain/ports.ts";
import type { Soon } from "../../domain/soon.ts";

/** Searches under way at once: each may note some bytes for every event. */
const MOST_AT_ONCE = 16;

/** Lets searches take turns, whoever asks for them: a short one is not kept waiting until all before it are over. */
export class SearchTurns {
  #underWay = 0;
  /** Searches that wait to begin. */
  readonly #begins: (() => void)[] = [];
  /** Searches that wait for their next turn. */
  readonly #turns: (() => void)[] = [];

  /** Without a way to let others have a turn, each search is done at once. */
  constructor(readonly afterOthers: AfterOthers | null) {}

  /** Does a search, in turns with those that are under way. */
  async take<T>(search: () => Promise<T>): Promise<T> {
    if (this.#underWay < MOST_AT_ONCE) this.#underWay++;
    else await new Promise<void>((begin) => this.#begins.push(begin)); // in the place of one that is over
    try {
      if (this.#turns.length > 0) await this.next();
      return await search();
    } finally {
      const begin = this.#begins.shift();
      if (begin === undefined) this.#underWay--;
      else begin();
    }
  }

  /** Waits for a search's next turn: after everybody else's, and after those of the searches that wait already. */
  next(): Soon<void> {
    const { afterOthers } = this;
    if (afterOthers === null) return;
    return new Promise((go) => {
      if (this.#turns.push(go) === 1) afterOthers(() => this.#give(afterOthers));
    });
  }

  #give(afterOthers: AfterOthers): void {
    this.#turns.shift()?.();
    if (this.#turns.length > 0) afterOthers(() => this.#give(afterOthers));
  }
}
