// placeholder
import type { FuzzedParser } from "./fuzzed_parser.ts";
export const API_PARSERS: readonly FuzzedParser[] = [];
