// A vocabulary for view models, and a signed-in customer in front of the console.
import { createSessions } from "../../../src/accounts/sessions.ts";
import type { Customer } from "../../../src/domain/customer/customer.ts";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import { boardConfig, SAMPLE_PROVENANCE, sampleEvent } from "../../support/samples.ts";
import { withWorld, type World } from "../../support/world.ts";
import type { Vocabulary } from "../../../src/web/console/vocabulary.ts";
import { DEFINED_EVENT_TYPES, DEFINED_SEVERITIES } from "../../../src/domain/event/definitions.ts";
import type { Language } from "../../../src/web/texts/texts.ts";

export function aVocabulary(language: Language = "en"): Vocabulary {
  const named = (terms: typeof DEFINED_EVENT_TYPES | typeof DEFINED_SEVERITIES) =>
    terms.map((term) => ({ id: term.id as string, name: term[`name_${language}`] }));
  const topic = {
    id: "gpai",
    parent: null,
    articles: ["Art. 51", "Art. 53"],
    name_en: "AI models",
    name_de: "KI-Modelle",
    name_fr: "Modèles d’IA",
    definition_en: null,
    definition_de: null,
    definition_fr: null,
  };
  const finder = (terms: readonly { id: string; name: string }[]) => (id: string) =>
    terms.find((term) => term.id === id)?.name ?? id;
  const topics = [topic];
  const sources = [{ id: "board", name: "Board" }];
  return {
    topics,
    sources,
    eventTypes: named(DEFINED_EVENT_TYPES),
    severities: named(DEFINED_SEVERITIES),
    topicName: finder(topics.map((one) => ({ id: one.id, name: one[`name_${language}`] }))),
    eventTypeName: finder(named(DEFINED_EVENT_TYPES)),
    severityName: finder(named(DEFINED_SEVERITIES)),
    sourceName: finder(sources),
    languageName: (code) => new Intl.DisplayNames([language], { type: "language" }).of(code) ?? code,
  };
}

/** A signed-in customer in front of the console. */
export interface Visitor {
  world: World;
  customer: Customer;
  key: string;
  /** The session's cookie. */
  cookie: string;
  open(path: string, options?: { language?: string; cookie?: string }): Promise<Shown>;
  /** Sends the form with this action that a page contains, with these fields changed. */
  send(page: Shown, action: string, fields?: Record<string, string>): Promise<Shown>;
  /** Stores events, each as a publication or as a version of one. Returns them. */
  store(...changes: Partial<RegEvent>[]): Promise<RegEvent[]>;
}

export interface Shown {
  status: number;
  html: string;
  headers: Headers;
  /** The text that a reader sees, with single spaces. */
  text: string;
}

/** Runs a test in a world with the source "board", a receiver at hooks.example.org, and a signed-in customer. */
export function withVisitor(work: (visitor: Visitor) => Promise<void>, config = ""): Promise<void> {
  return withWorld(config + boardConfig(), async (world) => await work(await visit(world)));
}

export async function visit(world: World): Promise<Visitor> {
  const { platform, store, newId } = world;
  const { customer, key } = await world.addCustomer();
  const sessions = createSessions({ ...platform, store, newId });
  const client = { ipAddress: "192.0.2.1", userAgent: "test" };
  const signIn = { method: "link", client } as const;
  const started = await sessions.start({ kind: "customer", customerId: customer.id }, signIn);
  const own = `regfeed=${started?.token}`;
  platform.hosts.set("hooks.example.org", ["93.184.215.14"]);
  platform.http.serve("https://hooks.example.org", () => ({ status: 204 }));
  const known = [{ id: "board", host: null, schedule: "", nextRunAtMs: platform.clock.nowMs() }];
  await store.registerSources(known, platform.clock.nowMs());

  const shown = async (response: Response): Promise<Shown> => {
    const html = await response.text();
    return { status: response.status, html, headers: response.headers, text: textOf(html) };
  };
  const request = (path: string, init: RequestInit = {}) =>
    world.app.fetch(new Request(`http://127.0.0.1:8080${path}`, init));
  return {
    world,
    customer,
    key,
    cookie: own,
    async open(path, { language = "en", cookie = own } = {}) {
      return await shown(
        await request(path, { headers: { accept: "text/html", "accept-language": language, cookie } }),
      );
    },
    async send({ html }, action, fields = {}) {
      const [form = ""] =
        html.match(new RegExp(`<form[^>]* action="${RegExp.escape(action)}".*?</form>`, "s")) ?? [];
      const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
        .map(([, name = "", value = ""]): [string, string] => [name, plain(value)]);
      const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields });
      const headers = { accept: "text/html", cookie: own, origin: "http://127.0.0.1:8080" };
      return await shown(await request(action, { method: "POST", headers, body }));
    },
    async store(...changes) {
      const events = changes.map((change) => sampleEvent({ id: newId("event"), ...change }));
      for (const event of events) {
        const publication = { key: event.external_id, contentHash: event.id };
        await store.recordPublications(event.source_id, [publication], () => ({
          kind: "record",
          event,
          provenance: SAMPLE_PROVENANCE,
          notify: true,
        }));
      }
      return events;
    },
  };
}

function plain(html: string): string {
  return html.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name: string) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[name] ?? "",
  );
}

function textOf(html: string): string {
  return plain(
    html.replace(/<(?:svg|script|style)\b.*?<\/(?:svg|script|style)>/gs, "").replace(/<[^>]*>/g, " "),
  )
    .replace(/\s+/g, " ");
}
