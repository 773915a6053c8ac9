// What the thread that reads documents does.
import type { Additions } from "../domain/classification.ts";
import type { Classify } from "./classify_request.ts";
import { readParts } from "./contents.ts";
import { packPart, READ, type ReadCall, type SentPart } from "./read_elsewhere.ts";

/** The thread's tasks. A classifier is kept for as long as the additions stay as they are. */
export function readingTasks(
  createClassifier: (additions: Additions) => { classify: Classify },
): Record<string, (argument: unknown) => Generator<SentPart>> {
  let made: { additions: string; classify: Classify } | null = null;
  return {
    *[READ](argument) {
      const { request, additions: given } = argument as ReadCall;
      const additions = JSON.stringify(given);
      if (made?.additions !== additions) made = { additions, ...createClassifier(given) };
      for (const part of readParts(request, made.classify)) yield packPart(part);
    },
  };
}
