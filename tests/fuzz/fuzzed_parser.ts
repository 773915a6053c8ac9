// What the fuzzer needs to know about a parser: a sample input, tokens to insert, and how to run it.

export interface FuzzedParser {
  name: string;
  sample: string;
  /** Elements and special characters of the format. */
  tokens: readonly string[];
  /** The maximum length of an input in characters, if earlier code limits it. */
  maxSize?: number;
  /** Parses an input. Does not throw if the input is refused. */
  read(text: string): unknown;
}

export function splitTokens(text: string): string[] {
  return text.split("|");
}
