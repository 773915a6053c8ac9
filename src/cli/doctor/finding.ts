// What the doctor finds: what is looked at, how it is, and what to do.

/** How a thing is: `problem` keeps Regfeed from doing its work or from being safe, `warning` will one day. */
export type Level = "good" | "warning" | "problem";

/** One thing that was looked at. */
export interface Finding {
  /** "store", "secrets", "clock", … */
  area: string;
  level: Level;
  /** What was seen, in one sentence. */
  seen: string;
  /** What to do; null when all is well. */
  todo: string | null;
}

/** A thing that is well. */
export function good(area: string, seen: string): Finding {
  return { area, level: "good", seen, todo: null };
}

/** A thing that will go wrong one day. */
export function warning(area: string, seen: string, todo: string): Finding {
  return { area, level: "warning", seen, todo };
}

/** A thing that is wrong. */
export function problem(area: string, seen: string, todo: string): Finding {
  return { area, level: "problem", seen, todo };
}
