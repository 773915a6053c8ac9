// The program of the thread that reads long documents.
import { createClassifier } from "./classify/classify.ts";
import { readingTasks } from "./ingest/reading_tasks.ts";
import { answerCalls } from "./platform/thread.ts";

answerCalls(readingTasks(createClassifier));
