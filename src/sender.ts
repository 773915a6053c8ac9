// The program of the thread that sends webhooks while there are many.
import { createSendingThread } from "./delivery/sending_thread.ts";
import { afterTurn, createClock } from "./platform/clock.ts";
import { createHttpClient } from "./platform/http.ts";
import { createResolver } from "./platform/resolver.ts";
import { hearMessages } from "./platform/thread_program.ts";

const http = createHttpClient();
const prepare = () => http.prepare();
const world = { http, resolver: createResolver(), clock: createClock(), afterTurn, prepare };
hearMessages((tell) => createSendingThread(world, tell));
