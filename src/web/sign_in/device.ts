// Names the browser and the system of a User-Agent header, for people who look for their own devices.

/** In this order, because most browsers also name those that they descend from. */
const BROWSERS: readonly [word: string, name: string][] = [
  ["Edg", "Edge"],
  ["OPR/", "Opera"],
  ["SamsungBrowser/", "Samsung Internet"],
  ["Firefox/", "Firefox"],
  ["FxiOS/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["CriOS/", "Chrome"],
  ["Safari/", "Safari"],
];
const SYSTEMS: readonly [word: string, name: string][] = [
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["Windows", "Windows"],
  ["Mac OS X", "macOS"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"],
];
const MAX_LENGTH = 60;

/** Returns a name such as "Firefox, Windows", the beginning of an unknown header, or null if it is empty. */
export function deviceOf(userAgent: string): string | null {
  const find = (names: typeof BROWSERS) => names.find(([word]) => userAgent.includes(word))?.[1];
  const known = [find(BROWSERS), find(SYSTEMS)].filter((name) => name !== undefined);
  if (known.length > 0) return known.join(", ");
  return userAgent.trim() === "" ? null : userAgent.slice(0, MAX_LENGTH);
}
