// The ids in the paths of routes.
import { AppError } from "../../domain/error_codes.ts";
import { isId } from "../../domain/event/ids.ts";

const DETAILS = {
  delivery: "None of your deliveries has this id.",
  event: "No event has this id.",
  subscription: "None of your subscriptions has this id.",
} as const;

type PathNoun = keyof typeof DETAILS;

/** Returns the id in the path. Throws `not_found` if it is malformed, because it is then the id of nothing. */
export function idOf(noun: PathNoun, params: Record<string, string>): string {
  const id = params["id"] ?? "";
  if (!isId(noun, id)) throw notFound(noun);
  return id;
}

export function notFound(noun: PathNoun): AppError {
  return new AppError("not_found", DETAILS[noun]);
}
