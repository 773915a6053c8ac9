// Findings of checks: the observed state, and what to do.

/** `problem`: Regfeed cannot work or is not safe. `warning`: a problem is likely later. */
export type Level = "good" | "warning" | "problem";

export interface Finding {
  /** What was checked: "store", "secrets", "clock" and so on. */
  area: string;
  level: Level;
  /** The observed state in one sentence. */
  seen: string;
  /** What to do, or null if the check passed. */
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

/** Returns the findings of a check. If the check itself fails, returns a problem so that the other checks still run. */
export async function attempt(area: string, check: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    const todo =
      "run this command as the user that runs Regfeed, and let that user read the file, or change the config";
    return [problem(area, (error as Error).message, todo)];
  }
}
