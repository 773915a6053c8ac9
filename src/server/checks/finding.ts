// Findings of checks: the state of what was checked, and what to do.

/** `problem`: Regfeed cannot work or is not safe. `warning`: that is likely later. */
export type Level = "good" | "warning" | "problem";

export interface Finding {
  /** "store", "secrets", "clock", … */
  area: string;
  level: Level;
  /** The state in one sentence. */
  seen: string;
  /** What to do; null if the check passed. */
  todo: string | null;
}

export function good(area: string, seen: string): Finding {
  return { area, level: "good", seen, todo: null };
}

export function warning(area: string, seen: string, todo: string): Finding {
  return { area, level: "warning", seen, todo };
}

export function problem(area: string, seen: string, todo: string): Finding {
  return { area, level: "problem", seen, todo };
}

/** The findings of a check; a problem if the check itself fails, so that the others still run. */
export async function attempt(area: string, check: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    const todo = "run this as the user that runs Regfeed, and let that user read it, or change the config";
    return [problem(area, (error as Error).message, todo)];
  }
}
