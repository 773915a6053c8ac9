// Times one parser with inputs of growing size, on a thread that can be terminated if it hangs.
import process from "node:process";
import { type GrowingCase, inputOf } from "./case.ts";
import { type Slow, slowness } from "./growth.ts";
import { PARSERS } from "./parsers.ts";

/** A message from the thread: the size of each input before it is parsed, and finally the result of the case. */
export type Message = { size: number } | { slow: Slow | null } | { thrown: string };

async function run(given: GrowingCase): Promise<void> {
  const parser = PARSERS.find(({ name }) => name === given.parser);
  if (parser === undefined) throw new Error(`there is no parser ${given.parser}`);
  const send = (message: Message) => self.postMessage(message);
  try {
    // Measures the CPU time, which other programs do not affect, or the elapsed time if that is shorter, because
    // garbage collection in other threads adds to the CPU time.
    const measure = async (size: number): Promise<number> => {
      send({ size });
      const input = inputOf(given, parser.sample, size);
      const startMs = performance.now();
      const start = process.cpuUsage();
      await parser.read(input);
      const { user, system } = process.cpuUsage(start);
      return Math.min((user + system) / 1_000, performance.now() - startMs);
    };
    send({ slow: await slowness(measure, { largest: parser.maxSize, isWhole: given.isWhole }) });
  } catch (error) {
    send({ thrown: error instanceof Error ? error.stack ?? error.message : String(error) });
  }
}

declare const self: Worker;
self.onmessage = ({ data }: MessageEvent<GrowingCase>) => void run(data);
