// In a feed that changes at random, each real change makes one version, and nothing else does.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import { boardConfig, rss } from "../../support/samples.ts";
import { storedEvents } from "../../support/collecting.ts";
import { createWorld } from "../../support/world.ts";

type Step =
  | { kind: "add" | "reorder" | "new ids" | "markup" | "nothing" }
  | { kind: "edit" | "remove" | "translate"; at: number };

interface Publication {
  name: number;
  edition: number;
  isListed: boolean;
  /** The edition of the item's German text, or null if there is none. */
  german: number | null;
  expected: number;
}

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom<Step>(
    { kind: "add" },
    { kind: "reorder" },
    { kind: "new ids" },
    { kind: "markup" },
    { kind: "nothing" },
  ),
  fc.record({
    kind: fc.constantFrom<"edit" | "remove" | "translate">("edit", "remove", "translate"),
    at: fc.nat(20),
  }),
);

class Feed {
  readonly publications: Publication[] = [];
  #ids = 0;
  #fetches = 0;
  #isReversed = false;
  #isMarked = false;

  /** If `isRestless`, every fetch changes all dates. */
  constructor(readonly isRestless: boolean) {
    for (let at = 0; at < 3; at++) this.apply({ kind: "add" });
  }

  apply(step: Step): void {
    const listed = this.publications.filter(({ isListed }) => isListed);
    const one = "at" in step ? listed[step.at % Math.max(1, listed.length)] : undefined;
    switch (step.kind) {
      case "add":
        this.publications.push({
          name: this.publications.length,
          edition: 0,
          isListed: true,
          german: null,
          expected: 1,
        });
        break;
      case "edit":
        if (one === undefined) return;
        one.edition++;
        one.expected++;
        break;
      case "remove":
        if (one !== undefined && listed.length > 1) one.isListed = false;
        break;
      case "translate":
        if (one !== undefined) one.german ??= one.edition;
        break;
      case "reorder":
        this.#isReversed = !this.#isReversed;
        break;
      case "new ids":
        this.#ids++;
        break;
      case "markup":
        this.#isMarked = !this.#isMarked;
        break;
    }
  }

  write(language: "en" | "de"): string {
    if (this.isRestless) this.#fetches++;
    const items = this.publications.filter(({ isListed, german }) =>
      isListed && (language === "en" || german !== null)
    ).map(({ name, edition, german }) => {
      const words = language === "en" ? `AI Act, Article ${edition + 5}` : `KI-Verordnung, Artikel ${german}`;
      return {
        id: `${name}`,
        title: `${words} of item ${name}`,
        summary: this.#isMarked ? `&lt;p&gt;${words}.  &lt;/p&gt;` : `${words}.`,
        date: new Date(Date.UTC(2026, 6, 1, 0, this.#fetches)).toUTCString(),
      };
    });
    return rss(this.#isReversed ? items.reverse() : items)
      .replaceAll("https://board.example/", `https://board.example/${language}/`)
      .replace(/<guid isPermaLink="false">(\d+)/g, `<guid isPermaLink="false">${language}-${this.#ids}-$1`);
  }
}

const CONFIG = boardConfig({
  source: 'urls = { en = "https://board.example/en/feed", de = "https://board.example/de/feed" }',
}).replace('url = "https://board.example/feed"\n', "");

/** Applies the steps, each followed by a fetch, and compares the stored versions with the real changes. */
async function follow(
  steps: readonly Step[],
  { config, languages, isRestless }: { config: string; languages: readonly string[]; isRestless: boolean },
): Promise<void> {
  await using world = await createWorld(config);
  const feed = new Feed(isRestless);
  for (const language of ["en", "de"] as const) {
    world.platform.http.serve(
      `https://board.example/${language}/feed`,
      () => ({ body: feed.write(language) }),
    );
  }
  const eventsById = new Map<string, string>();
  await world.app.tick();
  for (const step of [{ kind: "nothing" } as const, ...steps]) {
    feed.apply(step);
    const [report] = await world.app.ingest.ingest(["board"]);
    assert.ok(report?.ok, report?.error);
    assert.deepEqual(report.refused, []);
    const events = await storedEvents(world);
    const found = new Map<string, RegEvent[]>();
    for (const event of events) {
      const address = event.url_official.replace(/.*\//, "");
      found.set(address, [...found.get(address) ?? [], event]);
      const own = `${event.external_id} v${event.version}`;
      assert.equal(eventsById.get(event.id) ?? own, own, "an id is unique");
      eventsById.set(event.id, own);
    }
    for (const { name, expected, german, isListed } of feed.publications) {
      const versions = (found.get(`${name}`) ?? []).map(({ version }) => version).sort((a, b) => a - b);
      const wanted = Array.from({ length: expected }, (_, at) => at + 1);
      assert.deepEqual(versions, wanted, `item ${name} after ${JSON.stringify(step)}`);
      assert.equal(new Set((found.get(`${name}`) ?? []).map((event) => event.external_id)).size, 1);
      const newest = found.get(`${name}`)?.find((event) => event.version === expected);
      if (isListed && languages.includes("de")) {
        assert.deepEqual(newest?.language_versions, german === null ? ["en"] : ["en", "de"]);
      }
    }
    assert.equal(events.length, feed.publications.reduce((sum, { expected }) => sum + expected, 0));
  }
}

const ONE_LANGUAGE = boardConfig().replace("board.example/feed", "board.example/en/feed");

for (const [config, ...languages] of [[CONFIG, "en", "de"], [ONE_LANGUAGE, "en"]] as const) {
  Deno.test(`every real change of a feed in ${languages.join(" and ")} makes one version, and other changes make none`, () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), fc.boolean(), async (steps, isRestless) => {
        await follow(steps, { config, languages, isRestless });
      }),
      { numRuns: 25 },
    ));
}
