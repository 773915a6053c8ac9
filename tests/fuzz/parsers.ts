// All parsers of external input, each with a valid input and the tokens of its format.
import { API_PARSERS } from "./api_parsers.ts";
import { DOCUMENT_PARSERS } from "./document_parsers.ts";
import type { FuzzedParser } from "./fuzzed_parser.ts";
import { HEADER_PARSERS } from "./header_parsers.ts";
import { TEXT_PARSERS } from "./text_parsers.ts";

export const PARSERS: readonly FuzzedParser[] = [
  ...DOCUMENT_PARSERS,
  ...HEADER_PARSERS,
  ...TEXT_PARSERS,
  ...API_PARSERS,
];
