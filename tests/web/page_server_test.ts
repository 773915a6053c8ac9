// Requests for pages: access, forms, errors, languages, headers and assets.
import assert from "node:assert/strict";
import * as z from "zod";
import type { Customer } from "../../src/domain/customer/customer.ts";
import { AppError } from "../../src/domain/error_codes.ts";
import { postForm } from "../../src/web/components/form.ts";
import { fieldsOf } from "../../src/web/components/fields.ts";
import { markup } from "../../src/web/html.ts";
import { createPageServer } from "../../src/web/page_server.ts";
import {
  customerPage,
  operatorPage,
  type PageRoute,
  publicPage,
  redirect,
} from "../../src/web/page_route.ts";
import { csrfTokenOf } from "../../src/web/session/csrf.ts";
import type { FormState } from "../../src/domain/ports/store/sessions.ts";
import type { PageSession } from "../../src/web/session/page_sessions.ts";
import { fakePlatform } from "../support/platform.ts";
import { withWorld } from "../support/world.ts";

const ANA = { id: "cus_ana", email: "ana@example.org", enabled: true } as Customer;
const SESSIONS: Record<string, PageSession> = {
  ana: { session: { id: "ses_1", viewer: { kind: "customer", customerId: ANA.id } }, customer: ANA },
  ana2: { session: { id: "ses_2", viewer: { kind: "customer", customerId: ANA.id } }, customer: ANA },
  op: { session: { id: "ses_3", viewer: { kind: "operator", name: "root" } }, customer: null },
};
const ORIGIN = "https://regfeed.example";

interface Sent {
  cookie?: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
}

/** A page server with a note form, and what its handler did. */
function notes() {
  const saved: string[] = [];
  const gate: { wait?: Promise<void> } = {};
  const show = (call: Parameters<Extract<PageRoute, { access: "customer" }>["handle"]>[0]) => {
    const fields = fieldsOf({ ...call, errors: call.form.errors });
    return {
      kind: "page" as const,
      status: call.form.errors.length > 0 ? 400 : 200,
      title: "Note",
      body: postForm(call, {
        action: "/console/note",
        fields: [markup`<p>${call.customer.email}</p>`, fields.text("note", "Note", { rows: 3 })],
        submit: "Save",
      }),
    };
  };
  const routes = [
    publicPage({
      method: "GET",
      path: "/open",
      query: z.strictObject({ page: z.coerce.number().optional() }),
      handle: ({ query }) => ({
        kind: "page",
        title: "Open",
        body: markup`<p>page ${query.good.page ?? "?"}, ${query.errors.length} errors</p>`,
      }),
    }),
    customerPage({ method: "GET", path: "/console/note", handle: show }),
    customerPage({
      method: "POST",
      path: "/console/note",
      form: z.strictObject({ note: z.string().max(20) }),
      async handle(call) {
        if (call.form.value === null) return show(call);
        await gate.wait;
        const { note } = call.form.value;
        if (note === "taken") {
          throw new AppError("duplicate_subscription", "The note exists.", [{
            field: "note",
            message: "exists",
          }]);
        }
        saved.push(note);
        if (note === "secret") return { kind: "page", title: "Secret", body: markup`<p>shown once</p>` };
        return redirect("/console/note", { toast: { text: `Saved <${note}>`, tone: "good" } });
      },
    }),
    customerPage({
      method: "POST",
      path: "/console/act",
      handle({ typed }) {
        saved.push(typed.get("note"));
        if (typed.get("note") === "taken") throw new AppError("duplicate_subscription", "The note exists.");
        return redirect("/console/note");
      },
    }),
    operatorPage({
      method: "GET",
      path: "/operator",
      handle: ({ operator }) => ({ kind: "page", title: operator, body: markup`<p>hello</p>` }),
    }),
  ];
  const platform = fakePlatform(0);
  const forms = new Map<string, FormState>();
  const pages = createPageServer({
    ...platform,
    routes,
    publicUrl: ORIGIN,
    hasStatus: () => true,
    sessions: { find: (token) => Promise.resolve(SESSIONS[token] ?? null) },
    forms: {
      beginForm({ sessionId, formId }) {
        const key = `${sessionId} ${formId}`;
        const state = forms.get(key) ?? { kind: "new" };
        if (state.kind === "new") forms.set(key, { kind: "running" });
        return Promise.resolve(state);
      },
      finishForm({ sessionId, formId }, outcome) {
        const key = `${sessionId} ${formId}`;
        if (outcome.kind === "refused") forms.delete(key);
        else forms.set(key, { kind: "finished", location: outcome.location });
        return Promise.resolve();
      },
    },
  });
  let anonymous = 0;
  const fetch = async (path: string, { cookie, headers = {}, form }: Sent = {}) => {
    const request = new Request(`${ORIGIN}${path}`, {
      method: form === undefined ? "GET" : "POST",
      headers: {
        accept: "text/html",
        ...(cookie === undefined ? {} : { cookie: `__Host-regfeed=${cookie}` }),
        ...(form === undefined ? {} : { "sec-fetch-site": "same-origin" }),
        ...headers,
      },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    const found = pages.find({
      request,
      requestId: "req_1",
      address: path,
      ipAddress: "192.0.2.1",
      countAnonymous: () => void anonymous++,
    });
    if (found === null) return { status: 0, text: "", headers: new Headers() };
    const response = await found.respond().catch((error) => {
      assert.ok(error instanceof AppError, error);
      return found.fail(error) ?? new Response(null, { status: error.status });
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const formId = () => "A".repeat(21) + String(saved.length % 10);
  const send = (
    note: string,
    { token = "ana", path = "/console/note", ...more }: {
      token?: string;
      path?: string;
      headers?: Record<string, string>;
      fields?: Record<string, string>;
    } = {},
  ) =>
    fetch(path, {
      cookie: token,
      headers: more.headers ?? {},
      form: { note, form_token: csrfTokenOf(token), form_id: formId(), ...more.fields },
    });
  return { fetch, send, saved, gate, anonymous: () => anonymous };
}

Deno.test("a page of a customer redirects to the sign-in, and is unknown to operators", async () => {
  const { fetch, anonymous } = notes();
  const none = await fetch("/console/note?a=b");
  assert.equal(none.status, 303);
  assert.equal(none.headers.get("location"), "/sign-in?return_to=%2Fconsole%2Fnote%3Fa%3Db");
  assert.equal((await fetch("/console/note", { cookie: "unknown" })).status, 303);
  assert.equal(anonymous(), 2, "requests without a session are counted");
  const own = await fetch("/console/note", { cookie: "ana" });
  assert.equal(own.status, 200);
  assert.match(own.text, /ana@example\.org/);
  assert.equal(own.headers.get("cache-control"), "private, no-store");
  assert.equal((await fetch("/console/note", { cookie: "op" })).status, 404);
  assert.equal((await fetch("/operator", { cookie: "ana" })).status, 404);
  assert.equal((await fetch("/operator", { cookie: "op" })).status, 200);
  assert.equal(anonymous(), 2, "requests with a session are not counted");
});

Deno.test("a link from another site opens the page again, so that the strict cookie arrives", async () => {
  const { fetch } = notes();
  const headers = { "sec-fetch-site": "cross-site" };
  const first = await fetch("/console/note?a=1", { headers });
  assert.equal(first.status, 200);
  assert.match(first.text, /<meta http-equiv="refresh" content="0;url=\/console\/note\?a=1">/);
  assert.equal((await fetch("/console/note", { headers: { "sec-fetch-site": "same-origin" } })).status, 303);
});

Deno.test("a form acts only with the token of its session, and from its own site", async () => {
  const { send, fetch, saved } = notes();
  const rows: [what: string, expected: number, Parameters<typeof send>[1]][] = [
    ["no token", 403, { fields: { form_token: "" } }],
    ["another session's token", 403, { fields: { form_token: csrfTokenOf("ana2") } }],
    ["no form id", 403, { fields: { form_id: "" } }],
    ["another site", 403, { headers: { "sec-fetch-site": "cross-site" } }],
    ["a sibling site", 403, { headers: { "sec-fetch-site": "same-site" } }],
    ["a resumed form", 403, { fields: { form_resumed: "1" } }],
  ];
  for (const [what, expected, more] of rows) {
    for (const path of ["/console/note", "/console/act"]) {
      const reply = await send("a", { ...more, path });
      assert.deepEqual([reply.status, saved], [expected, []], `${what}, ${path}`);
    }
  }
  const old = (origin: string) =>
    fetch("/console/note", {
      cookie: "ana",
      headers: { "sec-fetch-site": "", origin },
      form: { note: "a", form_token: csrfTokenOf("ana"), form_id: "B".repeat(22) },
    });
  assert.equal((await old("https://evil.example")).status, 403);
  assert.equal((await fetch("/console/note", { form: { note: "a" } })).status, 303, "no session");
  assert.deepEqual(saved, []);
  assert.equal((await send("a")).status, 303);
  assert.deepEqual(saved, ["a"]);
});

Deno.test("a form with an outdated token from its own site is shown again with its input", async () => {
  const { send } = notes();
  const { status, text } = await send("<b>\nkept", { fields: { form_token: "old" } });
  assert.equal(status, 403);
  assert.match(text, /<textarea[^>]*>\n&lt;b&gt;\r?\nkept<\/textarea>/);
  assert.match(text, new RegExp(`name="form_token" value="${csrfTokenOf("ana")}"`));
});

Deno.test("an act without a form of its own is asked for again, and is not repeated if it is refused", async () => {
  const { send, saved } = notes();
  const asked = await send("<b>", { path: "/console/act", fields: { form_token: "old" } });
  assert.equal(asked.status, 403);
  assert.match(asked.text, /action="\/console\/act"/);
  assert.match(asked.text, /name="note" value="&lt;b&gt;"/);
  assert.match(asked.text, new RegExp(`name="form_token" value="${csrfTokenOf("ana")}"`));
  assert.equal((await send("taken", { path: "/console/act" })).status, 409);
  assert.deepEqual(saved, ["taken"]);
});

Deno.test("a form with thousands of fields is refused", async () => {
  const { send, saved } = notes();
  const fields = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`a${at}`, ""]));
  assert.equal((await send("text", { fields })).status, 413);
  assert.deepEqual(saved, []);
});

Deno.test("an invalid form is shown again with its errors, also those that the handler finds", async () => {
  const { send, saved } = notes();
  const long = await send("a note that is too long");
  assert.equal(long.status, 400);
  assert.match(long.text, /aria-invalid="true"[^>]*>\na note that is too long/);
  assert.match(long.text, /may have at most 20 characters/);
  const taken = await send("taken");
  assert.equal(taken.status, 409);
  assert.match(taken.text, /<small class="error" id="note-error" lang="en">exists/);
  assert.deepEqual(saved, []);
});

Deno.test("a form that is sent twice acts once", async () => {
  const { send, saved, gate } = notes();
  const fields = { form_id: "C".repeat(22) };
  const first = await send("one", { fields });
  const again = await send("one", { fields });
  assert.deepEqual([first.status, again.status, saved], [303, 303, ["one"]]);
  assert.equal(again.headers.get("location"), "/console/note");
  const opened = Promise.withResolvers<void>();
  gate.wait = opened.promise;
  const both = [
    send("secret", { fields: { form_id: "D".repeat(22) } }),
    send("secret", { fields: { form_id: "D".repeat(22) } }),
  ];
  opened.resolve();
  for (const reply of await Promise.all(both)) assert.match(reply.text, /shown once/);
  assert.deepEqual(saved, ["one", "secret"]);
  const later = await send("secret", { fields: { form_id: "D".repeat(22) } });
  assert.doesNotMatch(later.text, /shown once/);
  assert.match(later.text, /already sent/);
});

Deno.test("the message of a redirect is shown once, and escaped", async () => {
  const { send, fetch } = notes();
  const saved = await send("x");
  const [cookie = ""] = (saved.headers.getSetCookie()[0] ?? "").split(";");
  const shown = await fetch("/open", { headers: { cookie } });
  assert.match(shown.text, /role="status">.*Saved &lt;x&gt;/s);
  assert.match(shown.headers.getSetCookie().join(), /regfeed_toast=; Path=\/; Max-Age=0/);
});

Deno.test("an invalid query reaches the handler with the valid parameters", async () => {
  const { fetch } = notes();
  assert.match((await fetch("/open?page=3")).text, /page 3, 0 errors/);
  assert.match((await fetch("/open?page=&x=")).text, /page \?, 0 errors/);
  assert.match((await fetch("/open?page=3&page=4&utm=%FF")).text, /page \?, 2 errors/);
});

Deno.test("a page in the language of the browser, with headers that protect it", () =>
  withWorld("", async ({ visit }) => {
    const rows: [accept: string, language: string, text: RegExp][] = [
      ["de-AT,de;q=0.9,en;q=0.5", "de", /Keine Rechtsberatung/],
      ["es,fr;q=0.3", "fr", /conseil juridique/],
      ["es", "en", /Not legal advice/],
    ];
    for (const [accept, language, text] of rows) {
      const page = await visit("/", { headers: { "accept-language": accept } });
      assert.equal(page.status, 200);
      assert.match(page.text, new RegExp(`^<!doctype html>\n<html lang="${language}">`));
      assert.match(page.text, text);
      assert.match(
        page.headers.get("content-security-policy") ?? "",
        /^default-src 'none'; style-src 'self';/,
      );
      assert.equal(page.headers.get("referrer-policy"), "no-referrer");
      assert.equal(page.headers.get("x-content-type-options"), "nosniff");
      assert.equal(page.headers.get("access-control-allow-origin"), null);
      assert.doesNotMatch(page.text, /<style|style="|\son[a-z]+="|<script>/);
    }
    const chosen = await visit("/language", {
      method: "POST",
      body: new URLSearchParams({ language: "de", return_to: "//evil.example" }),
    });
    assert.equal(chosen.headers.get("location"), "/");
    const cookie = (chosen.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
    assert.match((await visit("/", { headers: { cookie, "accept-language": "fr" } })).text, /lang="de"/);
  }));

Deno.test("a browser gets a page for unknown paths, and a program gets a problem", () =>
  withWorld("", async ({ visit, ask }) => {
    const page = await visit("/unknown<b>");
    assert.equal(page.status, 404);
    assert.match(page.text, /This page does not exist/);
    assert.equal(
      (await visit("/unknown", { headers: { accept: "*/*" } })).headers.get("content-type"),
      "application/problem+json; charset=utf-8",
    );
    assert.match((await visit("/v1/unknown")).headers.get("content-type") ?? "", /^application\/problem/);
    assert.equal((await ask("/v1/events")).status, 401);
    const post = await visit("/", { method: "POST" });
    assert.deepEqual([post.status, post.headers.get("allow")], [405, "GET, HEAD"]);
    const head = await visit("/", { method: "HEAD" });
    assert.deepEqual([head.status, head.text], [200, ""]);
  }));

Deno.test("assets are cached indefinitely, and pages are compressed and revalidated", () =>
  withWorld("", async ({ visit }) => {
    const page = await visit("/");
    const paths = [...page.text.matchAll(/(?:href|src)="(\/assets\/[^"]*)"/g)].map(([, path = ""]) => path);
    assert.ok(paths.length >= 2);
    for (const path of paths) {
      const asset = await visit(path);
      assert.equal(asset.status, 200);
      assert.equal(asset.headers.get("cache-control"), "public, max-age=31536000, immutable");
    }
    assert.equal((await visit("/assets/page.0.css", { headers: { accept: "text/css" } })).status, 404);
    const etag = page.headers.get("etag") ?? "";
    assert.equal((await visit("/", { headers: { "if-none-match": etag } })).status, 304);
    const packed = await visit("/", { headers: { "accept-encoding": "gzip" } });
    assert.equal(packed.headers.get("content-encoding"), "gzip");
  }));
