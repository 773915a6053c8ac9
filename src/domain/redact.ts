// The second line of defence against secrets in the log: what looks like one is blacked out.

/** What a secret looks like, and what stands for it. The first line of defence is not to log one. */
const SECRETS: readonly [RegExp, string][] = [
  [/\brgf_[0-9a-f]+/gi, "rgf_[redacted]"],
  [/\bwhsec_[\w+/=-]+/g, "whsec_[redacted]"],
  [/\b([sr]k_(?:live|test)_)\w+/g, "$1[redacted]"],
  [/\bBearer\s+[^\s"',;]+/gi, "Bearer [redacted]"],
  [/\b[0-9a-f]{64}\b/gi, "[redacted]"], // a webhook's secret, or a key's hash
  [/(:\/\/[^\s/?#@:]*):[^\s/?#]*@/g, "$1:[redacted]@"], // a password in an address
];

/** The text with everything blacked out that looks like a key, a secret or a password. */
export function redact(text: string): string {
  let redacted = text;
  for (const [pattern, instead] of SECRETS) redacted = redacted.replace(pattern, instead);
  return redacted;
}
