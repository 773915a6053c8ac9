// Both ends of reading a document on another thread: what is sent, and what it is answered with.
import type { Additions } from "../domain/classification.ts";
import type { SecondThread } from "../domain/ports.ts";
import type { Classify } from "./classify_request.ts";
import { type ContentsPart, type ContentsRequest, readParts } from "./contents.ts";
import type { ReadElsewhere } from "./read.ts";

/** What the thread is asked: a document, and what the config adds to the rules of its classification. */
interface ReadCall {
  request: ContentsRequest;
  additions: Additions;
}

const TASK = "read";

/** Reads documents on the thread, with the rules that are in force. */
export function readOn(thread: SecondThread, additions: Additions): ReadElsewhere {
  return (request, take) => {
    const call: ReadCall = { request, additions };
    return thread.call(TASK, call, (part) => take(part as ContentsPart));
  };
}

/** The thread's tasks. A classifier is kept for as long as the additions stay as they are. */
export function readingTasks(
  createClassifier: (additions: Additions) => { classify: Classify },
): Record<string, (argument: unknown) => Generator<ContentsPart>> {
  let made: { additions: string; classify: Classify } | null = null;
  return {
    [TASK](argument) {
      const { request, additions: given } = argument as ReadCall;
      const additions = JSON.stringify(given);
      if (made?.additions !== additions) made = { additions, ...createClassifier(given) };
      return readParts(request, made.classify);
    },
  };
}
