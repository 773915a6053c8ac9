// Secrets: given in place, in a file or in the environment.
import { resolve } from "node:path";
import { trimEndOf } from "../domain/trim.ts";
import { readPath, readVariable } from "./parse_values.ts";

/** Where secrets come from. */
export interface SecretReader {
  /** The text of a file; rejects when it cannot be read. */
  file(path: string): Promise<string>;
  /** The value of an environment variable. */
  env(name: string): string | undefined;
}

/** A file that holds a secret. */
export interface SecretFile {
  /** The key that names it: `sources[2].authorization_file`. */
  key: string;
  /** Absolute. */
  path: string;
}

/** What a table gives for a secret. */
export type SecretReading =
  /** No key gives one. */
  | { kind: "none" }
  /** `key` is the one that gave it; `path` the absolute file it was read from, if it was. */
  | { kind: "secret"; key: string; value: string; path?: string }
  /** What is wrong with `key`, and what to do. */
  | { kind: "problem"; key: string; message: string };

/**
 * The secret NAME of a table: one of `NAME = "…"`, `NAME_file = "…"` (relative to the folder; line ends behind the
 * secret do not count) and `NAME_env = "…"`. Messages never hold the secret. A value that the schema refuses counts
 * as none.
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
    const message = `is one too many beside ${
      forms.filter((form) => form !== second).join(" and ")
    }: keep one of them`;
    return { kind: "problem", key: second, message };
  }
  const given = table[key];
  if (typeof given !== "string") return { kind: "none" };
  if (key === `${name}_env`) return readVariableSecret(key, given, source.reader);
  if (key === `${name}_file`) return await readFileSecret(key, given, source);
  if (given.trim() !== "") return { kind: "secret", key, value: given };
  return { kind: "problem", key, message: "is empty: write the secret or take the key out" };
}

function readVariableSecret(key: string, variable: string, reader: SecretReader): SecretReading {
  if (!("value" in readVariable(variable))) return { kind: "none" };
  const value = reader.env(variable);
  if (value !== undefined && value.trim() !== "") return { kind: "secret", key, value };
  const state = value === undefined ? "not set" : "empty";
  const message = `names the environment variable ${variable}, which is ${state}: give it to the service`;
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
      message: `names the file ${path}, which is empty: write the secret into it`,
    };
  } catch (error) {
    return { kind: "problem", key, message: `names the file ${path}, which ${whyUnreadable(error)}` };
  }
}

/** Deno gives errors a name, node's interfaces a code. */
function whyUnreadable(error: unknown): string {
  const { name, code } = error as { name?: unknown; code?: unknown };
  if (name === "NotFound" || code === "ENOENT") return "does not exist: make it, or correct the path";
  if (name === "PermissionDenied" || code === "EACCES") {
    return "this user may not read: change its owner or mode";
  }
  if (name === "IsADirectory" || code === "EISDIR") return "is a folder: name the file in it";
  return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}
