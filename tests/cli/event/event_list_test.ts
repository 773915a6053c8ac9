// `event list`, and `event show` with a URL, as an operator uses them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { eventsQuery } from "../../../src/api/input/event_query.ts";
import { type Command, optionsOf } from "../../../src/cli/command.ts";
import { loadCommands } from "../../../src/cli/commands.ts";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import { openVaultFile } from "../../../src/platform/vault.ts";
import { openStore } from "../../../src/store/sqlite/store.ts";
import { anEvent, publish } from "../../store/contract/given.ts";
import { assertFails, regfeed, regfeedJson, withConfig } from "../../support/process.ts";
import { INBOX_SOURCE } from "../../support/samples.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.now();

/** Returns an id that ends with this number. */
const idOf = (number: number): string => `evt_01J9ZC3V5T8Q2W4E6R8Y0TAP${String(number).padStart(2, "0")}`;

/** Events whose numbers ascend with their age. */
function sample(number: number, change: Partial<RegEvent> = {}): RegEvent {
  const id = idOf(number);
  const published = NOW_MS - number * DAY_MS;
  return anEvent(id, {
    source_id: "inbox",
    severity: "low",
    topics: [],
    ai_act_articles: [],
    url_official: `https://board.example/${number}`,
    published_at: published,
    ...change,
  });
}

/** Returns the UTC day on which the event with this number was published. */
const dayOf = (number: number): string => new Date(NOW_MS - number * DAY_MS).toISOString().slice(0, 10);

const FRENCH = { title: "Lignes directrices", summary: "Sur l'étiquetage." };
const EVENTS = [
  sample(5, { topics: ["systemic-risk"], ai_act_articles: ["Art. 50(2)"] }),
  sample(4, {
    severity: "high",
    event_type: "enforcement",
    title_en: "Fine for\x1b[31m labels",
  }),
  sample(3, { source_id: "court", language_versions: ["en", "fr"], translations: { fr: FRENCH } }),
  sample(2, { version: 2, supersedes: idOf(5), external_id: `publication of ${idOf(5)}` }),
  sample(1, { severity: "critical", url_official: "https://board.example/4" }),
];

function withEvents(work: (folder: string) => Promise<void>): Promise<void> {
  return withConfig(INBOX_SOURCE + INBOX_SOURCE.replaceAll("inbox", "court"), async (folder) => {
    await regfeedJson(folder, "customer add --email ana@b.example");
    const file = join(folder, "data", "regfeed.db");
    const store = openStore(file, (options) => openVaultFile(`${file}.key`, options));
    await publish(store, EVENTS);
    await store.close();
    await work(folder);
  });
}

async function numbers(folder: string, args: readonly string[]): Promise<number[]> {
  const { events } = await regfeedJson<{ events: RegEvent[] }>(folder, ["event", "list", ...args]);
  return events.map(({ id }) => Number(id.slice(-2)));
}

Deno.test("event list filters like the API, newest first", () =>
  withEvents(async (folder) => {
    for (
      const [args, expected] of [
        [[], [1, 2, 3, 4, 5]],
        [["--topics", "gpai-family"], [5]],
        [["--topics", "gpai,scope", "--topics", "systemic-risk"], [5]],
        [["--source", "inbox", "--severity-min", "high"], [1, 4]],
        [["--source", "court"], [3]],
        [["--source", "inbox", "--source", "court", "--until", "60h"], [3, 4, 5]],
        [["--event-type", "enforcement"], [4]],
        [["--article", "art 50"], [5]],
        [["--language", "de,fr"], [3]],
        [["--q", "ETIQUETAGE lignes"], [3]],
        [["--since", "84h"], [1, 2, 3]],
        [["--until", "84h"], [4, 5]],
        [["--until", dayOf(3)], [3, 4, 5]],
        [["--q", "etiquet* lig*"], [3]],
        [["--since", new Date(NOW_MS - 3 * DAY_MS).toISOString(), "--until", "36h"], [2, 3]],
        [["--since", dayOf(3), "--until", dayOf(2)], [2, 3]],
        [["--latest"], [1, 2, 3, 4]],
        [["--limit", "2", "--before", idOf(2)], [3, 4]],
      ] as const
    ) assert.deepEqual(await numbers(folder, args), expected, args.join(" "));
    const { events } = await regfeedJson<{ events: RegEvent[] }>(
      folder,
      "event list --event-type enforcement",
    );
    assert.deepEqual(events, [EVENTS[1]]);
  }));

Deno.test("event list has every filter of the API", async () => {
  const [command] = await loadCommands("event");
  const filters = Object.keys(eventsQuery.shape).filter((name) => !["after", "as_of"].includes(name));
  const { config: _, verbose: _v, help: _h, json: _j, utc: _u, ...options } = optionsOf(command as Command);
  assert.deepEqual(Object.keys(options).sort(), filters.map((name) => name.replaceAll("_", "-")).sort());
});

Deno.test("event list prints a table, and its hint keeps the filters of the next page", () =>
  withEvents(async (folder) => {
    const { stdout, stderr } = await regfeed(folder, "event list --latest --language en,fr --limit 2");
    const [header, first] = stdout.split("\n");
    assert.match(header ?? "", /^PUBLISHED \(UTC\) +SEVERITY +TYPE +SOURCE +V +TITLE +EVENT$/);
    assert.match(
      first ?? "",
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +critical +guidance +inbox +Guidelines .* evt_\w{26}$/,
    );
    assert.match(
      stderr,
      new RegExp(
        `Next page: .regfeed event list (?:--limit 2 --language en,fr|--language en,fr --limit 2) --latest --before ${
          idOf(2)
        }.`,
      ),
    );
    const odd = await regfeed(folder, "event list --event-type enforcement");
    assert.match(odd.stdout, /Fine for\[31m labels/);
    assert.equal((await regfeed(folder, "event list --q nothing")).stdout, "no matching events\n");
  }));

Deno.test("event list says which option is wrong, and what is allowed", () =>
  withEvents(async (folder) => {
    for (
      const [args, message] of [
        ["--topics gpay", /--topics "gpay" is not a topic; did you mean "gpai"\? the topics are .*gpai/],
        ["--source nowhere", /--source "nowhere" is not a source; `regfeed source list`/],
        ["--severity-min urgent", /--severity-min must be one of info, low/],
        ["--event-type law", /--event-type must be one or more of legislation.*, not "law"/],
        ["--article 50.1", /--article "50\.1" is not a valid reference; use the form Art\. 50/],
        ["--language english", /--language "english" is not an ISO 639-1 code/],
        ["--q ...", /--q must contain/],
        ["--since yesterday", /--since must be/],
        ["--since 1d --until 2d", /--since must not be later than --until/],
        ["--since 2026-13-01", /--since 2026-13-01 is not a valid time: the month is 13, not 1 to 12/],
        ["--source inbox,inbix", /--source "inbix" is not a source; did you mean "inbox"\?/],
        ["--before evt_1", /--before "evt_1" is not a valid event id/],
        [`--before evt_${"0".repeat(26)}`, /--before is not a known event; .* from the first page$/m],
        ["--limit 0", /--limit must be/],
      ] as const
    ) await assertFails(folder, `event list ${args}`, 2, message);
  }));

Deno.test("event show takes the URL of a publication, or of an event in the API", () =>
  withEvents(async (folder) => {
    const shown = async (named: string) => {
      const { event } = await regfeedJson<{ event: RegEvent }>(folder, ["event", "show", named]);
      return Number(event.id.slice(-2));
    };
    assert.equal(await shown("https://board.example/3"), 3);
    assert.equal(await shown("http://BOARD.example/3?utm_source=x"), 3);
    assert.equal(await shown("https://board.example/5"), 2, "the newest version of the publication");
    assert.equal(await shown(`https://feed.example/v1/events/${idOf(5)}`), 5);
    assert.equal(await shown(`http://127.0.0.1:8080/v1/events/${idOf(5)}/versions?before=x`), 5);
    const both = new RegExp(`2 publications have the URL .*: ${idOf(1)}, ${idOf(4)}`);
    await assertFails(folder, "event show https://board.example/4", 1, both);
    await assertFails(
      folder,
      "event show https://board.example/",
      1,
      /no event has the URL .*event list --q/,
    );
    await assertFails(folder, `event show ${idOf(99)}`, 1, /there is no event .*`regfeed event list`/);
    await assertFails(folder, "event show board", 2, /not an event id.*or a URL/);
    await assertFails(folder, ["event", "show", ""], 2, /EVENT is empty/);
  }));
