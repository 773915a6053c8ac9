// The tasks of the parse worker.
import type { Additions } from "../../domain/event/classification.ts";
import type { Classify } from "../revise/classifier_input.ts";
import { splitContents } from "./split_document.ts";
import { withoutLanguage } from "../identify/language_urls.ts";
import { describeDocument } from "../normalise/describe_document.ts";
import { parseContents } from "./parse_pipeline.ts";
import type { ParseTasks } from "./parse_worker_client.ts";
import { readSitemapPages } from "./sitemap_pages.ts";

/** Returns the tasks by name. The classifier is reused until the additions change. */
export function parseWorkerTasks(
  createClassifier: (additions: Additions) => { classify: Classify },
): Record<string, (argument: unknown) => unknown> {
  let classifier: { additions: string; classify: Classify } | null = null;
  const tasks: { [T in keyof ParseTasks]: (given: ParseTasks[T]["given"]) => ParseTasks[T]["yields"] } = {
    parse({ additions, buffer, ...request }) {
      const name = JSON.stringify(additions);
      if (classifier?.additions !== name) classifier = { additions: name, ...createClassifier(additions) };
      const bytes = new Uint8Array(buffer);
      return splitContents(parseContents({ ...request, bytes }, classifier.classify));
    },
    sitemap({ buffer, ...request }) {
      const { entries, ...rest } = readSitemapPages({ ...request, bytes: new Uint8Array(buffer) });
      return [rest, ...entries];
    },
    bareAddresses: ({ addresses, languages }) => addresses.map((url) => withoutLanguage(url, languages).url),
    describe: ({ buffer, options }) => describeDocument(new Uint8Array(buffer), options),
  };
  return tasks as Record<string, (argument: unknown) => unknown>;
}
