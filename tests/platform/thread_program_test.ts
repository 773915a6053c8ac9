// A program on a thread of its own: what both sides hear, and how it ends.
import assert from "node:assert/strict";
import { createThreadProgram } from "../../src/platform/thread_program.ts";

const programOf = (text: string) =>
  createThreadProgram(new URL(`data:application/javascript,${encodeURIComponent(text)}`));

/** Begins a program; `heard` gives what it says and why it broke, in order, one by one. */
function listen(text: string) {
  const said: unknown[] = [];
  let wake = (): void => {};
  const note = (what: unknown): void => {
    said.push(what);
    wake();
  };
  const running = programOf(text).begin({ hear: note, broke: (reason) => note({ broke: reason }) });
  const heard = async (): Promise<unknown> => {
    if (said.length === 0) await new Promise<void>((later) => wake = later);
    return said.shift();
  };
  return { running, heard, said };
}

const ECHO = `onmessage = ({ data }) => {
  if (data === "break") throw new Error("broken on purpose");
  if (data === "hang") { postMessage("hanging"); for (;;); }
  postMessage(data);
};`;

Deno.test("a program hears and says data in order, and is broken by what it does not catch", async () => {
  const { running, heard } = listen(ECHO);
  running.tell({ bytes: new Uint8Array([1, 2]) });
  running.tell("second");
  assert.deepEqual(await heard(), { bytes: new Uint8Array([1, 2]) });
  assert.equal(await heard(), "second");
  running.tell("break");
  const { broke } = await heard() as { broke: string };
  assert.match(broke, /broken on purpose/);
});

Deno.test("a program that is not there, or whose promise is refused, breaks and not the process", async () => {
  for (
    const text of ["import 'data:application/javascript,throw 1'", "Promise.reject(new Error('refused'))"]
  ) {
    const { heard } = listen(text);
    const { broke } = await heard() as { broke: string };
    assert.equal(typeof broke, "string", text);
  }
});

Deno.test("end() ends a program that hangs, and nothing more is heard of it", async () => {
  const { running, heard, said } = listen(ECHO);
  running.tell("hang");
  assert.equal(await heard(), "hanging");
  running.end();
  running.tell("after the end");
  await new Promise((later) => setTimeout(later, 50));
  assert.deepEqual(said, []);
});
