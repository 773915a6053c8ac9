// The memory and time limits of the parse worker.
import assert from "node:assert/strict";
import { createParseWorker } from "../../src/platform/platform.ts";
import type { ThreadOptions } from "../../src/platform/process/worker_thread.ts";

Deno.test("createParseWorker() limits memory, and the time of a document while others wait", () => {
  const { options } = createParseWorker() as unknown as { options: ThreadOptions };
  assert.deepEqual(options, { maxHeapMb: 512, firstTryMs: 2_000 });
});
