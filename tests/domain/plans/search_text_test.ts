// The tags and the text of an event that the search index contains.
import assert from "node:assert/strict";
import { searchedText, tagOf, tagsOf } from "../../../src/domain/plans/search_text.ts";
import { anEvent } from "../../store/contract/given.ts";

Deno.test("tagsOf() returns a tag for each filter, and for the parents of a reference", () => {
  const event = anEvent("evt_1", { ai_act_articles: ["Art. 53(1)(d)"], topics: ["gpai"], severity: "high" });
  const articles = ["Art. 53(1)(d)", "Art. 53(1)", "Art. 53"].map((reference) => tagOf("article", reference));
  for (const tag of [...articles, tagOf("topic", "gpai"), tagOf("severity", "high")]) {
    assert.ok(tagsOf(event).includes(tag), tag);
  }
});

Deno.test("tagOf() returns a distinct token of letters and digits for each value", () => {
  const tags = ["a-b", "a_b", "ab", "axb", "a.b"].map((value) => tagOf("source", value));
  assert.equal(new Set(tags).size, tags.length);
  for (const tag of tags) assert.match(tag, /^[a-z0-9]+$/);
});

Deno.test("searchedText() contains each text once", () => {
  const texts = { title: "Guidelines", summary: "On labels." };
  const event = anEvent("evt_1", {
    title_en: "Guidelines",
    summary_en: "On labels.",
    translations: { en: texts, de: { title: "Leitlinien", summary: "" } },
  });
  assert.equal(searchedText(event), "Guidelines\nOn labels.\nLeitlinien\n");
});
