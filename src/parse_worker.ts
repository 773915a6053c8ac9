// The program of the worker that parses documents.
import { createClassifier } from "./classify/classify.ts";
import { parseWorkerTasks } from "./ingest/parse_worker_tasks.ts";
import { serveTasks } from "./platform/thread.ts";

serveTasks(parseWorkerTasks(createClassifier));
