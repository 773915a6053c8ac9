// Secrets, which the config gives inline, as a file or as an environment variable.
import { resolve } from "node:path";
import { trimEndOf } from "../domain/trim_end.ts";
import { readPath, readVariable } from "./parse_values.ts";

/** Where secrets come from. */
export interface SecretReader {
  /** The text of a file; rejects if it cannot be read. */
  file(path: string): Promise<string>;
  /** The value of an environment variable. */
  env(name: string): string | undefined;
}

/** A file that contains a secret. */
export interface SecretFile {
  /** The key that names it: `sources[2].authorization_file`. */
  key: string;
  /** Absolute. */
  path: string;
}

/** The result of reading a secret. */
export type SecretReading =
  /** Not set. */
  | { kind: "none" }
  /** `key` is the key that sets it; `path` is the absolute path of its file, if any. */
  | { kind: "secret"; key: string; value: string; path?: string }
  /** What is wrong with `key`, and what to do. */
  | { kind: "problem"; key: string; message: string };

/**
 * The secret NAME of a table: one of `NAME = "…"`, `NAME_file = "…"` (relative to the folder; trailing line ends are
 * removed) and `NAME_env = "…"`. Messages never contain the secret. A value that the schema rejects counts as not set.
 */
export async function readSecret(
  table: Record<string, unknown>,
  name: string,
  source: { reader: SecretReader; folder: string },
): Promise<SecretReading> {
  const forms = [name, `${name}_file`, `${name}_env`].filter((key) => table[key] !== undefined);
  const [key, second] = forms;
  if (key === undefined) return { kind: "none" };
  if (second !== undefined) {
    const others = forms.filter((form) => form !== second).join(" and ");
    const message = `cannot be combined with ${others}: keep only one`;
    return { kind: "problem", key: second, message };
  }
  const given = table[key];
  if (typeof given !== "string") return { kind: "none" };
  if (key === `${name}_env`) return readVariableSecret(key, given, source.reader);
  if (key === `${name}_file`) return await readFileSecret(key, given, source);
  if (given.trim() !== "") return { kind: "secret", key, value: given };
  return { kind: "problem", key, message: "is empty: set the secret or remove the key" };
}

function readVariableSecret(key: string, variable: string, reader: SecretReader): SecretReading {
  if (!("value" in readVariable(variable))) return { kind: "none" };
  const value = reader.env(variable);
  if (value !== undefined && value.trim() !== "") return { kind: "secret", key, value };
  const state = value === undefined ? "not set" : "empty";
  const message = `refers to the environment variable ${variable}, which is ${state}`;
  return { kind: "problem", key, message };
}

async function readFileSecret(
  key: string,
  given: string,
  source: { reader: SecretReader; folder: string },
): Promise<SecretReading> {
  if (!("value" in readPath(given))) return { kind: "none" };
  const path = resolve(source.folder, given);
  try {
    const value = trimEndOf(await source.reader.file(path), "\r\n");
    if (value.trim() !== "") return { kind: "secret", key, value, path };
    return {
      kind: "problem",
      key,
      message: `refers to the file ${path}, which is empty`,
    };
  } catch (error) {
    return { kind: "problem", key, message: `refers to the file ${path}, which ${whyUnreadable(error)}` };
  }
}

/** Deno's errors have a name, Node's a code. */
function whyUnreadable(error: unknown): string {
  const { name, code } = error as { name?: unknown; code?: unknown };
  if (name === "NotFound" || code === "ENOENT") return "does not exist: create it or correct the path";
  if (name === "PermissionDenied" || code === "EACCES") {
    return "the service's user is not allowed to read: change its owner or mode";
  }
  if (name === "IsADirectory" || code === "EISDIR") return "is a folder: set the path of a file";
  return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}
