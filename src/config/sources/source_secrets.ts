// Reads the secrets of sources, which are sent as request headers.
import type { Secret, Secrets } from "../secrets.ts";
import { isTable, tablesOf } from "../toml/raw_document.ts";
import { headerNameProblem } from "./strategy_schema.ts";

const HEADER_VALUE = /^[!-~]([ !-~]*[!-~])?$/;
const NOT_A_HEADER =
  "is not a valid header value: use one line of ASCII characters, such as Bearer and a token";

export interface SourceSecrets {
  authorization?: string;
  /** The values by lower-case name. */
  headers?: Record<string, string>;
}

/** Reads the secrets of the sources in a raw document; returns them by the source's index. */
export async function readSourceSecrets(
  document: Record<string, unknown>,
  secrets: Secrets,
): Promise<Map<number, SourceSecrets>> {
  const valueOf = (secret: Secret | null): string | null => {
    if (secret === null || HEADER_VALUE.test(secret.value)) return secret?.value ?? null;
    return secrets.reject(secret.path, NOT_A_HEADER);
  };
  const found = new Map<number, SourceSecrets>();
  for (const [index, source] of tablesOf(document, "sources")) {
    const ofSource: SourceSecrets = {};
    found.set(index, ofSource);
    const authorization = valueOf(await secrets.read(source, "authorization", ["sources", index]));
    if (authorization !== null) ofSource.authorization = authorization;
    const table = source.headers;
    if (!isTable(table)) continue;
    ofSource.headers = {};
    for (const name of new Set(Object.keys(table).map((key) => key.replace(/_(?:file|env)$/, "")))) {
      const at = ["sources", index, "headers"];
      const problem = headerNameProblem(name);
      if (problem !== null) secrets.reject([...at, name], problem);
      const value = valueOf(await secrets.read(table, name, at));
      if (value !== null) ofSource.headers[name.toLowerCase()] = value;
    }
  }
  return found;
}
