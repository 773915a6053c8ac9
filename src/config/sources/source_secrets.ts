// The secrets of sources, which are sent as request headers.
import type { KeyPath } from "../toml/key_lines.ts";
import { formatKey, type KeyProblem } from "../toml/problems.ts";
import { readSecret, type SecretFile, type SecretReader } from "../secrets.ts";
import { tablesOf } from "../toml/raw_document.ts";
import { headerNameProblem } from "./strategy_schema.ts";

const HEADER_VALUE = /^[!-~]([ !-~]*[!-~])?$/;
const NOT_A_HEADER =
  "is not a valid header value: use one line of ASCII characters, such as Bearer and a token";

/** The secrets of the sources. */
export interface SourceSecrets {
  /** By the source's index. */
  authorizations: Map<number, string>;
  /** By the source's index, then by lower-case name. */
  headers: Map<number, Record<string, string>>;
  files: SecretFile[];
  /** The keys whose secrets are in the config file itself. */
  inline: string[];
  problems: KeyProblem[];
}

/** Reads the secrets of the sources of a raw document. */
export async function readSourceSecrets(
  document: Record<string, unknown>,
  from: { reader: SecretReader; folder: string },
): Promise<SourceSecrets> {
  const result: SourceSecrets = {
    authorizations: new Map(),
    headers: new Map(),
    files: [],
    inline: [],
    problems: [],
  };
  const read = async (table: Record<string, unknown>, name: string, at: KeyPath): Promise<string | null> => {
    const secret = await readSecret(table, name, from);
    if (secret.kind === "none") return null;
    const path = [...at, secret.key];
    if (secret.kind === "problem") {
      result.problems.push({ path, message: secret.message });
      return null;
    }
    if (secret.path !== undefined) {
      result.files.push({ key: formatKey(path) ?? secret.key, path: secret.path });
    }
    if (secret.key === name) result.inline.push(formatKey(path) ?? name);
    if (HEADER_VALUE.test(secret.value)) return secret.value;
    result.problems.push({ path, message: NOT_A_HEADER });
    return null;
  };
  for (const [index, source] of tablesOf(document, "sources")) {
    const authorization = await read(source, "authorization", ["sources", index]);
    if (authorization !== null) result.authorizations.set(index, authorization);
    const table = source.headers;
    if (typeof table !== "object" || table === null) continue;
    const headers: Record<string, string> = {};
    for (const name of new Set(Object.keys(table).map((key) => key.replace(/_(?:file|env)$/, "")))) {
      const at = ["sources", index, "headers"];
      const problem = headerNameProblem(name);
      if (problem !== null) result.problems.push({ path: [...at, name], message: problem });
      const value = await read(table as Record<string, unknown>, name, at);
      if (value !== null) headers[name.toLowerCase()] = value;
    }
    result.headers.set(index, headers);
  }
  return result;
}
