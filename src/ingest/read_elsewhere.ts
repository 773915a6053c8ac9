// Reading a document on another thread: what is asked of it. What is done there lies in reading_tasks.ts, with all it needs.
import type { Additions } from "../domain/classification.ts";
import type { SecondThread } from "../domain/ports.ts";
import type { ContentsPart, ContentsRequest } from "./contents.ts";
import type { ReadElsewhere } from "./read.ts";

/** What the thread is asked: a document, and what the config adds to the rules of its classification. */
export interface ReadCall {
  request: ContentsRequest;
  additions: Additions;
}

/** Its name. */
export const READ = "read";

/** A {@link ContentsPart} as JSON: to write and read it costs less than half of what copying its objects does. */
export type PartText = string;

/** A part as it is sent. */
export function textOfPart(part: ContentsPart): PartText {
  return JSON.stringify(part);
}

/** A part that was sent. */
export function partOfText(text: PartText): ContentsPart {
  return JSON.parse(text);
}

/** Reads documents on the thread, with the rules that are in force. */
export function readOn(thread: SecondThread, additions: Additions): ReadElsewhere {
  return (request, take) => {
    const call: ReadCall = { request, additions };
    return thread.call(READ, call, (part) => take(partOfText(part as PartText)));
  };
}
