// placeholder
import type { FuzzedParser } from "./parsers.ts";
export const API_PARSERS: readonly FuzzedParser[] = [];
