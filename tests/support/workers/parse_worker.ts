// The tasks of the parse worker, run on the test's own thread.
import { createClassifier } from "../../../src/classify/classify.ts";
import type { WorkerThread } from "../../../src/domain/ports/ports.ts";
import { parseWorkerTasks } from "../../../src/ingest/parse/parse_worker_tasks.ts";

const TASKS = parseWorkerTasks(createClassifier);

/** A worker without limits. What goes in and out is copied, as it is on its way to another thread. */
export const IN_PROCESS_WORKER: WorkerThread = {
  async call(task, argument, { signal } = {}) {
    signal?.throwIfAborted();
    return structuredClone(await TASKS[task]?.(structuredClone(argument)));
  },
};
