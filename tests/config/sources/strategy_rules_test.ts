// Fetch strategies in the config: the rules that are built, and the problems that are reported.
import assert from "node:assert/strict";
import { configOf, linesOf } from "../given.ts";

/** Returns a source with a strategy: its own lines, then the table of the strategy. */
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

Deno.test("parseConfig() builds the rules of an API", async () => {
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

Deno.test("parseConfig() builds the rules of listings, endpoints and sitemaps", async () => {
  const text = strategy("html", [...ROWS, 'paging = "link"', 'next = "a[rel=next]@href"']) +
    strategy("sparql", [QUERY, ...LEAST]).replace('"a"', '"b"') +
    '[[sources]]\nid = "c"\nname_en = "C"\nfetch_strategy = "sitemap"\nurl = "https://a.example.org/map.xml"\n';
  const [html, sparql, sitemap] = (await configOf(text)).sources;
  assert.equal(html?.minItems, 1, "an empty HTML page is not a success");
  assert.ok(html?.rules?.kind === "list" && html.rules.reading.next === "a[rel=next]@href");
  assert.ok(sparql?.rules?.kind === "sparql" && sparql.rules.maxRows === 10_000);
  assert.deepEqual(sparql.rules.windows, { days: null, overlapDays: 30, firstDays: 90 });
  assert.ok(sitemap?.rules?.kind === "sitemap" && sitemap.rules.maxPages === 50, "a sitemap needs no table");
});

const json = (...lines: string[]) => strategy("json", [...LEAST, ...lines]);
const html = (...lines: string[]) => strategy("html", lines);

/** A config, and its problems by line and key of the source. */
const WRONG: [text: string, ...problems: string[]][] = [
  [json().replace(/\[sources.json\]\n.*/s, ""), "1: json: is missing: [sources.json] describes"],
  [
    html(...ROWS) + "[sources.json]\n",
    '10: json: belongs to fetch_strategy = "json", but this source has "html": change the strategy or remove',
  ],
  [json('item = "x"'), '9: json.item: unknown key. Did you mean "items"?'],
  [json("max_rows = 5"), "9: json.max_rows: unknown key"],
  [strategy("json", []), "6: json.title: is missing", "6: json.link: is missing: an item needs a link"],
  [
    strategy("sparql", [QUERY, ...LEAST]).replace(/url = .*\n/, ""),
    "1: url: is missing: set it to the URL of the endpoint",
  ],
  [
    strategy("json", ['title = "a..b"', 'link = "u"']),
    '7: json.title: is not a valid path: "a..b"; separate keys with dots',
  ],
  [strategy("json", ['title = "t"', 'link = "https://x/{id"']), "8: json.link: has an unmatched brace"],
  [
    strategy("json", ["title = 5", 'link = "u"']),
    '7: json.title: needs a path, or a list of them, such as "title"; found the number 5',
  ],
  [strategy("json", ['title = ["a", ""]', 'link = "u"']), "7: json.title: is empty"],
  [
    html('item = "article["', 'title = "h3"', 'link = "a@href"'),
    '7: html.item: is not a valid CSS selector: "article["',
  ],
  [
    html('item = "article"', 'title = "h3:frist-child"', 'link = "a@href"'),
    "8: html.title: is not a valid CSS selector",
  ],
  [
    html('item = "article"', 'title = ["h3", "h4["]', 'link = "a@href"', 'summary = " "'),
    '8: html.title: is not a valid CSS selector: "h4["',
    "10: html.summary: is empty",
  ],
  [
    html('item = "main li..news"', 'title = "h3"', 'link = "a@hre f"', 'summary = "p. > b"'),
    '7: html.item: is not a valid CSS selector: "main li..news" (the name after',
    '9: html.link: is not a valid CSS selector: "a@hre f" (@ and the name of an attribute must be at the end',
    '10: html.summary: is not a valid CSS selector: "p. > b"',
  ],
  [strategy("sitemap", ['title = "h1["']), "7: sitemap.title: is not a valid CSS selector"],
  [html('item = "a@href"', 'title = "h3"', 'link = "a@href"'), "7: html.item: selects an attribute"],
  [json('date_format = "dd.MM."'), "9: json.date_format: lacks year, month or day"],
  [json('date_format = "DD.MM.YYYY"'), "9: json.date_format: is not a valid date format"],
  [
    json('paging = "cursor"'),
    '6: json.parameter: is missing: paging = "cursor" needs parameter and next',
    "6: json.next: is missing",
  ],
  [
    json('next = "x"', "newest_first = true"),
    '9: json.next: is not supported with paging = "none"',
    "10: json.newest_first: is not supported",
  ],
  [json("window_days = 1"), "9: json.window_days: has no effect unless url or body contains {since}"],
  [
    strategy("json", LEAST, ['url = "https://a.example.org/?day={yyyymmdd}"']),
    "6: json: cannot use {yyyymmdd} in the source's url: only {since} and {until}",
  ],
  [
    strategy("json", [...LEAST, 'paging = "page"', "newest_first = true"], [
      'url = "https://a.example/{since}"',
    ]),
    "10: json.newest_first: has no effect with {since}",
  ],
  [
    strategy("sparql", ['query = "select * { ?s ?p ?o }"', ...LEAST]),
    "7: sparql.query: lacks {since} and {until}",
  ],
  [strategy("sitemap", ['include = ["("]']), "7: sitemap.include[0]: is not a valid regular expression"],
  [strategy("sitemap", ["max_pages = 0"]), "7: sitemap.max_pages: needs an integer from 1 to 1000"],
  [
    strategy("json", LEAST, ['headers = { Authorization = "x" }']),
    "6: headers.Authorization: cannot be set here: use authorization",
  ],
  [
    strategy("json", LEAST, ['headers = { k = "x", k_env = "Y" }']),
    "6: headers.k_env: cannot be combined with k: keep only one",
  ],
  [
    '[[sources]]\nid = "a"\nname_en = "A"\nfetch_strategy = "files"\npath = "in"\nbase_url = "https://a.org"\nheaders = { k = "x" }',
    '7: headers: is not supported with fetch_strategy = "files"',
  ],
];

Deno.test("parseConfig() reports problems of a strategy with their lines and what is expected", async () => {
  for (const [text, ...problems] of WRONG) {
    const lines = await linesOf(text);
    assert.equal(lines.length, problems.length, `${text}:\n${lines.join("\n")}`);
    for (const [at, problem] of problems.entries()) {
      const expected = `regfeed.toml:${problem.replace(": ", ': [[sources]] "a" ')}`;
      assert.ok(lines[at]?.startsWith(expected), `${expected}\n${lines[at]}`);
    }
  }
});

Deno.test("parseConfig() reads secret headers inline, from a file and from the environment, and never shows them", async () => {
  const given = { files: { "/run/secrets/k": "from-file\n" }, env: { K: "from-env" } };
  const lines = ['headers = { X-A = "inline", X-B_file = "/run/secrets/k", X-C_env = "K" }'];
  const { sources, secretFiles } = await configOf(strategy("json", LEAST, lines), given);
  assert.deepEqual(sources[0]?.headers, { "x-a": "inline", "x-b": "from-file", "x-c": "from-env" });
  assert.deepEqual(secretFiles, [{ key: '[[sources]] "a" headers.X-B_file', path: "/run/secrets/k" }]);
  const refused = await linesOf(strategy("json", LEAST, ['headers = { X-A = "two\\nlines-of-secret" }']));
  assert.match(refused.join(), /headers\.X-A: is not a valid header value/);
  assert.doesNotMatch(refused.join(), /lines-of-secret/);
});

Deno.test("parseConfig() rejects a source folder that contains the service's own files", async () => {
  const folder = (path: string) =>
    `[[sources]]\nid = "a"\nname_en = "A"\nbase_url = "https://a.example"\nfetch_strategy = "files"\npath = "${path}"\n`;
  const settings = '[store]\npath = "data/regfeed.db"\nkey_file = "keys/regfeed.key"\n';
  const rows: [path: string, what: string][] = [
    ["data", "the database"],
    ["/etc/regfeed/data/", "the database"],
    ["keys/../keys", "the database's key"],
    ["data/backups", "backups"],
    ["data/outbox", "emails"],
  ];
  for (const [path, what] of rows) {
    assert.deepEqual(await linesOf(settings + folder(path)), [
      `regfeed.toml:9: [[sources]] "a" path: is the folder of ${what}: choose a folder that contains only documents`,
    ]);
  }
  const [source] = (await configOf(`${settings}${folder("data/inbox")}follow_links = true\n`)).sources;
  assert.deepEqual([source?.location, source?.followLinks], ["/etc/regfeed/data/inbox", true]);
  assert.match(
    (await linesOf(
      '[[sources]]\nid = "a"\nname_en = "A"\nurl = "https://a.example/feed"\nfollow_links = true\n',
    ))
      .join(),
    /\[\[sources\]\] "a" follow_links: .*for a watched folder, set fetch_strategy = "files"/,
  );
});
