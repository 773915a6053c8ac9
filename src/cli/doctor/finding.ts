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

/** What can be said of things that cannot even be looked at: one of them keeps nobody from looking at the others. */
export async function lookAt(area: string, look: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    const todo =
      "run this as the user that runs Regfeed, and let that user read it, or name another place in the config";
    return [problem(area, (error as Error).message, todo)];
  }
}
