// The docs page is complete, escapes the API description, and loads nothing from other hosts.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { OpenApi } from "../../src/wire/openapi.ts";
import { renderDocs } from "../../src/web/docs.ts";
import { description } from "../support/openapi.ts";
import { withWorld } from "../support/world.ts";

Deno.test("GET /docs returns HTML with a policy that allows no other resources", () =>
  withWorld("", async (world) => {
    const { headers, text } = await world.ask("/docs");
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    assert.match(headers.get("content-security-policy") ?? "", /^default-src 'none'; style-src 'sha256-/);
    assert.match(text, /^<!doctype html>\n<html lang="en">/);
    const again = await world.ask("/docs", { headers: { "if-none-match": headers.get("etag") ?? "" } });
    assert.equal(again.status, 304);
  }));

Deno.test("renderDocs() refers to other hosts only in links, and its policy allows its own style and script", async () => {
  const { html, contentSecurityPolicy } = renderDocs(await description());
  for (const [, name, address = ""] of html.matchAll(/\s(src|href|action|srcset|poster|data)="([^"]*)"/g)) {
    const isOwn = /^(#|\/(?!\/)|data:image\/svg\+xml,)/.test(address);
    assert.ok(isOwn || (name === "href" && html.includes(`<a href="${address}"`)), address);
  }
  assert.doesNotMatch(html, /@import|url\(/);
  for (const tag of ["style", "script"]) {
    const [whole, ...more] = [...html.matchAll(new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, "g"))];
    assert.equal(more.length, 0, `one ${tag}`);
    const hash = createHash("sha256").update(whole?.[1] ?? "").digest("base64");
    assert.ok(contentSecurityPolicy.includes(`${tag}-src 'sha256-${hash}'`), tag);
  }
  assert.doesNotMatch(html, /\son[a-z]+=|style="|javascript:/, "what the policy would refuse");
});

Deno.test("renderDocs() has unique ids, and every link within the page has a target", async () => {
  const { html } = renderDocs(await description());
  const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, ids.length, "ids are unique");
  for (const [, id] of html.matchAll(/href="#([^"]*)"/g)) assert.ok(ids.includes(id), `#${id}`);
});

Deno.test("renderDocs() escapes the description", async () => {
  const document: OpenApi = structuredClone(await description());
  document.info.title = "<script>alert(1)</script>";
  document.info.description = "<img src=x onerror=alert(1)>";
  document.servers = [{ url: '"><script>alert(2)</script>', description: "" }];
  const { html } = renderDocs(document);
  assert.equal(html.split("<script>").length, 2, "its own script is the only one");
  assert.doesNotMatch(html, /<img/);
});

Deno.test("renderDocs() has a try-it form for every operation, with a key if required, hidden without JavaScript", async () => {
  const document = await description();
  const { html } = renderDocs(document);
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
    const section = new RegExp(`id="op-${operation.operationId}"[\\s\\S]*?</section>`).exec(html)?.[0] ?? "";
    // Operations that require a signature have no form, because only the sender can make it.
    if (operation.security.some((scheme) => "paymentSignature" in scheme)) {
      assert.match(section, /requires a signature/);
      assert.doesNotMatch(section, /class="try"/);
      continue;
    }
    assert.match(section, /<details class="try" hidden>/, operation.operationId);
    assert.equal(section.includes("data-key"), operation.security.length > 0, operation.operationId);
    for (const { name } of operation.parameters ?? []) {
      if (name === "If-None-Match") continue;
      assert.ok(section.includes(`name="${name}"`), `${operation.operationId} ${name}`);
    }
  }
});
