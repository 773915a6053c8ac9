// Runs the parse worker's tasks on the test's thread.
import { createClassifier } from "../../../src/classify/classify.ts";
import type { WorkerThread } from "../../../src/domain/ports/ports.ts";
import { parseWorkerTasks } from "../../../src/ingest/parse/parse_worker_tasks.ts";

const TASKS = parseWorkerTasks(createClassifier);

/** A worker without limits. Arguments and results are copied, as between threads. */
export const IN_PROCESS_WORKER: WorkerThread = {
  async call(task, argument, { signal } = {}) {
    signal?.throwIfAborted();
    return structuredClone(await TASKS[task]?.(structuredClone(argument)));
  },
};
