// A program on a thread of its own that is spoken with: both sides say what they have to say when they have it.
import type { RunningThread, ThreadProgram } from "../domain/ports.ts";

/** The program at an address. */
export function createThreadProgram(program: URL): ThreadProgram {
  return {
    begin({ hear, broke }): RunningThread {
      const worker = new Worker(program, { type: "module" });
      let isOver = false;
      const end = () => {
        isOver = true;
        worker.terminate();
      };
      worker.onmessage = ({ data }: MessageEvent<unknown>) => {
        if (!isOver) hear(data);
      };
      worker.onerror = (event) => {
        event.preventDefault(); // or it ends the whole process
        if (isOver) return;
        end();
        broke(event.message);
      };
      return { tell: (message) => worker.postMessage(message), end };
    },
  };
}

/** Makes this thread one that hears messages; `begin` is given the way to answer, and gives what hears. */
export function hearMessages(begin: (tell: (said: unknown) => void) => (message: unknown) => void): void {
  const scope = globalThis as unknown as {
    onmessage: (event: MessageEvent<unknown>) => void;
    postMessage(said: unknown): void;
  };
  const hear = begin((said) => scope.postMessage(said));
  scope.onmessage = ({ data }) => hear(data);
}
