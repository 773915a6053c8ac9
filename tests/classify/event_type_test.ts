// Event types are found by document number, URL, title, category and summary.
import assert from "node:assert/strict";
import { classifyItem } from "../../src/classify/classify.ts";
import type { EventType } from "../../src/domain/event/event.ts";

interface From {
  title: string;
  summary?: string;
  url?: string;
  category?: string;
}

const ROWS: [expected: EventType, from: From | string][] = [
  ["corrigendum", { title: "Regulation", url: "https://eur-lex.europa.eu/?uri=CELEX:32024R1689R(02)" }],
  ["corrigendum", "Rectificatif au règlement (UE) 2024/1689"],
  ["corrigendum", "Berichtigung der Verordnung (EU) 2024/1689"],
  ["corrigendum", "Financial forms; Correction"],
  ["court-ruling", { title: "Case", url: "https://eur-lex.europa.eu/?uri=celex%3A62023CC0203" }],
  ["court-ruling", "Arrêt de la Cour (première chambre) du 27 février 2025"],
  ["court-ruling", "Schlussanträge der Generalanwältin vom 3. Juli 2026"],
  ["court-ruling", "BGH entscheidet über Scoring"],
  ["court-ruling", "CELEX:62023CJ0101: Judgment of the Court"],
  ["legislation", { title: "Rules", url: "https://eur-lex.europa.eu/eli/reg/2026/1744/oj" }],
  ["legislation", "Proposal for a Directive on liability"],
  ["legislation", "Verordnung (EU) 2026/1744"],
  ["legislation", "Parliament and Council reach provisional agreement on new rules"],
  ["legislation", "Le règlement entre en vigueur"],
  ["legislation", "Neue Regeln treten in Kraft"],
  ["delegated-act", { title: "Act", url: "https://eur-lex.europa.eu/eli/reg_del/2025/301/oj" }],
  ["delegated-act", "Delegierte Verordnung (EU) 2027/1 der Kommission"],
  ["delegated-act", "Commission adopts delegated act on Annex III"],
  ["implementing-act", "Règlement d'exécution (UE) 2027/2"],
  ["implementing-act", "Durchführungsbeschluss (EU) 2027/3 der Kommission"],
  ["national-legislation", "Gesetz zur Stärkung der Aufsicht"],
  ["national-legislation", "Gesetz zur Durchführung der Verordnung (EU) 2024/2847"],
  ["national-legislation", "LOI n° 2026-1 du 2 janvier 2026"],
  ["national-legislation", "Projet de loi relatif au numérique"],
  ["national-legislation", "Bundeskabinett beschließt Entwurf"],
  ["national-legislation", "AB 1234 introduced: automated tools"],
  ["national-legislation", "Online safety bill receives Royal Assent"],
  ["national-legislation", "Final Rule: Automated Valuation Models"],
  ["national-legislation", "Agency issues proposed rule on underwriting"],
  ["guidance", "Guidelines 1/2026 on processing"],
  ["guidance", "EDPB: Guidelines on processing"],
  ["guidance", "Orientierungshilfe der Datenschutzkonferenz"],
  ["guidance", "La CNIL publie ses recommandations sur les cookies"],
  ["guidance", "Authority adopts its first guidelines"],
  ["guidance", { title: "Using tools in schools", url: "https://www.gov.uk/guidance/using-tools" }],
  ["guidance", { title: "Transparency record", summary: "This guidance promotes ethical use." }],
  ["code-of-practice", "Third draft of the Code of Practice"],
  ["code-of-practice", "Praxisleitfaden für Anbieter"],
  ["code-of-practice", "Élaboration d'un code de bonnes pratiques"],
  ["press-release", { title: "Providers sign the code of practice", url: "https://x.eu/news/1" }],
  ["standard", "Standardisation request on cloud services"],
  ["standard", "ISO/IEC 42001 published"],
  ["standard", "Neue harmonisierte Norm für Maschinen"],
  ["consultation", "Call for evidence on data"],
  ["consultation", "Commission seeks views on the draft guidelines"],
  ["consultation", "Kommission bittet um Stellungnahmen zu Leitlinien"],
  ["consultation", "Consultation publique sur le référentiel"],
  ["consultation", "Algorithms and harm: call for information"],
  ["consultation", { title: "Growth Lab", url: "https://www.gov.uk/government/calls-for-evidence/lab" }],
  ["decision", "Commission Decision on the adequacy of protection"],
  ["decision", "Minister designates competent authorities"],
  ["decision", "Délibération n° 2026-1 portant autorisation"],
  ["opinion", "Délibération portant avis sur un projet de décret"],
  ["enforcement", "Délibération de la formation restreinte n° SAN-2026-003"],
  ["enforcement", "Commission fines platform"],
  ["enforcement", { title: "EUR 2 million fine imposed on an employer", url: "https://x.example/news/2" }],
  ["enforcement", "Sanctions imposed for profiling"],
  ["enforcement", "Behörde verhängt Bußgeld gegen Händler"],
  ["enforcement", "La CNIL met en demeure trois communes"],
  ["enforcement", "Regulator opens formal investigation"],
  ["enforcement", "FTC secures settlement with broker"],
  ["opinion", "EDPB-EDPS Joint Opinion on the proposal"],
  ["opinion", "Stellungnahme zum Entwurf eines Gesetzes"],
  ["opinion", "Expert group statement on security"],
  ["report", "Annual Report 2025"],
  ["report", "Tätigkeitsbericht 2025"],
  ["report", "Étude sur les usages"],
  ["report", "National strategy on data"],
  ["report", "Trends report factsheet"],
  ["report", { title: "Plan", url: "https://eur-lex.europa.eu/?uri=CELEX:52025DC0165" }],
  ["faq", "Questions and answers on the 21st package of sanctions"],
  ["faq", "Häufig gestellte Fragen zur Aufsicht"],
  ["faq", "Factsheet: data spaces"],
  ["press-release", {
    title: "Union funds bridges",
    url: "https://ec.europa.eu/commission/presscorner/detail/en/ip_26_1",
  }],
  ["press-release", "Daily News 27 / 07 / 2026"],
  ["press-release", "Erfahren Sie mehr über die Leitlinien"],
  ["press-release", { title: "Bridges", category: "Press release" }],
  ["speech", "Speech by the Commissioner"],
  ["speech", "New blog post: prior consultations, zero surprises"],
  ["speech", "Rede des Präsidenten"],
  ["speech", "Discours de la présidente"],
  ["event", "High-Level Debate: data and innovation"],
  ["event", "Webinar on sandboxes"],
  ["event", "Fachtagung zur Aufsicht"],
  ["event", "Colloque sur les données"],
  ["other", "Latest newsletter out now"],
  ["other", "Airport / Airline merger inquiry"],
  ["other", "Arbeitskreis der Behörden"],
  ["other", "Secretary of State letter to the regulators"],
  ["other", ""],
];

Deno.test("classifyItem() finds the event type, even of items that are not relevant", () => {
  for (const [expected, from] of ROWS) {
    const { title, summary = "", url = "", category } = typeof from === "string" ? { title: from } : from;
    const categories = category === undefined ? [] : [category];
    const result = classifyItem({ title, summary, url, categories, statedLanguages: [] });
    const reason = result.reasons.find(({ field }) => field === "event_type");
    assert.equal(result.eventType, expected, `${title} ${url} ${JSON.stringify(reason)}`);
  }
});
