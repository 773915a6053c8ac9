// The good and hostile publishers of the attack test.

/** Config lines after the `url` of a hostile source. */
const HTML = 'fetch_strategy = "html"\n[sources.html]\nitem = "li"\ntitle = "a"\nlink = "a@href"\n';
const JSON_API = 'fetch_strategy = "json"\n[sources.json]\nitems = "found"\ntitle = "t"\nlink = "l"\n';
const SPARQL =
  'fetch_strategy = "sparql"\n[sources.sparql]\nquery = "{since} {until}"\ntitle = "t"\nlink = "l"\n';
const SITEMAP = 'fetch_strategy = "sitemap"\n';

interface Hostile {
  /** The lines that follow the `url` in the config. */
  lines?: string;
  body?: () => BodyInit;
  headers?: () => Record<string, string>;
  /** Raw bytes instead of a response. The connection is then kept open. */
  raw?: string;
}

const RSS =
  '<rss version="2.0"><channel><title>x</title><item><guid>1</guid><title>The AI Act</title></item>';

function endless(piece: string, everyMs: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(piece);
  let isRead = true;
  return new ReadableStream({
    async pull(controller) {
      await new Promise((later) => setTimeout(later, everyMs));
      if (isRead) controller.enqueue(bytes);
    },
    cancel: () => void (isRead = false),
  });
}

/** Returns gzipped zeros, which expand a thousandfold. */
function bomb(): ReadableStream<Uint8Array> {
  let left = 300;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (left-- === 0) return controller.close();
      controller.enqueue(new Uint8Array(1_048_576));
    },
  }).pipeThrough(new CompressionStream("gzip"));
}

/** The responses of all hostile sources, by source id. */
export const HOSTILE_SOURCES: Readonly<Record<string, Hostile>> = {
  comments: { body: () => `${"<!---->".repeat(40)}${RSS}` },
  "comments-short": { body: () => `${"<!-- a -->\n".repeat(35)}<div>` },
  "comments-long": { body: () => "<!-- a -->\n".repeat(100_000) },
  "cache-control": {
    body: () => RSS,
    headers: () => ({ "cache-control": `max-age=${" ".repeat(3_500)}""x` }),
  },
  "cache-control-long": {
    raw: `HTTP/1.1 200 OK\r\ncache-control: max-age=${" ".repeat(30_000)}""x\r\ncontent-length: 0\r\n\r\n`,
  },
  charset: {
    body: () => RSS,
    headers: () => ({ "content-type": `text/xml;charset="${" ".repeat(3_500)}x` }),
  },
  declaration: { body: () => `<?xml version="1.0" encoding=${" ".repeat(8_000)}` },
  "link-slashes": { body: () => `<rss><channel><item><link ${"/".repeat(150_000)}=></item>` },
  "link-slashes-long": { body: () => `<rss><channel><item><link ${"/".repeat(600_000)}=></item>` },
  "xmlns-slashes": { body: () => `<rss xmlns="${"/".repeat(64_000)}"><channel>`.repeat(5) },
  sitemap: { lines: SITEMAP, body: () => `<urlset>${"<url><loc>".repeat(22_900)}` },
  entities: {
    body: () =>
      `<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">${
        Array.from({ length: 20 }, (_, at) => `<!ENTITY a${at} "${"&a;".repeat(10)}">`).join("")
      }]>${RSS}<item><title>${"&a19;".repeat(1_000)}</title></item>`,
  },
  "nested-xml": { body: () => `<rss><channel><item>${"<a>".repeat(200_000)}` },
  "nested-html": { lines: HTML, body: () => `<ul>${"<li><b>".repeat(100_000)}` },
  "nested-json": { lines: JSON_API, body: () => `{"found":${"[".repeat(200_000)}` },
  "broken-json": {
    lines: JSON_API,
    body: () => `{"found": [\x1b]0;owned\x07\u009b31m ${"{".repeat(50_000)}`,
  },
  sparql: { lines: SPARQL, body: () => `{"results":{"bindings":[${'{"t":{"value":"'.repeat(20_000)}` },
  "many-items": { body: () => `${RSS}${"<item><title>AI Act</title><guid>x".repeat(100_000)}` },
  "mail-addresses": { body: () => `<html><title>${"a@".repeat(100_000)}</title>` },
  huge: { body: () => endless("<item>".repeat(100_000), 10) },
  slow: { body: () => endless("<", 1_000) },
  bomb: { body: bomb, headers: () => ({ "content-encoding": "gzip" }) },
  "endless-head": { raw: `HTTP/1.1 200 OK\r\n${"x-filler: 1234567890\r\n".repeat(20_000)}` },
  "reset-head": { raw: "HTTP/1.1 200" },
  "odd-head": { raw: `HTTP/1.1 200 OK\r\nx:${" ".repeat(32_000)}\0\r\n\r\n` },
  silent: { raw: "" },
};

/** Returns the response of a hostile source, or null if it sends raw bytes (see {@link rawOf}). */
export function hostileResponse(id: string): Response | null {
  const hostile = HOSTILE_SOURCES[id];
  if (hostile === undefined) return new Response(null, { status: 404 });
  if (hostile.raw !== undefined) return null;
  const headers = { "content-type": "text/xml", ...hostile.headers?.() };
  return new Response(hostile.body?.() ?? null, { headers });
}

export function rawOf(id: string): string {
  return HOSTILE_SOURCES[id]?.raw ?? "";
}

export interface Ports {
  good: number;
  http: number;
  raw: number;
}

/**
 * Returns the config of one generation of all hostile sources. The server fetches them at once, because they are new.
 */
export function hostileConfig({ http, raw }: Ports, generation: number): string {
  return Object.entries(HOSTILE_SOURCES).map(([id, { lines = "", raw: isRaw }], at) => `
[[sources]]
id = "${id}-${generation}"
name_en = "Hostile"
url = "http://127.0.1.${at + 1}:${isRaw === undefined ? http : raw}/${id}"
schedule = "0 0 1 1 *"
${lines}`).join("");
}

export const GOOD_SOURCES = ["north", "east", "south"] as const;
/** A source with a large backlog. */
export const ARCHIVE = "archive";
const ARCHIVE_ITEMS = 3_000;

export function goodConfig({ good }: Ports): string {
  return [...GOOD_SOURCES, ARCHIVE].map((id, at) => `
[[sources]]
id = "${id}"
name_en = "${id}"
url = "http://127.0.0.${at + 2}:${good}/${id}"
schedule = "${id === ARCHIVE ? "0 0 1 1 *" : "*/2 * * * * *"}"
relevance = "all"
notify_first_fetch = ${id !== ARCHIVE}
min_items = 0
`).join("");
}

export function goodFeed(id: string, items: number): string {
  const count = id === ARCHIVE ? ARCHIVE_ITEMS : items;
  const rows = Array.from(
    { length: count },
    (_, at) =>
      `<item><guid isPermaLink="false">${id}-${at}</guid><link>https://${id}.example/${at}</link>` +
      `<title>Guidelines ${at} of ${id} on the AI Act</title><description>Art. 50, text ${at}.</description></item>`,
  );
  return `<rss version="2.0"><channel><title>${id}</title>${rows.join("")}</channel></rss>`;
}
