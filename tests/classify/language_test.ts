// The language of an item is the stated one, unless its words are clearly in another.
import assert from "node:assert/strict";
import { classifyItem } from "../../src/classify/classify.ts";

Deno.test("classifyItem() uses the stated language unless the words are clearly in another", () => {
  const rows: [expected: string, stated: string[], title: string, summary?: string][] = [
    ["en", ["en"], "Guidelines on the AI Act"],
    ["de", ["en"], "Aktualisierte Meldung über die Verordnung und ihre Anhänge"],
    ["de", ["en"], "Gesetz zur Durchführung der Verordnung (EU) 2024/1689"],
    ["fr", ["en"], "Délibération de la formation restreinte concernant la société"],
    ["fr", ["de"], "La Commission publie le premier projet de code de bonnes pratiques"],
    ["en", ["de"], "The Commission has published the guidelines on the definition of AI systems"],
    [
      "en",
      ["fr"],
      "EDPB opinion on AI models",
      "The opinion looks at how AI models can be trained with personal data.",
    ],
    ["en", ["en"], "Clearview AI"],
    ["de", ["de"], "KI-Verordnung"],
    ["fr", ["fr"], "AI Act"],
    ["de", ["de"], "Guidelines", ""],
    ["en", [], "AI Act"],
    ["en", [], ""],
    ["en", ["en"], "Zelenskyy meets Müller in Zürich"],
    ["de", [], "Stärkung der Marktüberwachung"],
    ["fr", [], "Règlement sur l'intelligence artificielle"],
    ["en", [], "Report on the supervision of AI"],
    ["de", ["de-AT"], "Bericht"],
    ["de", ["DEU"], "Bericht"],
    ["fr", ["fre"], "Rapport"],
    ["fr", ["x-default", "und", "mul", "fr"], "Rapport"],
    ["es", ["es"], "Resolución de la Agencia sobre el uso de la inteligencia artificial"],
    ["es", ["en"], "Resolución de la Agencia sobre el uso de la inteligencia artificial y los datos"],
    ["nl", ["nl"], "Toezicht op de naleving van de AI-verordening"],
    ["nl", [], "Het toezicht op de naleving van de regels voor AI wordt strenger"],
    ["it", ["it"], "Il Garante sulla intelligenza artificiale"],
    ["sv", ["sv"], "Vägledning om AI i den offentliga förvaltningen"],
    ["da", ["da"], "Vejledning om brug af AI for den offentlige sektor"],
    ["pl", ["pl"], "Wytyczne w sprawie AI"],
    ["en", ["pl"], "The office has published its guidance on the use of AI by the police and the courts"],
    ["en", ["mul"], "The guidance on AI"],
    ["en", ["", "  ", "123"], "The guidance on AI"],
  ];
  for (const [expected, statedLanguages, title, summary = ""] of rows) {
    const result = classifyItem({ title, summary, url: "", categories: [], statedLanguages });
    assert.equal(result.language, expected, `${statedLanguages.join()} ${title}`);
  }
});
