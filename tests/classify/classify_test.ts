// The whole classification, with explanations, on typical, misleading and random items.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { type ClassifyInput, classifyItem, RULES_VERSION, TOPICS } from "../../src/classify/classify.ts";
import { EVENT_TYPES } from "../../src/domain/event/event.ts";
import { SEVERITIES } from "../../src/domain/event/severity.ts";

function item(fields: Partial<ClassifyInput>): ClassifyInput {
  return { title: "", summary: "", url: "", categories: [], statedLanguages: ["en"], ...fields };
}

Deno.test("classifyItem() returns every value of a relevant item, with a reason for each", () => {
  const result = classifyItem(item({
    title: "Commission publishes guidelines on transparency under Article 50 of the AI Act",
    url: "https://digital-strategy.ec.europa.eu/en/library/guidelines-transparency",
  }));
  assert.equal(result.relevant, true);
  assert.equal(result.language, "en");
  assert.equal(result.eventType, "guidance");
  assert.deepEqual(result.topics, ["transparency"]);
  assert.equal(result.severity, "high");
  assert.deepEqual(result.aiActArticles, ["Art. 50"]);
  const explained = result.reasons.map(({ field, value }) => `${field}: ${value}`);
  assert.deepEqual(explained, [
    "relevant: true",
    "language: en",
    "event_type: guidance",
    "topics: transparency",
    "severity: high",
    "ai_act_articles: Art. 50",
  ]);
  const topic = result.reasons.find((reason) => reason.field === "topics");
  assert.deepEqual(topic?.words, ["transparency", "Art. 50"]);
});

Deno.test("reasons state the points and the words behind them", () => {
  const told = (title: string, summary: string, url: string, fields: string[]) =>
    classifyItem(item({ title, summary, url })).reasons.filter(({ field }) => fields.includes(field))
      .map(({ field, value, why, words }) => `${field} ${value}: ${why} [${words.join(" · ")}]`);

  // The title names the supervisor, and the URL does not.
  assert.deepEqual(
    told("CMA launches initial review of AI models", "Competition and consumers.", "https://www.gov.uk/1", [
      "relevant",
    ]),
    [
      "relevant true: it is about AI and rules (AI is in its title) [AI]",
      "relevant true: points for rules: 3 (needed: 2) [competition · publisher: CMA]",
    ],
  );
  assert.deepEqual(
    told("Robots for every farm", "AI brings growth, startups and jobs to farms.", "", ["relevant"]).slice(
      0,
      1,
    ),
    ["relevant false: it is about AI, but not enough about rules (AI is only in its summary) [AI]"],
  );
  // The publisher's default topic has no points.
  assert.deepEqual(
    told("Policy statement on artificial intelligence", "", "https://www.federalregister.gov/1", ["topics"]),
    ["topics international: the default for its publisher, because no other topic matches [third-country: gov]"],
  );
  // The publisher affects severity and is shown; an unknown publisher is not called foreign.
  const severities: [title: string, url: string, expected: RegExp][] = [
    [
      "Guidance on the AI Act",
      "https://www.gov.uk/1",
      /^severity low: .* outside the EU .*third-country: uk\]$/,
    ],
    ["Guidance on the AI Act", "", /^severity low: .* from an unknown publisher .*unknown\]$/],
    ["Guidance on the AI Act", "https://www.edps.europa.eu/1", /^severity medium: guidance .*eu-body: edps/],
    ["Speech on the AI Act", "https://www.edps.europa.eu/1", /^severity low: a report, .* a speech/],
  ];
  for (const [title, url, expected] of severities) {
    assert.match(told(title, "", url, ["severity"]).join(), expected);
  }
});

Deno.test("classifyItem() gives an item without AI a language, an event type and severity info, but no topics", () => {
  const result = classifyItem(item({
    title:
      "Urteil des Gerichtshofs vom 3. März 2026 in der Rechtssache C-12/25: Schutz personenbezogener Daten",
    url: "https://curia.europa.eu/1",
  }));
  const { relevant, language, eventType, topics, severity, aiActArticles } = result;
  assert.deepEqual({ relevant, language, eventType, topics, severity, aiActArticles }, {
    relevant: false,
    language: "de",
    eventType: "court-ruling",
    topics: [],
    severity: "info",
    aiActArticles: [],
  });
});

Deno.test("classifyItem() distinguishes AI from lookalikes, and rules on AI from other news on AI", () => {
  const rows: [expected: boolean, title: string, summary: string, language: string][] = [
    [false, "ESMA guidelines under the AIFMD", "", "en"],
    [false, "Rules on AIS transponders for ships", "", "en"],
    [false, "J'ai reçu une amende : que faire ?", "Si j'ai raison, la loi me protège.", "fr"],
    [false, "Gesetz über Kinos: Ki-Nachfolger gesucht", "", "de"],
    [false, "Guidance on highly pathogenic avian influenza: AI in wild birds", "", "en"],
    [true, "Guidance on artificial intelligence in the control of avian influenza", "", "en"],
    [false, "Guidelines on algorithmic trading under MiFID II", "", "en"],
    [false, "Recommendation on post-quantum cryptographic algorithms", "", "en"],
    [true, "Guidance on fairness of algorithms", "", "en"],
    [false, "Opinion on the GDPR certification criteria", "", "en"],
    [false, "Commission opens proceedings under the Digital Services Act", "", "en"],
    [false, "EUR 20 million for artificial intelligence in hospitals", "", "en"],
    [false, "Company announces new AI chip", "Customers can order it now.", "en"],
    [false, "AI helps farmers save water", "A pilot project with sensors.", "en"],
    [true, "AI helps farmers: what the AI Act asks of providers", "", "en"],
    [true, "Orientierungshilfe zu KI", "", "de"],
    [true, "Recommandations sur l’IA", "", "fr"],
    [true, "Verordnung (EU) 2024/1689", "", "de"],
    [true, "Corrigendum to Regulation (EU) 2024/1689", "", "en"],
    [true, "L'I.A. et le droit : avis", "", "fr"],
    [false, "Annual report", `${"The authority reports on its work. ".repeat(30)} It also used AI.`, "en"],
    [true, "Annual report", "The report sets out how the authority supervises AI under the AI Act.", "en"],
    [true, "Decisión sobre inteligencia artificial: sanción", "", "es"],
  ];
  for (const [expected, title, summary, language] of rows) {
    const result = classifyItem(item({ title, summary, statedLanguages: [language] }));
    assert.equal(result.relevant, expected, `${title}: ${JSON.stringify(result.reasons[0])}`);
  }
});

Deno.test("classifyItem() finds the publisher in the URL, so guidelines from outside the EU are less severe", () => {
  const rows: [url: string, severity: string][] = [
    ["https://digital-strategy.ec.europa.eu/en/library/1", "high"],
    ["https://www.edpb.europa.eu/1", "high"],
    ["https://www.enisa.europa.eu/1", "medium"],
    ["https://www.cnil.fr/en/1", "medium"],
    ["https://www.gov.uk/1", "low"],
    ["https://oecd.ai/en/1", "low"],
    ["not a URL", "low"],
  ];
  for (const [url, severity] of rows) {
    assert.equal(classifyItem(item({ title: "Guidelines on AI", url })).severity, severity, url);
  }
});

Deno.test("TOPICS has two levels with names in three languages, and RULES_VERSION is set", () => {
  const parents = new Map(TOPICS.map(({ id, parent }) => [id, parent]));
  assert.equal(parents.size, TOPICS.length);
  for (const { id, parent, name_en, name_de, name_fr } of TOPICS) {
    if (parent !== null) assert.equal(parents.get(parent), null, id);
    assert.ok([name_en, name_de, name_fr].every((name) => name !== ""), id);
  }
  assert.match(RULES_VERSION, /^\d/);
});

/** Fragments that the rules match, and unusual characters. */
const PIECES = [
  ..."AI Act|KI-VO|du RIA|Article 5|Articles 8 to|Art. 6 Abs.|Annex III|points a)|of the|GDPR".split("|"),
  ..."AI KI IA ai Ki the der des le und et of AI Act KI-VO RIA GDPR DSGVO TFEU Article Articles Art. Artikel article"
    .split(" "),
  ..."Annex Anhang annexes III IV XX recital Erwägungsgrund considérants Abs. lit. point paragraphe bis ter to à"
    .split(" "),
  ..."( ) [ ] , ; . : - – / § % 1 5 50 113 150 999 2024/1689 75d 4 a b) (f) (1) ii premier ß é œ « ’ \n \u0000 \ud83d \u200b"
    .split(" "),
  ..."fine draft guidelines Leitlinien amende CELEX:32024R1689R(01) ^ * … # (a|b) $ \\ Judgment Gesetz loi"
    .split(" "),
];

Deno.test("classifyItem() accepts any text, returns only valid values, and is deterministic", () => {
  const topics = new Set(TOPICS.map((topic) => topic.id));
  const word = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...PIECES) },
    { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
  );
  const words = fc.array(word, { maxLength: 40 });
  const texts = fc.tuple(words, fc.constantFrom(" ", ""), fc.boolean())
    .map(([pieces, space, wild]) => pieces.join(wild ? space : " "));
  const inputs = fc.record({
    title: texts,
    summary: texts,
    url: fc.oneof(texts, fc.webUrl()),
    categories: fc.array(texts, { maxLength: 3 }),
    statedLanguages: fc.array(fc.oneof(fc.constantFrom("en", "de-AT", "FRA", "es", "x-default"), texts), {
      maxLength: 2,
    }),
  });
  const seen = { relevant: 0, citing: 0 };
  const check = (input: ClassifyInput): void => {
    const result = classifyItem(input);
    if (result.relevant) seen.relevant++;
    if (result.aiActArticles.length > 0) seen.citing++;
    assert.match(result.language, /^[a-z]{2}$/);
    assert.ok(EVENT_TYPES.includes(result.eventType));
    assert.ok(SEVERITIES.includes(result.severity));
    assert.ok(result.topics.length <= 5 && new Set(result.topics).size === result.topics.length);
    assert.ok(result.topics.every((topic) => topics.has(topic)));
    if (!result.relevant) assert.deepEqual([result.topics, result.severity], [[], "info"]);
    assert.equal(new Set(result.aiActArticles).size, result.aiActArticles.length);
    for (const reference of result.aiActArticles) {
      assert.match(reference, /^(Art\. \d{1,3}[a-d]?|Annex [IVX]+|Recital \d{1,3})(\([0-9a-zA-E]{1,4}\))*$/);
    }
    assert.ok(result.reasons.every((reason) => reason.why !== "" && reason.value !== ""));
    assert.deepEqual(classifyItem(input), result);
  };
  fc.assert(fc.property(inputs, check), { numRuns: 10_000, seed: 20_240_801 });
  assert.ok(seen.relevant > 100 && seen.citing > 100, JSON.stringify(seen));
});
