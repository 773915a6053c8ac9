// Errors in the fields of a request.
import { AppError, type ErrorCode, type FieldError } from "../../domain/error_codes.ts";
import { articleProblem } from "../../domain/event/article.ts";
import { parseSearch } from "../../domain/event/search.ts";
import type { Topic } from "../../domain/event/topic.ts";

/** Maximum number of errors in a response, because a small request must not cause a large response. */
const MAX_ERRORS = 50;
const MAX_FIELD_LENGTH = 100;

/** An invalid field, and the error code to use if all findings have the same one. */
export interface Finding extends FieldError {
  code?: ErrorCode;
}

export function invalid(found: readonly Finding[]): AppError {
  const codes = new Set(found.map(({ code = "invalid_input" }) => code));
  const [only = "invalid_input"] = codes;
  const clipped = found.map(({ field, message }) => ({ field: clipField(field), message }));
  const all = [...new Map(clipped.map((error) => [`${error.field} ${error.message}`, error])).values()];
  const errors = all.slice(0, MAX_ERRORS);
  const more = all.length > MAX_ERRORS ? [`and ${all.length - MAX_ERRORS} more`] : [];
  const named = [...errors.map(({ field, message }) => `${field}: ${message}`), ...more].join("; ");
  return new AppError(codes.size === 1 ? only : "invalid_input", named, errors);
}

/** Shortens a field's name for a response, because a name sent by a client may be as long as a body. */
export function clipField(field: string): string {
  return field.length <= MAX_FIELD_LENGTH ? field : `${field.slice(0, MAX_FIELD_LENGTH)}…`;
}

export function unknownTopics(
  field: string,
  ids: readonly string[],
  topics: readonly Topic[],
  hint = "GET /v1/topics lists all topics",
): FieldError[] {
  const known = new Set(topics.map((topic) => topic.id));
  return ids.filter((id) => !known.has(id)).map((id) => ({
    field,
    message: `${JSON.stringify(id)} is not a topic; ${hint}`,
  }));
}

export async function unknownSources(
  field: string,
  ids: readonly string[],
  isSource: (id: string) => Promise<boolean>,
  hint = "GET /v1/sources lists the sources",
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  for (const id of ids) {
    if (await isSource(id)) continue;
    errors.push({
      field,
      message: `${JSON.stringify(id)} is not a source; ${hint}`,
    });
  }
  return errors;
}

export function unknownArticles(field: string, texts: readonly string[]): FieldError[] {
  return texts.flatMap((text) => {
    const problem = articleProblem(text);
    return problem === null ? [] : [{ field, message: `${JSON.stringify(text)} ${problem}` }];
  });
}

export function unknownLanguages(field: string, codes: readonly string[]): FieldError[] {
  return codes.filter((code) => !/^[a-z]{2,3}$/.test(code)).map((code) => ({
    field,
    message: `${JSON.stringify(code)} is not an ISO 639-1 code in lower case, such as en`,
  }));
}

export function searchProblems(field: string, text: string | null | undefined): FieldError[] {
  const search = text === null || text === undefined ? null : parseSearch(text);
  return search !== null && "problem" in search ? [{ field, message: search.problem }] : [];
}
