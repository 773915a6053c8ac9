// Where a sign-in leads.
import type { Viewer } from "../../domain/customer/session.ts";
import { localPath } from "../session/local_path.ts";

/** The pages of the sign-in itself, to which it must not lead. */
const SIGN_IN = /^\/(?:sign-in|sign-out)(?:[/?#]|$)/;
const OPERATOR = /^\/operator(?:[/?#]|$)/;
const CONSOLE = /^\/console(?:[/?#]|$)/;

/** Returns the local path that was asked for, or an empty text. */
export function askedPath(returnTo: string | null | undefined): string {
  const path = localPath(returnTo, "");
  return SIGN_IN.test(path) ? "" : path;
}

/** Returns where a sign-in leads: to the path that was asked for, if this viewer may see it, otherwise to its first page. */
export function destinationOf({ kind }: Pick<Viewer, "kind">, returnTo: string | null | undefined): string {
  const [first, others] = kind === "operator" ? ["/operator", CONSOLE] : ["/console", OPERATOR];
  const path = askedPath(returnTo);
  return path === "" || others.test(path) ? first : path;
}
