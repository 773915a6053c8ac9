// Severities follow from event type, publisher and words.
import assert from "node:assert/strict";
import { classifyItem } from "../../src/classify/classify.ts";
import type { Severity } from "../../src/domain/event/severity.ts";

const COMMISSION = "https://digital-strategy.ec.europa.eu/en/x/1";
const GERMANY = "https://www.bundesnetzagentur.de/1";
const FRANCE = "https://www.cnil.fr/1";
const BRITAIN = "https://www.gov.uk/1";
const EURLEX = "https://eur-lex.europa.eu/eli";
const AMERICA = "https://www.ftc.gov/1";

const ROWS: [expected: Severity, title: string, url: string][] = [
  ["critical", "Regulation (EU) 2026/1744 as regards artificial intelligence", `${EURLEX}/reg/2026/1744/oj`],
  ["critical", "AI Act enters into force", COMMISSION],
  ["critical", "Rules for AI models start to apply", COMMISSION],
  ["critical", "KI-Gesetz tritt in Kraft", COMMISSION],
  [
    "critical",
    "Gesetz zur Durchführung der KI-Verordnung",
    "https://www.recht.bund.de/eli/bund/bgbl-1/2027/9",
  ],
  ["critical", "Commission fines provider under the AI Act", COMMISSION],
  ["critical", "Behörde untersagt KI-System mit sofortiger Wirkung", GERMANY],
  ["high", "Parliament and Council reach political agreement on AI Act changes", COMMISSION],
  ["high", "MEPs vote to delay the AI Act", "https://www.europarl.europa.eu/news/1"],
  ["high", "Guidelines on the AI Act", COMMISSION],
  ["high", "Code of Practice for general-purpose AI", COMMISSION],
  ["high", "Commission Implementing Regulation (EU) 2027/1 on the AI Act", `${EURLEX}/reg_impl/2027/1/oj`],
  ["high", "Judgment of the Court: automated decision-making", "https://curia.europa.eu/1"],
  ["high", "Reconnaissance faciale : amende de 20 millions d'euros", FRANCE],
  ["high", "First harmonised standard for AI cited in the Official Journal", "https://www.cencenelec.eu/1"],
  ["medium", "Draft guidelines on the AI Act", COMMISSION],
  ["medium", "Third draft of the Code of Practice for general-purpose AI", COMMISSION],
  ["medium", "Consultation on guidelines for AI", COMMISSION],
  [
    "medium",
    "Entwurf eines Gesetzes zur Durchführung der KI-Verordnung",
    "https://dip.bundestag.de/vorgang/1",
  ],
  ["medium", "Orientierungshilfe zu KI", GERMANY],
  ["medium", "EDPB opinion on AI models", "https://www.edpb.europa.eu/1"],
  ["medium", "Corrigendum to Regulation (EU) 2024/1689", "https://eur-lex.europa.eu/1"],
  ["medium", "Behörde leitet Verfahren gegen Anbieter von KI ein", GERMANY],
  ["medium", "Proposal for a regulation on artificial intelligence", COMMISSION],
  ["medium", "FTC bans company from using facial recognition", AMERICA],
  ["medium", "Final Rule on artificial intelligence in credit scoring", AMERICA],
  ["low", "Proposed Rule on artificial intelligence in credit scoring", AMERICA],
  ["low", "Élaboration d'un code de bonnes pratiques en matière d'IA", COMMISSION],
  [
    "low",
    "AB 99 introduced: workplace artificial intelligence tools",
    "https://leginfo.legislature.ca.gov/1",
  ],
  ["low", "Guidance on AI in schools", BRITAIN],
  ["low", "Consultation on AI and copyright", BRITAIN],
  ["low", "Request for information on AI security", AMERICA],
  ["low", "Report on AI and fundamental rights", "https://fra.europa.eu/1"],
  ["low", "Questions and answers on the AI Act", COMMISSION],
  ["low", "Speech by the Commissioner on the AI Act", COMMISSION],
  ["low", "Erfahren Sie mehr über das KI-Gesetz", COMMISSION],
  ["info", "Webinar on the AI Act", COMMISSION],
  ["info", "Arbeitskreis KI der Datenschutzkonferenz", "https://www.datenschutz.rlp.de/1"],
  ["info", "Regulation (EU) 2026/99 on fisheries enters into force", `${EURLEX}/reg/2026/99/oj`],
];

Deno.test("classifyItem() derives the severity from event type, publisher and words", () => {
  for (const [expected, title, url] of ROWS) {
    const result = classifyItem({ title, summary: "", url, categories: [], statedLanguages: [] });
    const reasons = result.reasons.filter(({ field }) => field === "severity" || field === "event_type");
    assert.equal(result.severity, expected, `${title} ${JSON.stringify(reasons)}`);
  }
});
