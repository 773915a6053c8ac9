// How much a randomised test tries.

/** `few` in `deno task test`, `many` in `deno task test:slow`. */
export function scaled(few: number, many: number): number {
  return Deno.env.get("REGFEED_SLOW") === "1" ? many : few;
}
