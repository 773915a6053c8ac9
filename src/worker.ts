// The program of the second thread: what of the database's work takes long.
import { answerCalls } from "./platform/thread.ts";
import { inspectDatabase } from "./store/sqlite/inspect.ts";
import { migrateFile } from "./store/sqlite/migrate.ts";

answerCalls({ inspect: inspectDatabase, migrate: migrateFile });
