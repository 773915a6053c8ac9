// Reads secrets, which the config contains inline or takes from a file or an environment variable.
import { resolve } from "node:path";
import { trimEndOf } from "../domain/trim_end.ts";
import { readPath, readVariable } from "./parse_values.ts";
import type { KeyPath } from "./toml/key_lines.ts";
import { nameKey } from "./toml/name_key.ts";
import type { KeyProblem } from "./toml/problems.ts";

export interface SecretReader {
  /** Resolves with the text of a file; rejects if it cannot be read. */
  file(path: string): Promise<string>;
  env(name: string): string | undefined;
}

export interface SecretFile {
  /** The key that contains the path, such as `[[sources]] "eu-edpb-news" authorization_file`. */
  key: string;
  /** The absolute path. */
  path: string;
}

/** A secret and the path of the key that sets it. */
export interface Secret {
  path: KeyPath;
  value: string;
}

/** Reads the secrets of a raw document, and collects their files and the problems found. */
export class Secrets {
  readonly files: SecretFile[] = [];
  /** The keys whose secrets are written in the config file itself. */
  readonly inline: string[] = [];
  readonly problems: KeyProblem[] = [];

  /** Relative paths are resolved against `folder`. The raw `document` names the tables that contain secrets. */
  constructor(
    readonly reader: SecretReader,
    readonly folder: string,
    readonly document: Record<string, unknown>,
  ) {}

  /**
   * Reads the secret `name` of the table at the path `at` from `NAME = "…"`, `NAME_file = "…"` (without trailing line
   * breaks) or `NAME_env = "…"`. Returns null if the secret is missing or invalid, or if the schema rejects its value.
   * Problems never contain the secret.
   */
  async read(table: Record<string, unknown>, name: string, at: KeyPath): Promise<Secret | null> {
    const forms = [name, `${name}_file`, `${name}_env`].filter((key) => table[key] !== undefined);
    const [key, second] = forms;
    if (key === undefined) return null;
    const path = [...at, key];
    if (second !== undefined) {
      const others = forms.filter((form) => form !== second).join(" and ");
      return this.reject([...at, second], `cannot be combined with ${others}: keep only one`);
    }
    const given = table[key];
    if (typeof given !== "string") return null;
    if (key === `${name}_env`) return this.#readVariable(path, given);
    if (key === `${name}_file`) return await this.#readFile(path, given);
    if (given.trim() === "") return this.reject(path, "is empty: set the secret or remove the key");
    if (!isPublicUrl(name, given)) this.inline.push(this.#nameOf(path));
    return { path, value: given };
  }

  reject(path: KeyPath, message: string): null {
    this.problems.push({ path, message });
    return null;
  }

  #nameOf(path: KeyPath): string {
    return nameKey(path, this.document) ?? "";
  }

  #readVariable(path: KeyPath, variable: string): Secret | null {
    if (!("value" in readVariable(variable))) return null;
    const value = this.reader.env(variable);
    if (value !== undefined && value.trim() !== "") return { path, value };
    const state = value === undefined ? "not set" : "empty";
    // A name that is not in capitals may be the secret itself.
    const shown = /[a-z]/.test(variable)
      ? "an environment variable"
      : `the environment variable ${variable},`;
    return this.reject(path, `refers to ${shown} which is ${state}`);
  }

  async #readFile(path: KeyPath, given: string): Promise<Secret | null> {
    if (!("value" in readPath(given))) return null;
    const file = resolve(this.folder, given);
    try {
      const value = trimEndOf(await this.reader.file(file), "\r\n");
      if (value.trim() === "") return this.reject(path, `refers to the file ${file}, which is empty`);
      this.files.push({ key: this.#nameOf(path), path: file });
      return { path, value };
    } catch (error) {
      return this.reject(path, `refers to the file ${file}, which ${whyUnreadable(error)}`);
    }
  }
}

/** Whether the value is a URL without a password, which need not be kept secret. */
function isPublicUrl(name: string, text: string): boolean {
  return name.endsWith("_url") && URL.canParse(text) && new URL(text).password === "";
}

/** Deno's errors have a name; Node's have a code. */
function whyUnreadable(error: unknown): string {
  const { name, code } = error as { name?: unknown; code?: unknown };
  if (name === "NotFound" || code === "ENOENT") return "does not exist: create it or correct the path";
  if (name === "PermissionDenied" || code === "EACCES") {
    return "the service's user is not allowed to read: change its owner or mode";
  }
  if (name === "IsADirectory" || code === "EISDIR") return "is a folder: set the path of a file";
  return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}
