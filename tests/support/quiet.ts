// Finds secrets and private data in logs. The log of every test is checked.
import assert from "node:assert/strict";
import type { LogLine } from "./platform.ts";

/** Patterns that secrets match, but redacted secrets do not. */
const SECRETS: readonly [what: string, pattern: RegExp][] = [
  ["an API key", /\brgf_[0-9a-f]{8,}/i],
  ["a payment secret", /\bwhsec_[\w+/=-]{6,}/],
  ["a provider's key", /\b[sr]k_(?:live|test)_\w{4,}/],
  ["a webhook's secret, a key's hash or a signature", /\b[0-9a-f]{64}\b/i],
  ["a token", /\bBearer\s+(?!\[redacted\])[^\s"',;]+/i],
  ["a password in an address", /:\/\/[^\s/?#@:]*:(?!\[redacted\])[^\s/?#@]+@/],
];
/** Data that commands may print but logs must not contain. */
const PRIVATE: readonly [what: string, pattern: RegExp][] = [
  ["an email address", /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/],
];
const LOG_LINE = /^(?:\{"time":|\d{4}-\d\d-\d\dT[\d:.]+Z (?:DEBUG|INFO|WARN|ERROR) )/;

function findSecret(text: string, patterns: readonly [string, RegExp][]): string | null {
  for (const [what, pattern] of patterns) {
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return `${what} (${found})`;
  }
  return null;
}

/** Fails if stderr contains a secret, or if one of its log lines contains private data. */
export function checkStderr(stderr: string): void {
  for (const line of stderr.split("\n")) {
    const found = findSecret(line, LOG_LINE.test(line) ? [...SECRETS, ...PRIVATE] : SECRETS);
    assert.equal(found, null, `stderr contains ${found}: ${line}`);
  }
}

/** Fails if a log line contains a secret, private data, or one of the given texts. */
export function checkLines(lines: readonly LogLine[], texts: Iterable<string>): void {
  const unique = [...new Set(texts)];
  for (const line of lines) {
    const said = JSON.stringify(line);
    const found = findSecret(said, [...SECRETS, ...PRIVATE]) ?? unique.find((text) => said.includes(text)) ??
      null;
    assert.equal(found, null, `the log contains ${found}: ${said}`);
  }
}
