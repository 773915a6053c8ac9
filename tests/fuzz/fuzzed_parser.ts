// A parser as the fuzzer drives it.

/** A parser of bytes from outside. */
export interface FuzzedParser {
  name: string;
  /** A valid input. */
  sample: string;
  /** What such inputs are made of, and what is special in them. */
  tokens: readonly string[];
  /** The longest input, characters, where something before the parser limits it. */
  maxSize?: number;
  /** Reads an input; refusals are not thrown. */
  read(text: string): unknown;
}

/** The tokens of a text that separates them with "|". */
export function splitTokens(text: string): string[] {
  return text.split("|");
}
