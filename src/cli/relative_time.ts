// Times relative to now, for people at a terminal: "2 min ago", "in 3 h".

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ["y", 365 * 86_400_000],
  ["mo", 30 * 86_400_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
];

/**
 * Formats the distance of a time from now in the largest unit of which it has at least one, rounded down. A distance of
 * less than a minute is "now".
 */
export function formatRelative(atMs: number, nowMs: number): string {
  const distanceMs = Math.abs(atMs - nowMs);
  const unit = UNITS.find(([, ms]) => distanceMs >= ms);
  if (unit === undefined) return "now";
  const [name, ms] = unit;
  const amount = `${Math.floor(distanceMs / ms)} ${name}`;
  return atMs > nowMs ? `in ${amount}` : `${amount} ago`;
}
