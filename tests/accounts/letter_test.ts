// The mails' words: every kind in every language, and nothing that a hostile text could do in them.
import assert from "node:assert/strict";
import { writeLetter } from "../../src/accounts/letter.ts";
import {
  type ClaimedMail,
  MAIL_LANGUAGES,
  type MailContent,
  type MailLanguage,
} from "../../src/domain/mail.ts";
import { DEFAULT_LIMITS } from "../../src/domain/tier.ts";

const AT = Date.parse("2026-08-15T10:00:00Z");
const KEY = `rgf_${"a1".repeat(32)}`;
const FAILING = {
  subscriptionId: "sub_1",
  host: "hooks.client.example",
  failingSinceMs: AT,
  disabledAtMs: AT + 86_400_000,
  problem: "connection refused",
};
const USE = { what: "deliveries", used: 4_000, limit: 5_000, resetsAtMs: AT } as const;
const CONTENTS: MailContent[] = [
  { kind: "welcome", data: {} },
  { kind: "key-rotated", data: { lastFour: "beef" } },
  { kind: "payment-failed", data: { accessUntilMs: AT } },
  { kind: "payment-failed", data: { accessUntilMs: null } },
  { kind: "delivery-warning", data: FAILING },
  { kind: "delivery-disabled", data: FAILING },
  { kind: "delivery-disabled", data: { ...FAILING, isKeyLost: true } },
  { kind: "quota-80", data: USE },
  { kind: "quota-100", data: { ...USE, what: "requests" } },
];

const write = (content: MailContent, language: MailLanguage, publicUrl = "https://feed.example.org") => {
  const mail: ClaimedMail = {
    ...content,
    id: "mail_1",
    attempt: 1,
    lastFour: null,
    customer: {
      id: "cus_1",
      email: "ana@client.example",
      tier: "team",
      enabled: true,
      limits: {},
      language,
      declared: false,
      createdAtMs: 0,
    },
  };
  const key = content.kind === "welcome" ? KEY : null;
  return writeLetter(mail, { key, publicUrl, support: "help@feed.example", limits: DEFAULT_LIMITS.team });
};

Deno.test("writeLetter() writes every kind in every language, each as text and as HTML", () => {
  const subjects = new Set<string>();
  for (const language of MAIL_LANGUAGES) {
    for (const content of CONTENTS) {
      const { subject, text, html } = write(content, language);
      const name = `${content.kind} ${language}`;
      assert.ok(!subjects.has(`${subject} ${text}`), name);
      subjects.add(`${subject} ${text}`);
      assert.ok(subject.length > 5 && subject.length < 78 && !/[\r\n]/.test(subject), name);
      for (const body of [text, html]) {
        assert.doesNotMatch(body, /undefined|null|NaN|\[object/, name);
        assert.ok(body.includes("help@feed.example"), name);
      }
      assert.match(html, new RegExp(`<html lang="${language}">`), name);
    }
  }
});

Deno.test("a welcome holds the key, the first call, the disclaimer and how to get a new key", () => {
  const rows: Record<MailLanguage, RegExp[]> = {
    en: [
      /shown only here/,
      /not legal advice/,
      /A lost key is replaced when you write to us/,
      /10,000 requests a day/,
    ],
    de: [/steht nur hier/, /keine Rechtsberatung/, /verlorenen Schlüssel ersetzen wir/, /10\.000 Anfragen/],
    fr: [/montrée qu’ici/, /pas un conseil juridique/, /clé perdue est remplacée/, /10\s000 requêtes/],
  };
  for (const language of MAIL_LANGUAGES) {
    const { subject, text, html } = write({ kind: "welcome", data: {} }, language);
    assert.ok(!subject.includes("rgf_"));
    assert.ok(text.includes(`    ${KEY}\n`) && html.includes(KEY), language);
    assert.ok(text.includes(`curl -H "Authorization: Bearer ${KEY}"`), language);
    for (const pattern of rows[language]) assert.match(text, pattern, language);
  }
});

Deno.test("no other mail holds a key, and times are told in words with their zone", () => {
  for (const content of CONTENTS.slice(1)) {
    assert.doesNotMatch(write(content, "en").text, /rgf_/, content.kind);
  }
  const due: MailContent = { kind: "payment-failed", data: { accessUntilMs: AT } };
  assert.match(write(due, "en").text, /until 15 August 2026 at 10:00 UTC/);
  assert.match(write(due, "de").text, /15\. August 2026 um 10:00 UTC/);
  assert.match(write(due, "fr").text, /15 août 2026 à 10:00 UTC/);
});

Deno.test("what comes from outside stays text in HTML", () => {
  const data = { ...FAILING, host: '<img src=x onerror="alert(1)">', problem: "<b>'&" };
  const { html, text } = write({ kind: "delivery-warning", data }, "en");
  assert.doesNotMatch(html, /<img|<b>/);
  assert.ok(text.includes("<img"), "and is shown as it is in text");
});
