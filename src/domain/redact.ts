// Redacts text that looks like a secret, as a second line of defence for the log.

/** The forms of secrets, and what replaces them. The first line of defence is not to log secrets. */
const SECRETS: readonly [RegExp, string][] = [
  [/\brgf_[0-9a-f]+/gi, "rgf_[redacted]"],
  [/\bwhsec_[\w+/=-]+/g, "whsec_[redacted]"],
  [/\b([sr]k_(?:live|test)_)\w+/g, "$1[redacted]"],
  [/\bBearer\s+[^\s"',;]+/gi, "Bearer [redacted]"],
  [/\b[0-9a-f]{64}\b/gi, "[redacted]"], // a webhook's secret, or a key's hash
  [/(\/sign-in\/link\/)[\w-]+/g, "$1[redacted]"],
  [/(:\/\/[^\s/?#@:]*):[^\s/?#]*@/g, "$1:[redacted]@"], // a password in a URL
];

export function redact(text: string): string {
  let redacted = text;
  for (const [pattern, instead] of SECRETS) redacted = redacted.replace(pattern, instead);
  return redacted;
}
