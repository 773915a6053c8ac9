// Additions to the classification in the config are parsed, and invalid ones are rejected.
import assert from "node:assert/strict";
import { configOf, linesOf, source } from "./given.ts";

const EVERY_KEY = `
[[topics]]
id = "own"
name_en = "Own"
name_de = "Eigenes"
name_fr = "Propre"
parent = "own-family"
articles = ["Art. 4", "27"]
keywords_any = ["EIOPA"]
keywords_en = ["insurer*"]
keywords_de = ["Versicherer*"]
keywords_fr = ["assureur*"]
keywords_other = ["seguro*"]
[[topics]]
id = "own-family"
name_en = "Family"
[[topic_keywords]]
topic = "gpai"
keywords_de = ["Grundmodell-Anbieter*"]
[[severity_rules]]
severity = "high"
why = "binds us"
sources = ["a-source"]
event_types = ["guidance"]
topics = ["own"]
articles = ["article 26 (1)", "annex iii"]
words = ["circular*"]
without = ["draft*"]
`;

const NO_KEYWORDS = { any: [], en: [], de: [], fr: [], other: [] };

Deno.test("parseConfig() reads topics, keywords, severity rules and defaults of sources", async () => {
  const text = EVERY_KEY + source('event_type = "decision"', 'topics = ["own", "gpai"]') + source('id = "b"');
  assert.deepEqual((await configOf(text)).classification, {
    topics: [
      {
        id: "own",
        name_en: "Own",
        name_de: "Eigenes",
        name_fr: "Propre",
        parent: "own-family",
        articles: ["4", "27"],
        keywords: {
          any: ["EIOPA"],
          en: ["insurer*"],
          de: ["Versicherer*"],
          fr: ["assureur*"],
          other: ["seguro*"],
        },
      },
      {
        id: "own-family",
        name_en: "Family",
        name_de: "Family",
        name_fr: "Family",
        parent: null,
        articles: [],
        keywords: NO_KEYWORDS,
      },
    ],
    keywords: [{ topic: "gpai", keywords: { ...NO_KEYWORDS, de: ["Grundmodell-Anbieter*"] } }],
    severityRules: [{
      severity: "high",
      why: "binds us",
      sources: ["a-source"],
      eventTypes: ["guidance"],
      topics: ["own"],
      articles: ["Art. 26(1)", "Annex III"],
      words: ["circular*"],
      without: ["draft*"],
    }],
    sources: [{ sourceId: "a-source", eventType: "decision", topics: ["own", "gpai"] }],
  });
});

const topic = (...lines: string[]): string => ["[[topics]]", 'name_en = "X"', ...lines, ""].join("\n");
const words = (line: string): string => `[[topic_keywords]]\ntopic = "employment"\n${line}\n`;
const rule = (...lines: string[]): string => ["[[severity_rules]]", 'why = "x"', ...lines, ""].join("\n");

/** `own` adds lines to the topic "a". `high` and `low` add lines to rules with these severities. */
const own = (...lines: string[]): string => topic('id = "a"', ...lines);
const zork = 'keywords_en = ["zork"]';
const bots = 'keywords_en = ["bot*"]';
const high = (...lines: string[]): string => rule('severity = "high"', ...lines);
const low = (...lines: string[]): string => rule('severity = "low"', ...lines);

/** A config, the key that its only error names, and a part of the message. */
const REFUSED: [text: string, key: string, part: string][] = [
  [topic('id = "gpai"', 'keywords_en = ["zork"]'), '3: [[topics]] "gpai" id', "a built-in topic"],
  [own(zork) + own(zork), '7: [[topics]] "a" id', "another topic in [[topics]] already has"],
  [topic('id = "A"', 'keywords_en = ["zork"]'), "3: topics[0].id", "lower-case letters"],
  [topic('id = "a"'), '3: [[topics]] "a" id', "can never match"],
  [own('parent = "nowhere"', 'articles = ["4"]'), '4: [[topics]] "a" parent', "is not a topic"],
  [own('parent = "gpai"', 'articles = ["4"]'), '4: [[topics]] "a" parent', "two levels"],
  [own('parent = "a"', 'articles = ["4"]'), '4: [[topics]] "a" parent', "two levels"],
  [own('articles = ["4", "114"]'), '4: [[topics]] "a" articles[1]', "not an article of the AI Act"],
  [own('articles = ["Annex III"]'), '4: [[topics]] "a" articles[0]', "not an article of the AI Act"],
  [own('keywords_en = ["ok", ""]'), '4: [[topics]] "a" keywords_en[1]', "is empty"],
  [own('keywords_en = ["é*"]'), '4: [[topics]] "a" keywords_en[0]', "one letter"],
  [own('keywords_en = ["AI*Act"]'), '4: [[topics]] "a" keywords_en[0]', "can never match"],
  [own('keywords_en = ["AI *ing"]'), '4: [[topics]] "a" keywords_en[0]', "can never match"],
  [own('keywords_en = ["§ 5"]'), '4: [[topics]] "a" keywords_en[0]', "start with a letter"],
  [own('keywords_en = ["bot*", "bots"]'), '4: [[topics]] "a" keywords_en[1]', 'has "bot*"'],
  [own(bots, 'keywords_other = ["bots"]'), '5: [[topics]] "a" keywords_other[0]', 'has "bot*"'],
  [
    own('keywords_any = ["bot*"]', 'keywords_fr = ["bots"]'),
    '5: [[topics]] "a" keywords_fr[0]',
    'has "bot*"',
  ],
  [own('keywords_en = "bot"'), '4: [[topics]] "a" keywords_en', "needs a list of words"],
  [
    own('keywords_es = ["bot"]'),
    '4: [[topics]] "a" keywords_es',
    'words in this language into "keywords_other"',
  ],
  [own('keyword_en = ["bot"]'), '4: [[topics]] "a" keyword_en', 'Did you mean "keywords_en"?'],
  [
    words('keywords_en = ["hiring"]'),
    "3: topic_keywords[0].keywords_en[0]",
    'the topic already has "hiring"',
  ],
  [words("keywords_en = []"), "2: topic_keywords[0].topic", "has no keywords"],
  [
    words('keywords_de = ["Zork"]') + words('keywords_de = ["zork"]'),
    "6: topic_keywords[1].keywords_de[0]",
    'the topic already has "Zork"',
  ],
  ['[[topic_keywords]]\ntopic = "x"\nkeywords_en = ["zork"]', "2: topic_keywords[0].topic", "is not a topic"],
  [rule('severity = "high"'), "3: severity_rules[0].severity", "has no condition"],
  [rule('severity = "High"', 'words = ["zork"]'), "3: severity_rules[0].severity", 'Did you mean "high"?'],
  [high('event_types = ["guidence"]'), "4: severity_rules[0].event_types[0]", 'Did you mean "guidance"?'],
  [high('topics = ["x"]'), "4: severity_rules[0].topics[0]", "is not a topic"],
  [high('sources = ["x"]'), "4: severity_rules[0].sources[0]", "not a source in this config"],
  [high('articles = ["Art. 114"]'), "4: severity_rules[0].articles[0]", "is not in the AI Act"],
  [high('articles = ["Annex XV"]'), "4: severity_rules[0].articles[0]", "is not in the AI Act"],
  [high('articles = ["all"]'), "4: severity_rules[0].articles[0]", "is not in the AI Act"],
  [
    high('words = ["draft guidelines", "zork"]', 'without = ["Draft*"]'),
    "4: severity_rules[0].words[0]",
    "can never match",
  ],
  [
    high('topics = ["gpai-family"]', 'words = ["circular*"]') +
    low('topics = ["gpai"]', 'words = ["circulars on AI"]', 'without = ["draft"]'),
    "8: severity_rules[1].severity",
    "can never apply, because severity_rules[0] matches",
  ],
  [words('keywords_en = ["recruitment law"]'), "3: topic_keywords[0].keywords_en[0]", 'has "recruitment"'],
  [own('keywords_en = ["..."]'), '4: [[topics]] "a" keywords_en[0]', "start with a letter"],
  [own('keywords_en = ["robo adviser."]'), '4: [[topics]] "a" keywords_en[0]', "remove the punctuation"],
  [own(`keywords_en = ["${"zork ".repeat(50)}"]`), '4: [[topics]] "a" keywords_en[0]', "the maximum is 200"],
  [own('keywords_en = ["\\u200b"]'), '4: [[topics]] "a" keywords_en[0]', "is empty"],
  [high('words = ["zork", "Zork"]'), "4: severity_rules[0].words[1]", "has no effect"],
  [high('articles = ["Art. 26()"]'), "4: severity_rules[0].articles[0]", "is not in the AI Act"],
  [high('articles = ["Art. 26(x"]'), "4: severity_rules[0].articles[0]", "is not in the AI Act"],
  [high('topics = ["gpai", "gpai"]'), "4: severity_rules[0].topics[1]", "a duplicate: remove it"],
  [source('topics = ["gpai", "gpai"]'), '5: [[sources]] "a-source" topics[1]', "a duplicate: remove it"],
  [source('event_type = "party"'), '5: [[sources]] "a-source" event_type', "cannot be"],
  [source('topics = ["gpai", "x"]'), '5: [[sources]] "a-source" topics[1]', "is not a topic"],
];

Deno.test("parseConfig() rejects invalid additions by file, line and key", async () => {
  for (const [text, key, part] of REFUSED) {
    const lines = await linesOf(text);
    assert.equal(lines.length, 1, `${text}\n${lines.join("\n")}`);
    assert.ok(lines[0]?.startsWith(`regfeed.toml:${key}: `), `${key} ${lines[0]}`);
    assert.ok(lines[0]?.includes(part), `${part} ${lines[0]}`);
  }
});

Deno.test("parseConfig() accepts severity rules of which neither includes the other", async () => {
  const rows = [
    high('words = ["circular"]') + low('words = ["circulars"]'),
    high('words = ["circular*"]', 'without = ["draft"]') +
    low('words = ["circulars"]'),
    high('topics = ["gpai"]') + low('topics = ["gpai-family"]'),
    high('articles = ["Art. 26(1)"]') +
    low('articles = ["Art. 26"]'),
    high('event_types = ["guidance"]') +
    low('event_types = ["guidance", "faq"]'),
    high('words = ["AI"]') + low('words = ["ai"]'),
    high('words = ["guidelines"]', 'without = ["draft guidelines"]'),
  ];
  for (const text of rows) assert.deepEqual(await linesOf(text), [], text);
});
