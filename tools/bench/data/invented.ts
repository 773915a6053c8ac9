// Invented publications, as events for a store and as a feed.
import type { RegEvent } from "../../../src/domain/event/event.ts";
import { EVENT_TYPES } from "../../../src/domain/event/event.ts";
import { createIds } from "../../../src/domain/event/ids.ts";
import { SEVERITIES, type Severity } from "../../../src/domain/event/severity.ts";
import { TOPICS } from "../../../src/classify/classify.ts";
import { utcDay } from "../../../src/domain/utc_day.ts";

export const SOURCES: readonly string[] = Array.from({ length: 20 }, (_, index) => `office-${index + 1}`);
/** A word that about 60 % of the invented events contain. */
export const COMMON_WORD = "guidance";
/** A word that about one in 10,000 invented events contains. */
export const RARE_WORD = "zibeline";

/** Time of the first invented publication, Unix ms. */
const FIRST_MS = Date.UTC(2024, 7, 1);
/** Time between two invented events, ms. A million events cover about two years. */
const STEP_MS = 60_000;

const OFFICES = ["The board", "The authority", "The agency", "The commission", "The ministry", "The council"];
const DEEDS = ["publishes", "adopts", "amends", "consults on", "withdraws", "explains", "announces"];
const PAPERS = [
  "an opinion",
  "a report",
  "guidelines",
  "a decision",
  "a statement",
  "a work plan",
  "a notice",
];
const AI_MATTERS = [
  "transparency duties under Article 50 of the AI Act",
  "general-purpose AI models under Regulation (EU) 2024/1689",
  "the conformity assessment of high-risk AI systems",
  "prohibited AI practices under Article 5 of the Artificial Intelligence Act",
  "the register of high-risk AI systems of Annex III",
  "human oversight of AI systems under Art. 14 of the AI Act",
];
const OTHER_MATTERS = [
  "the inland fisheries of the northern lakes",
  "the labelling of table olives",
  "the timetable of regional railways",
  "the annual audit of the harbour office",
  "the protection of meadow birds",
  "the calibration of petrol pumps",
  "the school milk scheme",
  "the upkeep of mountain roads",
];
const SENTENCES = [
  "Comments may be sent until the end of the month",
  "The text takes up the replies of last year and sets out what follows from them",
  "Small undertakings get more time and a shorter form",
  "It replaces the earlier paper and applies from the first day of the next quarter",
  "The board’s members were heard in two meetings – the minutes are annexed",
  "A table at the end lists the duties, the dates and the offices in charge",
  "Questions and answers will be added where practice shows that they are needed",
  "The costs are borne by the general budget & reviewed every second year",
];

/** Returns a generator of pseudo-random numbers in [0, 1) that depend only on the seed (mulberry32). */
export function createChance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pick<T>(list: readonly T[], chance: () => number): T {
  return list[Math.floor(chance() * list.length)] as T;
}

function summaryOf(matter: string, chance: () => number): string {
  const length = 300 + Math.floor(chance() * 250);
  let text = `${pick(OFFICES, chance)} ${pick(DEEDS, chance)} ${pick(PAPERS, chance)} on ${matter}.`;
  while (text.length < length) text += ` ${pick(SENTENCES, chance)}.`;
  return text;
}

function titleOf(matter: string, number: number, chance: () => number): string {
  return `${pick(OFFICES, chance)} ${pick(DEEDS, chance)} ${pick(PAPERS, chance)} on ${matter} (${number})`;
}

/** Returns a function that invents the next event, oldest first. Every twentieth event revises an earlier one. */
export function createEvents(seed: number): () => RegEvent {
  const chance = createChance(seed);
  let number = 0;
  let atMs = FIRST_MS;
  const newId = createIds(() => atMs, (count) => Uint8Array.from({ length: count }, () => chance() * 256));
  let revised: RegEvent | null = null;
  return () => {
    number++;
    atMs += STEP_MS;
    const event = inventEvent(number, { id: newId("event"), atMs, chance });
    if (number % 20 === 10) revised = event;
    if (number % 20 !== 0 || revised === null) return event;
    const { source_id, source, external_id, url_official, id } = revised;
    return { ...event, source_id, source, external_id, url_official, version: 2, supersedes: id };
  };
}

function inventEvent(
  number: number,
  { id, atMs, chance }: { id: string; atMs: number; chance: () => number },
): RegEvent {
  const title = titleOf(pick(AI_MATTERS, chance), number, chance);
  const mark = number % 10_000 === 5_000 ? ` ${RARE_WORD}` : chance() < 0.6 ? ` ${COMMON_WORD}` : "";
  const summary = summaryOf(pick(AI_MATTERS, chance), chance) + mark;
  const language = chance() < 0.8 ? "en" : chance() < 0.5 ? "de" : "fr";
  const topics = new Set([pick(TOPICS, chance).id, ...(chance() < 0.5 ? [pick(TOPICS, chance).id] : [])]);
  const sourceId = pick(SOURCES, chance);
  // A document is often found some days after its date.
  const publishedAtMs = atMs - Math.floor(chance() ** 4 * 30 * 86_400_000);
  return {
    id,
    source_id: sourceId,
    source: { id: sourceId, name: `Office ${sourceId}` },
    external_id: `https://office.example/papers/${number}`,
    version: 1,
    supersedes: null,
    event_type: pick(EVENT_TYPES, chance),
    topics: [...topics],
    severity: severityOf(chance()),
    title_en: title,
    summary_en: summary,
    url_official: `https://office.example/papers/${number}`,
    ai_act_articles: chance() < 0.5 ? [`Art. ${1 + Math.floor(chance() * 113)}`] : [],
    published_at: publishedAtMs,
    published_at_precision: "time",
    published_on: utcDay(publishedAtMs),
    published_at_estimated: false,
    ingested_at: atMs,
    language,
    language_versions: [language],
    translations: { [language]: { title, summary } },
    status: null,
  };
}

function severityOf(chance: number): Severity {
  const place = [0.5, 0.8, 0.95, 0.999, 1].findIndex((bound) => chance < bound);
  return SEVERITIES[place] ?? "info";
}

/** Returns an RSS feed of invented items, a third of which are about AI regulation. */
export function inventFeed(items: number, seed: number): string {
  const chance = createChance(seed);
  const rows = Array.from({ length: items }, (_, index) => {
    const matters = index % 3 === 0 ? AI_MATTERS : OTHER_MATTERS;
    const matter = pick(matters, chance);
    const link = `https://office.example/news/${index}?from=feed&amp;lang=en`;
    const date = new Date(FIRST_MS + index * STEP_MS).toUTCString();
    return `<item>
  <title>${titleOf(matter, index, chance)}</title>
  <link>${link}</link>
  <guid isPermaLink="false">${index} at https://office.example</guid>
  <pubDate>${date}</pubDate>
  <dc:creator>press office</dc:creator>
  <category>${matters === AI_MATTERS ? "Digital" : "General"}</category>
  <description>&lt;p&gt;${summaryOf(matter, chance).replaceAll("&", "&amp;amp;")}&lt;/p&gt;</description>
</item>`;
  });
  return `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<title>Office: news</title><link>https://office.example/news</link><description>News</description>
<language>en</language>
${rows.join("\n")}
</channel></rss>
`;
}
