// Errors in fields that schemas cannot detect: unknown topics, sources, articles and languages, and invalid searches.
import type { FieldError } from "../../domain/error_codes.ts";
import { articleProblem } from "../../domain/event/article.ts";
import { parseSearch } from "../../domain/event/search.ts";
import { findNearest } from "../../domain/did_you_mean.ts";
import { LANGUAGE_CODES } from "../../domain/event/language_codes.ts";
import { quoteSent } from "../../http/invalid_fields.ts";

/** Maximum number of unknown values of a list for which one is suggested, because the search takes time. */
const MAX_SUGGESTIONS = 10;

interface Identified {
  id: string;
}

/** Returns an error for each id, none of which is known. */
function unknownIds(
  field: string,
  ids: readonly string[],
  { noun, known, hint }: { noun: string; known: readonly Identified[]; hint: string },
): FieldError[] {
  const names = known.map(({ id }) => id);
  return ids.map((id, at) => {
    const nearest = at < MAX_SUGGESTIONS ? findNearest(id, names) : null;
    const meant = nearest === null ? "" : `did you mean ${JSON.stringify(nearest)}? `;
    return { field, message: `${quoteSent(id)} is not a ${noun}; ${meant}${hint}` };
  });
}

export function unknownTopics(
  field: string,
  ids: readonly string[],
  topics: readonly Identified[],
  hint = "GET /v1/topics lists all topics",
): FieldError[] {
  const known = new Set(topics.map((topic) => topic.id));
  return unknownIds(field, ids.filter((id) => !known.has(id)), { noun: "topic", known: topics, hint });
}

/** What the ids of sources are compared with. */
export interface KnownSources {
  /** The configured sources, of which one is suggested for an unknown id. */
  sources: readonly Identified[];
  /** Whether a source with this id is or has been configured. */
  isSource(id: string): Promise<boolean>;
}

export async function unknownSources(
  field: string,
  ids: readonly string[],
  { sources, isSource }: KnownSources,
  hint = "GET /v1/sources lists the sources",
): Promise<FieldError[]> {
  const unknown: string[] = [];
  for (const id of ids) if (!await isSource(id)) unknown.push(id);
  return unknownIds(field, unknown, { noun: "source", known: sources, hint });
}

export function unknownArticles(field: string, texts: readonly string[]): FieldError[] {
  return texts.flatMap((text) => {
    const problem = articleProblem(text);
    return problem === null ? [] : [{ field, message: `${quoteSent(text)} ${problem}` }];
  });
}

export function unknownLanguages(field: string, codes: readonly string[]): FieldError[] {
  return codes.filter((code) => !LANGUAGE_CODES.has(code)).map((code) => ({
    field,
    message: `${quoteSent(code)} is not an ISO 639-1 code in lower case, such as en`,
  }));
}

export function searchProblems(field: string, text: string | null | undefined): FieldError[] {
  const search = text === null || text === undefined ? null : parseSearch(text);
  return search !== null && "problem" in search ? [{ field, message: search.problem }] : [];
}
