// Parses and formats dates in a format from the config.

const TOKEN = /yyyy|MM?|dd?|HH?|mm|ss|[TZ]|'[^']*'|[^A-Za-z']+/y;
const FIGURES: Readonly<Record<string, string>> = {
  yyyy: "(?<yyyy>\\d{4})",
  MM: "(?<MM>\\d{2})",
  M: "(?<MM>\\d{1,2})",
  dd: "(?<dd>\\d{2})",
  d: "(?<dd>\\d{1,2})",
  HH: "(?<HH>\\d{2})",
  H: "(?<HH>\\d{1,2})",
  mm: "(?<mm>\\d{2})",
  ss: "(?<ss>\\d{2})",
};

/** Returns why a format is invalid, or null. A valid format contains year, month and day, and no part twice. */
export function dateFormatProblem(format: string): string | null {
  const wanted =
    'use yyyy, MM, dd, HH, mm and ss, such as "dd.MM.yyyy", and put literal letters in single quotes';
  const tokens = tokensOf(format);
  if (tokens === null) return `is not a valid date format: ${JSON.stringify(format)}; ${wanted}`;
  const named = tokens.filter((token) => token in FIGURES).map((token) => token.slice(0, 1));
  if (new Set(named).size !== named.length) return `contains a part of the date twice: ${wanted}`;
  return ["y", "M", "d"].every((part) => named.includes(part)) ? null : `lacks year, month or day: ${wanted}`;
}

/** Parses a date into ISO 8601 without a time zone. Returns null if the text does not match the format. */
export function readDateAs(text: string, format: string): string | null {
  const pattern = (tokensOf(format) ?? []).map((token) => FIGURES[token] ?? escape(literal(token))).join("");
  const groups = new RegExp(`^${pattern}$`).exec(text.trim())?.groups;
  if (groups === undefined) return null;
  const figures = (name: string): string => (groups[name] ?? "0").padStart(2, "0");
  const day = `${groups.yyyy}-${figures("MM")}-${figures("dd")}`;
  return groups.HH === undefined ? day : `${day}T${figures("HH")}:${figures("mm")}:${figures("ss")}`;
}

/** Formats a time (Unix ms) in UTC, as `yyyy-MM-dd` or in another format. */
export function writeDate(atMs: number, format = "yyyy-MM-dd"): string {
  const iso = new Date(atMs).toISOString();
  const parts: Readonly<Record<string, string>> = {
    y: iso.slice(0, 4),
    M: iso.slice(5, 7),
    d: iso.slice(8, 10),
    H: iso.slice(11, 13),
    m: iso.slice(14, 16),
    s: iso.slice(17, 19),
  };
  return (tokensOf(format) ?? []).map((token) => {
    if (!(token in FIGURES)) return literal(token);
    const part = parts[token.slice(0, 1)] ?? "";
    return token.length === 1 ? String(Number(part)) : part;
  }).join("");
}

function tokensOf(format: string): string[] | null {
  const tokens: string[] = [];
  for (let at = 0; at < format.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(format);
    if (match === null) return null;
    tokens.push(match[0]);
  }
  return tokens;
}

function literal(token: string): string {
  return /^'.*'$/s.test(token) ? token.slice(1, -1) : token;
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
