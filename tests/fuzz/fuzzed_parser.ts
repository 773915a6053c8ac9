// The interface of a parser for the fuzzer.

/** A parser of bytes from outside. */
export interface FuzzedParser {
  name: string;
  sample: string;
  /** Elements and special characters of such inputs. */
  tokens: readonly string[];
  /** The longest input, characters, if code before the parser limits it. */
  maxSize?: number;
  /** Reads an input; does not throw if it is refused. */
  read(text: string): unknown;
}

/** The tokens of a text that separates them with "|". */
export function splitTokens(text: string): string[] {
  return text.split("|");
}
