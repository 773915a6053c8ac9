// Every parser of bytes from outside, with a valid input and the tokens of its format.
import { API_PARSERS } from "./api_parsers.ts";
import { DOCUMENT_PARSERS } from "./document_parsers.ts";
import { HEADER_PARSERS } from "./header_parsers.ts";
import { TEXT_PARSERS } from "./text_parsers.ts";

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

/** See {@link FuzzedParser}. */
export const PARSERS: readonly FuzzedParser[] = [
  ...DOCUMENT_PARSERS,
  ...HEADER_PARSERS,
  ...TEXT_PARSERS,
  ...API_PARSERS,
];
