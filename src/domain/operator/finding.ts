// Findings of checks: the observed state, and what to do.

/** `problem`: Regfeed cannot work or is not safe. `warning`: a problem is likely later. */
export type Level = "good" | "warning" | "problem";

/** What may be the common cause of several findings. */
export type Cause = "clock" | "disk space" | "network" | "read-only disk" | `folder ${string}`;

export interface Finding {
  /** What was checked: "store", "secrets", "clock" and so on. */
  area: string;
  level: Level;
  /** The observed state in one sentence. */
  seen: string;
  /** What to do, or null if the check passed. */
  todo: string | null;
  /** Set if this finding may be the cause of others. */
  cause?: Cause;
  /** The cause of which this finding may be a symptom. */
  symptomOf?: Cause;
  /** The symptoms of this finding; see {@link groupSymptoms}. */
  symptoms?: string[];
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

/**
 * Moves the symptoms of a cause to the first finding with that cause. Further findings with the same cause count as
 * symptoms. Without the cause, a symptom stays a finding of its own.
 */
export function groupSymptoms(findings: readonly Finding[]): Finding[] {
  const roots = new Map<Cause, Finding>();
  for (const finding of findings) {
    if (finding.cause !== undefined && !roots.has(finding.cause)) roots.set(finding.cause, finding);
  }
  const rootOf = (finding: Finding): Finding => {
    const cause = finding.cause ?? finding.symptomOf;
    return (cause === undefined ? undefined : roots.get(cause)) ?? finding;
  };
  const byRoot = Map.groupBy(findings, rootOf);
  return findings.filter((finding) => rootOf(finding) === finding).map((root) => {
    const symptoms = (byRoot.get(root) ?? []).filter((finding) => finding !== root);
    return { ...root, symptoms: symptoms.map(({ area, seen }) => `${area}: ${seen}`) };
  });
}

/** Returns a line for each problem and warning. */
export function linesOf(findings: readonly Finding[]): string[] {
  return findings.filter(({ level }) => level !== "good").map(({ seen, todo }) => `${seen}: ${todo}`);
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
