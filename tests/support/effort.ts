// How many cases a randomised test tries.

/** Returns `few` in `deno task test`, and `many` in `deno task test:slow`. */
export function scaled(few: number, many: number): number {
  return Deno.env.get("REGFEED_SLOW") === "1" ? many : few;
}
