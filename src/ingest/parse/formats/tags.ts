// Distinguishes HTML tags from text that only looks like them.

/** Elements whose tags show that a string is HTML markup. */
const NAMES: ReadonlySet<string> = new Set(
  ("a abbr b blockquote br cite code dd div dl dt em figure h1 h2 h3 h4 h5 h6 hr i iframe img li mark ol p pre script " +
    "section small span strong style sub sup table tbody td th time tr u ul").split(" "),
);
const TAG = /<\/?([a-z][a-z0-9]*)(?:[\s/][^<>]*)?>/gi;

/** Whether a string contains the tag of a common element. */
export function hasTag(text: string): boolean {
  for (const [, name = ""] of text.matchAll(TAG)) if (NAMES.has(name.toLowerCase())) return true;
  return false;
}
