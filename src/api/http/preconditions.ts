// Refuses conditional writes (`If-Match`).
import { AppError } from "../../domain/error_codes.ts";

/**
 * Refuses what is to act only while an entity tag names what is there (`If-Match`: RFC 9110, 13.1.1). What can be
 * changed here has no strong tag, so that none names it, and to act in spite of a condition would be worse than to
 * refuse. `*` asks for no more than that it is there, which every route sees by itself. Throws `precondition_failed`.
 */
export function refuseTags(ifMatch: string | null): void {
  if (ifMatch === null || ifMatch.trim() === "*") return;
  throw new AppError(
    "precondition_failed",
    "Mutable resources have only weak ETags, so If-Match cannot match, and nothing was changed. Send the " +
      "request without it: PATCH updates only the fields you send.",
  );
}
