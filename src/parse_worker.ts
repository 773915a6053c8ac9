// The program of the worker that parses documents.
import { createClassifier } from "./classify/classify.ts";
import { parseWorkerTasks } from "./ingest/parse/parse_worker_tasks.ts";
import { serveTasks } from "./platform/process/worker_thread.ts";

serveTasks(parseWorkerTasks(createClassifier));
