// Runs cases one at a time on another thread, which is terminated if it hangs.
import { growing, type GrowingCase } from "./case.ts";
import type { Message } from "./worker.ts";
import type { Chance } from "../support/chance.ts";
import type { FuzzedParser } from "./fuzzed_parser.ts";

/** Time after which a case counts as hanging, ms. */
const HANG_MS = 30_000;

export class Fuzzer {
  #worker: Worker | null = null;

  /** Runs a case. Returns the reason if it is a finding, otherwise null. */
  async run(given: GrowingCase): Promise<string | null> {
    const worker = this.#worker ??= new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    let size = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const verdict = await new Promise<string | null>((settle) => {
      timer = setTimeout(() => settle(`hangs with ${size} characters`), HANG_MS);
      worker.onmessage = ({ data }: MessageEvent<Message>) => {
        if ("size" in data) size = data.size;
        else if ("thrown" in data) settle(`throws with ${size} characters: ${data.thrown}`);
        else {
          const { slow } = data;
          settle(
            slow === null
              ? null
              : `takes ${Math.round(slow.ms)} ms with ${slow.size} characters, ${
                slow.quarterMs.toFixed(1)
              } ms with a quarter`,
          );
        }
      };
      worker.onerror = (event) => {
        event.preventDefault();
        settle(`breaks the thread: ${event.message}`);
      };
      worker.postMessage(given);
    });
    clearTimeout(timer);
    if (verdict !== null && !verdict.startsWith("takes")) this.close();
    return verdict;
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }
}

export function randomCase({ name, sample, tokens }: FuzzedParser, chance: Chance): GrowingCase {
  const token = (): string => chance.pick(tokens);
  const maybe = (probability: number): string => chance.happens(probability) ? token() : "";
  return growing({
    parser: name,
    at: offsetIn(sample, chance),
    before: maybe(0.5),
    repeated: token() + maybe(0.4),
    middle: maybe(0.3),
    repeatedAfter: maybe(0.2),
    after: maybe(0.5) + maybe(0.2),
    isNumbered: chance.happens(0.3),
    isWhole: chance.happens(0.1),
  });
}

/** Returns an offset in a string: its start, its end, or next to a non-word character. */
function offsetIn(sample: string, chance: Chance): number {
  const inside = [...sample.matchAll(/[^\w]/g)].map(({ index }) => index + chance.between(0, 1));
  return chance.pick([0, sample.length, chance.pick([0, ...inside]), chance.pick([0, ...inside])]);
}
