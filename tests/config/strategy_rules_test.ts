// Tests of src/config/strategies.ts and src/config/strategy_tables.ts.
import assert from "node:assert/strict";
import { configOf, linesOf } from "./given.ts";

/** A source of a strategy: its own lines, then its table. */
function strategy(name: string, table: readonly string[], lines: readonly string[] = []): string {
  const url = lines.some((line) => line.startsWith("url")) ? [] : ['url = "https://a.example.org/list"'];
  return [
    "[[sources]]",
    'id = "a"',
    'name_en = "A"',
    `fetch_strategy = "${name}"`,
    ...url,
    ...lines,
    `[sources.${name}]`,
    ...table,
    "",
  ].join("\n");
}

const LEAST = ['title = "title"', 'link = "url"'];
const ROWS = ['item = "article"', 'title = "h3"', 'link = "a@href"'];
const QUERY = `query = 'select * { ?s ?p ?o filter(?o >= "{since}" && ?o < "{until}") }'`;

Deno.test("parseConfig() makes the rules of an API from its table", async () => {
  const { sources } = await configOf(strategy("json", [
    'items = "data.results"',
    'id = "nr"',
    'title = ["title_en", "title"]',
    'link = "https://a.example.org/{nr}"',
    'date_format = "dd.MM.yyyy"',
    'paging = "offset"',
    'parameter = "skip"',
    "page_size = 50",
    "max_pages = 4",
  ], [
    'url = "https://a.example.org/{since:yyyyMMdd}/list"',
    "min_items = 2",
    'crawl_delay = "10s"',
    'reuse = "CC0"',
  ]));
  const [source] = sources;
  assert.deepEqual(source?.rules, {
    kind: "list",
    reading: {
      kind: "json",
      items: ["data.results"],
      fields: { id: ["nr"], title: ["title_en", "title"], link: ["https://a.example.org/{nr}"] },
      dateFormat: "dd.MM.yyyy",
      next: null,
    },
    paging: { kind: "count", parameter: "skip", first: 0, step: 50 },
    maxPages: 4,
    newestFirst: false,
    body: null,
    windows: { days: null, overlapDays: 3, firstDays: 30 },
    notFoundIsEmpty: false,
  });
  assert.deepEqual([source?.minItems, source?.crawlDelayMs, source?.reuse], [2, 10_000, "CC0"]);
});

Deno.test("parseConfig() makes the rules of listings, endpoints and sitemaps", async () => {
  const text = strategy("html", [...ROWS, 'paging = "link"', 'next = "a[rel=next]@href"']) +
    strategy("sparql", [QUERY, ...LEAST]).replace('"a"', '"b"') +
    '[[sources]]\nid = "c"\nname_en = "C"\nfetch_strategy = "sitemap"\nurl = "https://a.example.org/map.xml"\n';
  const [html, sparql, sitemap] = (await configOf(text)).sources;
  assert.equal(html?.minItems, 1, "an empty page of HTML is no success");
  assert.ok(html?.rules?.kind === "list" && html.rules.reading.next === "a[rel=next]@href");
  assert.ok(sparql?.rules?.kind === "sparql" && sparql.rules.maxRows === 10_000);
  assert.deepEqual(sparql.rules.windows, { days: null, overlapDays: 30, firstDays: 90 });
  assert.ok(sitemap?.rules?.kind === "sitemap" && sitemap.rules.maxPages === 50, "a sitemap needs no table");
});

/** What is wrong, with the line and the key on it, and what is said. */
const WRONG: [string, string, RegExp[]][] = [
  ["no table", strategy("json", []).replace("[sources.json]\n", ""), [
    /:1: sources\[0\]\.json: is missing: \[sources\.json\] says/,
  ]],
  ["the table of another", strategy("html", ROWS) + "[sources.json]\n", [
    /:10: sources\[0\]\.json: belongs to fetch_strategy = "json", and this source has "html": set that one, or take/,
  ]],
  ["a key that is nearly one", strategy("json", [...LEAST, 'item = "x"']), [
    /:9: sources\[0\]\.json\.item: unknown key\. Did you mean "items"\?/,
  ]],
  ["a key of another table", strategy("json", [...LEAST, "max_rows = 5"]), [
    /:9: sources\[0\]\.json\.max_rows: .*(belongs to \[sources\.sparql\]|Did you mean)/,
  ]],
  ["no title, no link", strategy("json", []), [
    /sources\[0\]\.json\.title: is missing/,
    /sources\[0\]\.json\.link: is missing: by its link/,
  ]],
  ["no url", strategy("sparql", [QUERY, ...LEAST]).replace(/url = .*\n/, ""), [
    /sources\[0\]\.url: is missing: it needs the address of the endpoint/,
  ]],
  ["a broken path", strategy("json", ['title = "a..b"', 'link = "u"']), [
    /:7: sources\[0\]\.json\.title: is no path: "a\.\.b"; write keys with dots/,
  ]],
  ["a broken template", strategy("json", ['title = "t"', 'link = "https://x/{id"']), [
    /:8: sources\[0\]\.json\.link: has a brace without its other half/,
  ]],
  ["a rule that is no text", strategy("json", ["title = 5", 'link = "u"']), [
    /:7: sources\[0\]\.json\.title: needs a path, or a list of them, such as "title"; found the number 5/,
  ]],
  ["one bad rule of several", strategy("json", ['title = ["a", ""]', 'link = "u"']), [
    /sources\[0\]\.json\.title: is empty/,
  ]],
  ["a broken selector", strategy("html", ['item = "article["', 'title = "h3"', 'link = "a@href"']), [
    /:7: sources\[0\]\.html\.item: is no CSS selector: "article\["/,
  ]],
  [
    "a pseudo class that is none",
    strategy("html", ['item = "article"', 'title = "h3:frist-child"', 'link = "a@href"']),
    [/:8: sources\[0\]\.html\.title: is no CSS selector/],
  ],
  [
    "one bad selector of several, and a blank one",
    strategy("html", ['item = "article"', 'title = ["h3", "h4["]', 'link = "a@href"', 'summary = " "']),
    [
      /:8: sources\[0\]\.html\.title: is no CSS selector: "h4\["/,
      /:10: sources\[0\]\.html\.summary: is empty/,
    ],
  ],
  [
    "selectors that would find nothing, ever",
    strategy("html", ['item = "main li..news"', 'title = "h3"', 'link = "a@hre f"', 'summary = "p. > b"']),
    [
      /:7: sources\[0\]\.html\.item: is no CSS selector: "main li\.\.news" \(a name is missing behind a dot/,
      /:9: sources\[0\]\.html\.link: is no CSS selector: "a@hre f" \(@ with the name of an attribute stands at the end/,
      /:10: sources\[0\]\.html\.summary: is no CSS selector: "p\. > b"/,
    ],
  ],
  ["a selector for pages that is none", strategy("sitemap", ['title = "h1["']), [
    /sources\[0\]\.sitemap\.title: is no CSS selector/,
  ]],
  ["an item that is an attribute", strategy("html", ['item = "a@href"', 'title = "h3"', 'link = "a@href"']), [
    /html\.item: names an attribute/,
  ]],
  ["a date form without a year", strategy("json", [...LEAST, 'date_format = "dd.MM."']), [
    /json\.date_format: lacks year, month or day/,
  ]],
  ["a date form of other letters", strategy("json", [...LEAST, 'date_format = "DD.MM.YYYY"']), [
    /json\.date_format: is no form of a date/,
  ]],
  ["paging without its keys", strategy("json", [...LEAST, 'paging = "cursor"']), [
    /json\.parameter: is missing: paging = "cursor" needs parameter and next/,
    /json\.next: is missing/,
  ]],
  ["keys without their paging", strategy("json", [...LEAST, 'next = "x"', "newest_first = true"]), [
    /:9: sources\[0\]\.json\.next: has no use with paging = "none"/,
    /newest_first: has no use/,
  ]],
  ["windows without a place", strategy("json", [...LEAST, "window_days = 1"]), [
    /json\.window_days: has no use while neither url nor body holds \{since\}/,
  ]],
  ["an unknown place", strategy("json", LEAST, ['url = "https://a.example.org/?day={yyyymmdd}"']), [
    /sources\[0\]\.json: holds \{yyyymmdd\} in the source's url: only \{since\} and \{until\}/,
  ]],
  [
    "newest first in a window",
    strategy("json", [...LEAST, 'paging = "page"', "newest_first = true"], [
      'url = "https://a.example.org/?from={since}"',
    ]),
    [/json\.newest_first: has no use with \{since\}/],
  ],
  ["a query without days", strategy("sparql", ['query = "select * { ?s ?p ?o }"', ...LEAST]), [
    /:7: sources\[0\]\.sparql\.query: lacks \{since\} and \{until\}/,
  ]],
  ["an expression that is none", strategy("sitemap", ['include = ["("]']), [
    /sitemap\.include\[0\]: is not a valid regular expression/,
  ]],
  ["a number out of bounds", strategy("sitemap", ["max_pages = 0"]), [
    /sitemap\.max_pages: needs a whole number from 1 to 1000/,
  ]],
  ["a header of its own key", strategy("json", LEAST, ['headers = { Authorization = "x" }']), [
    /sources\[0\]\.headers\.Authorization: has a key of its own: write it as authorization/,
  ]],
  ["a header given twice", strategy("json", LEAST, ['headers = { k = "x", k_env = "Y" }']), [
    /sources\[0\]\.headers\.k_env: is one too many beside k/,
  ]],
  [
    "headers for a folder",
    '[[sources]]\nid = "a"\nname_en = "A"\nfetch_strategy = "files"\npath = "in"\nbase_url = "https://a.org"\nheaders = { k = "x" }',
    [/sources\[0\]\.headers: has no use with fetch_strategy = "files"/],
  ],
];

Deno.test("parseConfig() says what is wrong with a strategy, on which line, and what is wanted", async () => {
  for (const [what, text, expected] of WRONG) {
    const lines = await linesOf(text);
    assert.equal(lines.length, expected.length, `${what}:\n${lines.join("\n")}`);
    for (const [place, pattern] of expected.entries()) assert.match(lines[place] ?? "", pattern, what);
  }
});

Deno.test("parseConfig() reads secret headers in place, from a file and from the environment, and never shows them", async () => {
  const given = { files: { "/run/secrets/k": "from-file\n" }, env: { K: "from-env" } };
  const lines = ['headers = { X-A = "in-place", X-B_file = "/run/secrets/k", X-C_env = "K" }'];
  const { sources, secretFiles } = await configOf(strategy("json", LEAST, lines), given);
  assert.deepEqual(sources[0]?.headers, { "x-a": "in-place", "x-b": "from-file", "x-c": "from-env" });
  assert.deepEqual(secretFiles, [{ key: "sources[0].headers.X-B_file", path: "/run/secrets/k" }]);
  const refused = await linesOf(strategy("json", LEAST, ['headers = { X-A = "two\\nlines-of-secret" }']));
  assert.match(refused.join(), /headers\.X-A: gives no header value/);
  assert.doesNotMatch(refused.join(), /lines-of-secret/);
});

Deno.test("parseConfig() refuses a folder that the service keeps its own files in", async () => {
  const folder = (path: string) =>
    `[[sources]]\nid = "a"\nname_en = "A"\nbase_url = "https://a.example"\nfetch_strategy = "files"\npath = "${path}"\n`;
  const settings = '[store]\npath = "data/regfeed.db"\nkey_file = "keys/regfeed.key"\n';
  const rows: [path: string, what: string][] = [
    ["data", "the database"],
    ["/etc/regfeed/data/", "the database"],
    ["keys/../keys", "the database's key"],
    ["data/backups", "backups"],
    ["data/outbox", "mails"],
  ];
  for (const [path, what] of rows) {
    assert.deepEqual(await linesOf(settings + folder(path)), [
      `regfeed.toml:9: sources[0].path: is the folder of ${what}: name a folder that holds the documents and nothing else`,
    ]);
  }
  const [source] = (await configOf(`${settings}${folder("data/inbox")}follow_links = true\n`)).sources;
  assert.deepEqual([source?.location, source?.followLinks], ["/etc/regfeed/data/inbox", true]);
  assert.match(
    (await linesOf(
      '[[sources]]\nid = "a"\nname_en = "A"\nurl = "https://a.example/feed"\nfollow_links = true\n',
    ))
      .join(),
    /sources\[0\]\.follow_links: .*a watched folder has fetch_strategy = "files"/,
  );
});
