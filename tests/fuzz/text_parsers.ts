// Parsers of single values and texts: dates, URLs, language tags, markup, differences, log lines.
import { createClassifier } from "../../src/classify/classify.ts";
import eventTypes from "../../src/classify/data/event_types.json" with { type: "json" };
import laws from "../../src/classify/data/laws.json" with { type: "json" };
import relevance from "../../src/classify/data/relevance.json" with { type: "json" };
import severity from "../../src/classify/data/severity.json" with { type: "json" };
import topics from "../../src/classify/data/topics.json" with { type: "json" };
import { NO_ADDITIONS } from "../../src/classify/configured_rules.ts";
import { withoutValues } from "../../src/domain/delivery/custom_headers.ts";
import { harmless } from "../../src/domain/control_characters.ts";
import { wrapText } from "../../src/cli/wrap_text.ts";
import { cut, oneLine } from "../../src/cli/table.ts";
import { changedSentences } from "../../src/domain/event/changed_sentences.ts";
import { readDateAs } from "../../src/domain/source/date_format.ts";
import type { Log } from "../../src/domain/ports/ports.ts";
import { bodyForms } from "../../src/delivery/verify/altered_bodies.ts";
import { redactingLog } from "../../src/ingest/redacting_log.ts";
import { decidePartialFailures } from "../../src/ingest/partial_failures.ts";
import { languageForms, withoutLanguage } from "../../src/ingest/identify/language_urls.ts";
import { parseDate } from "../../src/ingest/normalise/dates.ts";
import { languageCode } from "../../src/ingest/normalise/language.ts";
import { absoluteUrl, cleanUrl } from "../../src/ingest/normalise/links.ts";
import { cutText, textFromMarkup } from "../../src/ingest/normalise/text.ts";
import { redact } from "../../src/domain/redact.ts";
import { type FuzzedParser, splitTokens } from "./fuzzed_parser.ts";

const nothing = (): void => {};
const log = redactingLog(
  { isDebugged: true, debug: nothing, info: nothing, warn: nothing, error: nothing } as Log,
);
const { classify } = createClassifier(NO_ADDITIONS);
const forms = languageForms(
  {
    languages: ["en"],
    urls: { en: "https://a.example/en", de: "https://a.example/de" },
  } as unknown as Parameters<typeof languageForms>[0],
);

const WORDS = splitTokens(
  " |\n|.|. |,|, |;|:|(|)|-|'|\"|a|A|Aa |1|1 |Art. |Article 5|Articles 5(1)(f), |(1)|(a)| and | to |" +
    "5 to 9, |Annex III |Recital 1, |AI |A.I. |AI Act |Regulation (EU) 2024/1689 |" +
    "Directive 2014/90/EU |Data Protection Act |The |of the |Maschinenverordnung |e.g. |z.B. |" +
    "paragraph |point (f) of |groupe de travail |lignes directrices |guidelines |consultation |\u00e4|" +
    "\u00e0 |e\u0301|\u200b|\u4e2d",
);
const ADDRESS = splitTokens(
  "/|//|?|#|&|=|%|%20|%2F|a|A|.|..|../|:|@|http://|HTTP://|https://|www.|utm_source=|utm_a=b&|" +
    ";jsessionid=|&amp;|_de|/de/|.de|-de.| |\t|<|\u00e4|xn--|[",
);

/** The words in the classifier's lists, without the special characters of patterns. */
const LISTED_WORDS = [...new Set([eventTypes, laws, relevance, severity, topics].flatMap(textsIn))]
  .map((text) => `${text.replace(/[\^$*#…()|]/g, "")} `);

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** As many headers as are allowed, with as many different credentials as fit. */
const CUSTOM_HEADERS = Object.fromEntries(
  Array.from({ length: 10 }, (_, header) => [
    `x-${header}`,
    Array.from({ length: 113 }, (_, at) => String(header * 1_000 + at).padStart(8, "k")).join(" "),
  ]),
);

/** The maximum length of a summary and of a date, characters. */
const SUMMARY = 10_000;
const DATE = 120;

/** Parses text in parts of the maximum length. */
function inParts(text: string, length: number, read: (part: string) => void): void {
  for (let at = 0; at < text.length; at += length) read(text.slice(at, at + length));
}

export const TEXT_PARSERS: readonly FuzzedParser[] = [
  {
    name: "response that may repeat headers",
    sample: '{"headers":{"x-0":"kkkkkkk0 kkkkkkk1"}}',
    tokens: splitTokens('k|kkkkkkk0|kkkkkkk1 |kkkk9112|0| |\n|,|"|-|_|/|+|~|=|.|\u00e4'),
    read: (text) => withoutValues(CUSTOM_HEADERS, text),
  },
  {
    name: "date",
    sample: "Mon, 27 July 2026 at 15:30:12 CEST",
    tokens: splitTokens(
      " |,|.|-|/|:|0|12|2026|+|z|t|T153012|July |Mon |at |(|)|(a)|[|#|#7#|#0#0 0:|p.m.|uhr |h|de |" +
        "e\u0301|\ufdfa",
    ),
    read: (text) => inParts(text, DATE, (part) => void parseDate(part, { timezone: "UTC" })),
  },
  {
    name: "date in a form of the config",
    sample: "30. Juli 2026 15:30",
    tokens: [" ", "0", "1", ".", "-", "a"],
    read: (text) => readDateAs(text, "d. MMMM'x'yyyy".replace("MMMM", "MM")),
  },
  {
    name: "address",
    sample: "https://www.a.example/b/c_de.html?d=e&utm_source=f#g=h",
    tokens: ADDRESS,
    read: (text) => {
      absoluteUrl(text, "/a/", "https://a.example");
      cleanUrl(text);
      if (forms !== null) withoutLanguage(text, forms);
    },
  },
  {
    name: "language tag",
    sample: "en-GB",
    tokens: ["-", "_", "en", "a", "x", " "],
    read: (text) => languageCode(text),
  },
  {
    name: "markup",
    sample: "<p>One <b>two</b> &amp; three.</p><ul><li>four</li></ul>",
    tokens: splitTokens(
      '<|>|/|&|;|=|"| |\n|a|<p>|</p>|<b>|</b>|<b |<b a=|</|<!--|-->|<!|<?|<time>|</time>|<h1>|<span>|' +
        "<span>title</span>|</span>|<script>|<style>|<title>|<svg>|<td>|<br>|&amp;|&lt;|&amp;lt;|" +
        "&lt;p&gt;|&#38;|&#x26;|&nbsp|&a|<![CDATA[|]]>|\u200b|e\u0301|\u0344|\ud800|\ud83d\ude00",
    ),
    read: (text) => cutText(textFromMarkup(text, { repeats: ["title", "author"] }), 10_000),
  },
  {
    name: "classification",
    sample:
      "Guidelines on Article 50(1) and (2) of Regulation (EU) 2024/1689, the AI Act. They apply from 2 August 2026.",
    tokens: [...WORDS, ...LISTED_WORDS],
    read: (text) =>
      inParts(text, SUMMARY, (part) => {
        const { relevant, language, eventType, topics, severity, aiActArticles, reasons } = classify({
          title: `The AI Act ${part.slice(0, 480)}`,
          summary: part,
          url: "https://a.example/ai-act",
          categories: [part.slice(0, 200)],
          statedLanguages: ["en"],
          sourceId: "board",
        });
        void [relevant, language, eventType, topics, severity, aiActArticles, reasons];
      }),
  },
  {
    name: "difference",
    sample: "They concern Article 50, cf. Art. 6. They apply from 2 August 2026. Nothing else changes.",
    tokens: WORDS,
    read: (text) =>
      inParts(text, SUMMARY, (part) => {
        changedSentences(part, `${part.slice(0, 5_000)} More. ${part.slice(5_000)}`, "en");
        changedSentences(part, part.replaceAll("a", "b"), "de");
      }),
  },
  {
    name: "log line",
    sample: "GET https://a.example/b?key=c failed: ana@example.org said whsec_abc, Bearer rgf_0a",
    tokens: [
      ...ADDRESS,
      ...splitTokens("a@|@a|a@b.example|://a:|whsec_|Bearer |rgf_0|sk_live_|\u001b[31m|\u202e"),
    ],
    read: (text) => {
      log.info(redact(text), { text, list: [text] });
      decidePartialFailures([], [{ part: text, reason: text }], 0);
      wrapText(harmless(text), { width: 80, indent: 2 });
      oneLine(text);
      cut(text, 100);
    },
  },
  {
    name: "body of a delivery that is verified",
    sample: '{"type":"event.created","timestamp":"2026-08-01T10:00:00Z","data":{}}\r\n',
    tokens: splitTokens('\r|\n|\r\n| |"|\\|{|}|[|]|,|:|a|=|\u00e4|\u00c3\u00a4|\ufeff'),
    read: (text) => bodyForms(new TextEncoder().encode(text)),
  },
];
