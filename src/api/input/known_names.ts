// Checks the ids of topics and sources in requests.
import type { FieldError } from "../../domain/error_codes.ts";
import type { Topic } from "../../domain/event/topic.ts";

/** One error per unknown topic. */
export function unknownTopics(
  field: string,
  ids: readonly string[],
  topics: readonly Topic[],
): FieldError[] {
  const known = new Set(topics.map((topic) => topic.id));
  return ids.filter((id) => !known.has(id)).map((id) => ({
    field,
    message: `${JSON.stringify(id)} is not a topic; GET /v1/topics lists them`,
  }));
}

/** One error per unknown source. */
export async function unknownSources(
  field: string,
  ids: readonly string[],
  isSource: (id: string) => Promise<boolean>,
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  for (const id of ids) {
    if (await isSource(id)) continue;
    errors.push({ field, message: `${JSON.stringify(id)} is not a source; GET /v1/sources lists them` });
  }
  return errors;
}
