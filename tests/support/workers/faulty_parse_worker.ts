// A parse worker that fails in the way requested by the first bytes of a document.
import process from "node:process";
import { createClassifier } from "../../../src/classify/classify.ts";
import { parseWorkerTasks } from "../../../src/ingest/parse/parse_worker_tasks.ts";
import { serveTasks } from "../../../src/platform/process/worker_thread.ts";

const tasks = parseWorkerTasks(createClassifier);

serveTasks({
  ...tasks,
  parse(request) {
    const { buffer } = request as { buffer: ArrayBuffer };
    const fault = /<!-- ([a-z]+) -->/.exec(new TextDecoder().decode(buffer.slice(0, 100)))?.[1];
    if (fault === "loop") { for (;;); }
    if (fault === "memory") {
      for (const eaten: number[][] = [];;) eaten.push(new Array(1_000).fill(Math.random()));
    }
    if (fault === "throw") throw new TypeError("a bug in the parser");
    if (fault === "exit") process.exit(1);
    return tasks["parse"]?.(request);
  },
});
