// The problems of a config are reported with their line and what is expected.
import assert from "node:assert/strict";
import { linesOf, problemsOf, source } from "./given.ts";

const inLanguages = (urls: string) =>
  `[[sources]]\nid = "x"\nname_en = "x"\nbase_url = "https://a.org"\nurls = ${urls}`;

const WRONG_VALUES: readonly [string, RegExp][] = [
  ["server = 5", /^regfeed\.toml:1: server: needs a table, such as \[server\]; found a number$/],
  ['server.listen = "8080"', /:1: server\.listen: .*use ":8080"/],
  [
    "\n[server]\nlisten = 8080",
    /:3: server\.listen: needs an address to listen on, .*found the number 8080$/,
  ],
  ['server.public_url = "feed.example.org"', /server\.public_url: is not a valid URL/],
  [
    'server.trusted_proxies = "10.0.0.0/8"',
    /needs a list of CIDRs, such as \["10\.0\.0\.0\/8"\]; found the string/,
  ],
  [
    '[server]\ntrusted_proxies = [\n"10.0.0.0/8",\n"x"]',
    /:4: server\.trusted_proxies\[1\]: is not a valid CIDR/,
  ],
  ["store.path = 1979-05-27", /store\.path: needs a path, .*found a date or time$/],
  ['store.path = ""', /store\.path: is not a valid path/],
  ['ingest.user_agent = "{foo}"', /ingest\.user_agent: contains "\{foo\}"/],
  ["ingest.notify_first_fetch = 1", /needs true or false without quotes, such as true; found the number 1$/],
  ["ingest.max_document_bytes = 1.5", /needs an integer from 1024 to 536870912, .*found the number 1\.5$/],
  ["ingest.max_document_bytes = nan", /needs an integer .*found the number NaN$/],
  ["ingest.concurrency = 0", /needs an integer from 1 to 64, such as 4; found the number 0$/],
  ["ingest.timeout = 30", /ingest\.timeout: needs a duration, such as "30s"; found the number 30$/],
  ['ingest.timeout = "11m"', /ingest\.timeout: is 11m: use 1s to 10m$/],
  ['delivery.timeout = "0s"', /delivery\.timeout: is 0s: use 100ms to 1m$/],
  [
    'delivery.allow_http = "yes"',
    /needs true or false without quotes, such as true; found the string "yes"$/,
  ],
  ['delivery.allow_networks = ["10.0.0.1"]', /allow_networks\[0\]: is a single address/],
  ['delivery.languages = ["english"]', /delivery\.languages\[0\]: is not a valid language code/],
  ["delivery.concurrency_per_subscription = 1001", /needs an integer from 1 to 1000/],
  ["tiers.team.active_subscriptions = -1", /:1: tiers\.team\.active_subscriptions: needs an integer from 0/],
  ["tiers.team = 5", /tiers\.team: needs a table, such as \[tiers\.team\]; found a number$/],
  ['log.level = "warning"', /log\.level: cannot be "warning": .*Did you mean "warn"\?$/],
  ['log.format = "xml"', /log\.format: cannot be "xml": use one of "text" and "json"\.$/],
  [
    "sources = {}",
    /sources: needs double brackets above each source, such as \[\[sources\]\]; found a table/,
  ],
  ["sources = [1]", /sources\[0\]: needs a table, such as \[\[sources\]\]; found a number$/],
  [source('id = "EU_x"'), /:4: sources\[0\]\.id: cannot be "EU_x"/],
  [
    '[[sources]]\nname_en = "x"\nurl = "https://a.org"',
    /:1: sources\[0\]\.id: is missing: it needs an id/,
  ],
  [
    '[[sources]]\nid = "x"\nurl = "https://a.org"',
    /:1: \[\[sources\]\] "x" name_en: is missing: it needs a name/,
  ],
  [source('name_de = ""'), /\[\[sources\]\] "a-source" name_de: must be one line/],
  [source('base_url = "www.example.org"'), /\[\[sources\]\] "a-source" base_url: is not a valid URL/],
  [source('url = "feed.xml"'), /\[\[sources\]\] "a-source" url: is not a valid URL/],
  [
    source('url = { en = "https://a.org/en" }'),
    /url: needs a URL, .*; found a table\. Did you mean "urls"\?$/,
  ],
  [source('url = ["https://a.org/en"]'), /url: needs a URL, .*; found a list$/],
  [
    source('identity = "title"'),
    /:5: \[\[sources\]\] "a-source" identity: cannot be "title": use "guid", "link"/,
  ],
  [
    source("identity = 5"),
    /\[\[sources\]\] "a-source" identity: needs a rule, such as "link"; found the number 5$/,
  ],
  [
    source('identity = { pattern = "[" }'),
    /\[\[sources\]\] "a-source" identity: is not a valid regular expression: /,
  ],
  [source('identity = { pattern = "[0-9]+" }'), /identity: has a pattern without a group: put the /],
  [
    source('identity = { patern = "x" }'),
    /\[\[sources\]\] "a-source" identity: is not a table with only a pattern: use /,
  ],
  [
    source(`identity = { pattern = "(${"a".repeat(1_000)})" }`),
    /:\d+: \[\[sources\]\] "a-source" identity: is longer than 1000 characters/,
  ],
  [
    source('identity = { pattern = "((((((a?){99}){99}){99}){99}){99}" }'),
    /\[\[sources\]\] "a-source" identity: is not a valid/,
  ],
  [source('parse_timeout = "100ms"'), /\[\[sources\]\] "a-source" parse_timeout: is 100ms: use 1s to 10m$/],
  [source('language_pattern = "("'), /language_pattern: is not a valid regular expression: /],
  [source('removals = "yes"'), /removals: needs true or false without quotes/],
  [
    source('urls = { en = "https://a.org/en", de = "https://a.org/de" }'),
    /url: cannot be combined with urls: set only one/,
  ],
  [inLanguages('{ en = "https://a.org/en" }'), /urls: needs the URLs of several languages; for/],
  [inLanguages('{ en = "https://a.org", german = "https://a.org" }'), /urls: has the key "german", which is/],
  [
    inLanguages('{ en = "https://a.org/en", de = "https://a.org/de" }\nfetch_strategy = "sparql"\n') +
    '[sources.sparql]\nquery = "{since} {until}"\ntitle = "t"\nlink = "l"',
    /urls: is not supported with fetch_strategy = "sparql": remove this key; set the endpoint as url, and select the languages in/,
  ],
  [
    inLanguages('{ en = "https://a.org/en", de = "https://a.org/de" }\nfetch_strategy = "files"'),
    /urls: is not supported with fetch_strategy = "files": remove this key; set the folder as path/,
  ],
  [
    inLanguages('{ en = "https://a.org/{since}", de = "https://a.org/de" }\nfetch_strategy = "json"\n') +
    '[sources.json]\ntitle = "t"\nlink = "l"',
    /json: has \{since\} in some of the source's urls: write it in all of them or in none/,
  ],
  [inLanguages('"https://a.org"'), /urls: needs a table of URLs by language, such as \{ en = /],
  [
    source('schedule = "61 * * * *"'),
    /:5: \[\[sources\]\] "a-source" schedule: is not a valid cron expression/,
  ],
  [
    source("schedule = 30"),
    /\[\[sources\]\] "a-source" schedule: needs a cron expression, such as "\*\/30 \* \* \* \*"/,
  ],
  [
    source('timezone = "Europe/Berln"'),
    /\[\[sources\]\] "a-source" timezone: .*Did you mean "Europe\/Berlin"\?/,
  ],
  [source("languages = []"), /\[\[sources\]\] "a-source" languages: is empty/],
  [source('languages = ["en", "en"]'), /\[\[sources\]\] "a-source" languages: contains a language twice/],
  [
    source('languages = "en"'),
    /\[\[sources\]\] "a-source" languages: needs a list of languages, such as \["en"\]/,
  ],
  [
    source('relevance = "some"'),
    /\[\[sources\]\] "a-source" relevance: cannot be "some": use one of "ai" and "all"/,
  ],
  [
    source('fetch_strategy = "rss"'),
    /cannot be "rss": use one of "feed", "files", "json", "html", "sparql" and "sitemap"\.$/,
  ],
  [source('enabled = "no"'), /\[\[sources\]\] "a-source" enabled: needs true or false/],
];

Deno.test("parseConfig() reports an invalid value with its line and what is expected", async () => {
  for (const [text, expected] of WRONG_VALUES) {
    const lines = await linesOf(text);
    assert.equal(lines.length, 1, `${text}\n${lines.join("\n")}`);
    assert.match(lines[0] ?? "", expected);
  }
});

Deno.test("parseConfig() rejects unknown keys and suggests the one that was probably meant", async () => {
  const rows: [string, string][] = [
    ["[server]\nlisen = 1", 'regfeed.toml:2: server.lisen: unknown key. Did you mean "listen"?'],
    ["[serverr]", 'regfeed.toml:1: serverr: unknown key. Did you mean "server"?'],
    ["[source]", 'regfeed.toml:1: source: unknown key. Did you mean "sources"?'],
    [
      "[delivery]\nallowHttp = true",
      'regfeed.toml:2: delivery.allowHttp: unknown key. Did you mean "allow_http"?',
    ],
    [
      source("shedule = 1"),
      'regfeed.toml:5: [[sources]] "a-source" shedule: unknown key. Did you mean "schedule"?',
    ],
    ["[tiers.teem]", 'regfeed.toml:1: tiers.teem: unknown key. Did you mean "team"?'],
    ["[tiers.gold]", "regfeed.toml:1: tiers.gold: unknown key; tiers has indie, team, gpai and embedded"],
    [
      "[tiers.team]\nsubscriptions_active = 1",
      "regfeed.toml:2: tiers.team.subscriptions_active: unknown key; tiers.team has api_requests_per_day, " +
      "webhook_deliveries_per_month, active_subscriptions, test_calls_per_day, replays_per_day, " +
      "backfills_per_day and held_deliveries",
    ],
    [
      "[billing]\nfrom = 'x'",
      "regfeed.toml:1: billing: unknown key; the tables are server, limits, store, ingest, sources, topics, " +
      "topic_keywords, severity_rules, delivery, tiers, customers, backup, payment, mail, console, metrics and log",
    ],
    ['public_url = "x"', 'regfeed.toml:1: public_url: unknown key here: "public_url" belongs to [server]'],
    [
      "[log]\nschedule = 1",
      'regfeed.toml:2: log.schedule: unknown key here: "schedule" belongs to [[sources]]',
    ],
    ['[log]\n"a b".c = 1', 'regfeed.toml:2: log."a b": unknown key; log has format, level and levels'],
    [
      "__proto__ = 1",
      "regfeed.toml:1: __proto__: unknown key; the tables are server, limits, store, ingest, sources, topics, " +
      "topic_keywords, severity_rules, delivery, tiers, customers, backup, payment, mail, console, metrics and log",
    ],
  ];
  for (const [text, line] of rows) assert.deepEqual(await linesOf(text), [line], text);
});

Deno.test("parseConfig() reports all problems at once, in the order of the file", async () => {
  const text = [
    "[server]",
    "listen = 1",
    "lisen = 2",
    "[[sources]]",
    'id = "a"',
    'authorization_env = "MISSING"',
    'schedule = "x"',
    "[[sources]]",
    'id = "a"',
    'name_en = "A"',
    'url = "https://a.example.org"',
    "[log]",
    'level = "loud"',
  ].join("\n");
  const found = (await problemsOf(text)).map(({ line, key }) => `${line} ${key}`);
  assert.deepEqual(found.toSorted(), [
    "13 log.level",
    "2 server.listen",
    "3 server.lisen",
    '4 [[sources]] "a" name_en',
    '4 [[sources]] "a" url',
    '6 [[sources]] "a" authorization_env',
    '7 [[sources]] "a" schedule',
    '9 [[sources]] "a" id',
  ]);
  const lines = found.map((row) => parseInt(row));
  assert.deepEqual(lines, lines.toSorted((a, b) => a - b));
});

Deno.test("parseConfig() names both lines of duplicate source ids", async () => {
  const text = source() + source('id = "b"') + source();
  assert.deepEqual(await linesOf(text), [
    'regfeed.toml:10: [[sources]] "a-source" id: is already used on line 2: choose an id other than "a-source"',
  ]);
});

Deno.test("parseConfig() checks that a source's keys fit its fetch strategy", async () => {
  const files = 'fetch_strategy = "files"\nbase_url = "https://a.org"\npath = "in"';
  const rows: [string, RegExp[]][] = [
    ['[[sources]]\nid = "a"\nname_en = "A"', [
      /:1: \[\[sources\]\] "a" url: is missing: a feed needs the URL/,
    ]],
    [source('path = "in"'), [
      /:5: \[\[sources\]\] "a-source" path: is not supported with fetch_strategy = "feed"/,
    ]],
    [source(...files.split("\n")), [
      /\[\[sources\]\] "a-source" url: is not supported with fetch_strategy = "files"/,
    ]],
    [`[[sources]]\nid = "a"\nname_en = "A"\n${files}`, []],
    [
      '[[sources]]\nid = "a"\nname_en = "A"\nfetch_strategy = "files"',
      [
        /\[\[sources\]\] "a" path: is missing: set it to the folder/,
        /\[\[sources\]\] "a" base_url: is missing: set it to/,
      ],
    ],
    [
      `[[sources]]\nid = "a"\nname_en = "A"\n${files}\nauthorization = "x"`,
      [/:7: \[\[sources\]\] "a" authorization: is not supported with fetch_strategy = "files"/],
    ],
  ];
  for (const [text, expected] of rows) {
    const lines = await linesOf(text);
    assert.equal(lines.length, expected.length, `${text}\n${lines.join("\n")}`);
    for (const [index, pattern] of expected.entries()) assert.match(lines[index] ?? "", pattern);
  }
});

Deno.test("parseConfig() reports invalid TOML by position and cause, without quoting the file", async () => {
  const rows: [string, number, RegExp][] = [
    ["a = 1\na = 2", 2, /already defined on line 1: merge/],
    ["[log]\na = 1\n[api]\nb = 1\na = 1\n  a= 2", 6, /already defined on line 5: merge/],
    ["[log]\n[tiers.team]\n[api]\n[ tiers.team ] # hush", 4, /already defined on line 2: merge/],
    ['"a" = 1\na = 2', 2, /already defined: merge/],
    ["[log]\nlevel = hush", 2, /put strings in quotes/],
    ["[server]\nlisten = 127.0.0.1:8080", 2, /put strings in quotes/],
    ['x = "hush\ny = 1', 1, /must end with a quote on the same line/],
    ["[[sources]\nid = 1", 1, /double brackets/],
    ["[sources]\nid = 1\n[sources]\nid = 2", 3, /needs double brackets: \[\[sources\]\]/],
    ["[sources]\nid = 1\n[[sources]]\nid = 2", 3, /needs double brackets: \[\[sources\]\]/],
    ["[topics]\n[ topics ] # more", 2, /needs double brackets: \[\[topics\]\]/],
    ["[log]\n[log]", 2, /already defined on line 1: merge/],
    ["[log]\nlevel = \u201chush\u201d", 2, /typographic quotes/],
    ["x = [\u201ehush\u201c]", 1, /typographic quotes/],
    ["\u2018hush\u2019 = 1", 1, /typographic quotes/],
    ['x = "\u201chush\u201d" y', 1, /one key per line/],
    ["x = [1,\n2\ny = 3", 3, /a bracket is not closed or a comma is missing/],
    ["x = [1,\n2", 2, /a bracket is not closed/],
    ["x = 007", 1, /must not start with zero/],
    ["x = 1 y = 2", 1, /one key per line/],
    ["hush", 1, /lines are KEY = VALUE/],
    ['x = "a\\hush"', 1, /backslash/],
    ["x = 2020-99-99", 1, /(date|quotes)/],
  ];
  for (const [text, line, expected] of rows) {
    const problems = await problemsOf(text);
    assert.equal(problems.length, 1, text);
    assert.equal(problems[0]?.line, line, text);
    assert.equal(typeof problems[0]?.column, "number");
    assert.equal(problems[0]?.key, null);
    assert.match(problems[0]?.message ?? "", expected);
    assert.match(problems[0]?.message ?? "", /\(parser message: [a-z]/);
    assert.doesNotMatch(problems[0]?.message ?? "", /hush|\n/);
  }
});
