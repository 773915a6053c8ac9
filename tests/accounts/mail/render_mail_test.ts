// Emails of every kind are rendered correctly in every language, and hostile values are escaped.
import assert from "node:assert/strict";
import { renderMail } from "../../../src/accounts/mail/render_mail.ts";
import type { Customer } from "../../../src/domain/customer/customer.ts";
import type { ClaimedMail, MailContent } from "../../../src/domain/customer/mail.ts";
import { MAIL_LANGUAGES, type MailLanguage } from "../../../src/domain/customer/mail_language.ts";
import { DEFAULT_LIMITS } from "../../../src/domain/customer/tier.ts";

const AT = Date.parse("2026-08-15T10:00:00Z");
const KEY = `rgf_${"a1".repeat(32)}`;
const LINK = `https://feed.example.org/sign-in/link/${"Ab-_9".repeat(5).slice(0, 22)}`;
const FAILING = {
  subscriptionId: "sub_1",
  host: "hooks.client.example",
  failingSinceMs: AT,
  disabledAtMs: AT + 86_400_000,
  problem: "connection refused",
};
const USE = { what: "deliveries", used: 4_000, limit: 5_000, resetsAtMs: AT } as const;
const HELD = { held: [{ id: "sub_2", host: "b.example" }], returned: [] };
const CONTENTS: MailContent[] = [
  { kind: "welcome", data: {} },
  { kind: "key-rotated", data: { label: "default", lastFour: "beef", oldUntilMs: null } },
  { kind: "key-rotated", data: { label: "staging", lastFour: "beef", oldUntilMs: AT } },
  { kind: "payment-failed", data: { accessUntilMs: AT } },
  { kind: "payment-failed", data: { accessUntilMs: null } },
  { kind: "access-ended", data: { endedAtMs: AT } },
  { kind: "tier-changed", data: { ...HELD, before: "gpai", after: "team", limits: DEFAULT_LIMITS.team } },
  { kind: "subscriptions-held", data: { ...HELD, limits: DEFAULT_LIMITS.indie } },
  { kind: "delivery-warning", data: FAILING },
  { kind: "delivery-disabled", data: FAILING },
  { kind: "delivery-disabled", data: { ...FAILING, isKeyLost: true } },
  { kind: "quota-80", data: USE },
  { kind: "quota-100", data: { ...USE, what: "requests" } },
  { kind: "held-full", data: { limit: 5_000, sinceMs: AT, resetsAtMs: AT + 86_400_000 } },
  { kind: "sign-in", data: { requestedAtMs: AT, returnTo: "/console" } },
];

const write = (content: MailContent, language: MailLanguage, publicUrl = "https://feed.example.org") => {
  const customer: Customer = {
    ...{ id: "cus_1", email: "ana@client.example", tier: "team", enabled: true },
    ...{ limits: {}, language, declared: false, createdAtMs: 0 },
  };
  const mail: ClaimedMail = { ...content, id: "mail_1", attempt: 1, tries: 1, lastFour: null, customer };
  const key = content.kind === "welcome" ? KEY : null;
  const link = content.kind === "sign-in" ? { url: LINK, expiresAtMs: AT + 900_000 } : null;
  return renderMail(mail, {
    key,
    link,
    publicUrl,
    support: "help@feed.example",
    limits: DEFAULT_LIMITS.team,
  });
};

/** Returns the text without line wrapping. */
const unfolded = (text: string): string => text.replace(/\n(?! )/g, " ");

Deno.test("renderMail() renders every kind in every language as text and HTML", () => {
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

Deno.test("a welcome email contains the key, a first request, the disclaimer and how to replace the key", () => {
  const rows: Record<MailLanguage, RegExp[]> = {
    en: [
      /shown only in this email/,
      /not legal advice/,
      /If you lose the key, write to us/,
      /10,000 requests/,
    ],
    de: [/nur in dieser E-Mail/, /keine Rechtsberatung/, /Schlüssel verlieren/, /10\.000 Anfragen/],
    fr: [/que dans cet e-mail/, /pas un conseil juridique/, /Si vous perdez la clé/, /10\s000 requêtes/],
  };
  for (const language of MAIL_LANGUAGES) {
    const { subject, text, html } = write({ kind: "welcome", data: {} }, language);
    assert.ok(!subject.includes("rgf_"));
    assert.ok(text.includes(`    ${KEY}\n`) && html.includes(KEY), language);
    assert.ok(
      text.includes(`    curl --oauth2-bearer \\\n    ${KEY} \\\n    https://feed.example.org/v1/events\n`),
    );
    for (const pattern of rows[language]) assert.match(unfolded(text), pattern, language);
  }
});

Deno.test("a sign-in email has the link on a line of its own, and says when it expires", () => {
  const rows: [MailLanguage, RegExp][] = [
    ["en", /works once, until 15 August 2026 at 10:15 UTC\./],
    ["de", /nur einmal verwenden und ist bis zum 15\. August 2026 um 10:15 UTC gültig\./],
    ["fr", /une seule fois, jusqu’au 15 août 2026 à 10:15 UTC\./],
  ];
  for (const [language, expected] of rows) {
    const { text, html } = write({ kind: "sign-in", data: { requestedAtMs: AT, returnTo: null } }, language);
    assert.match(unfolded(text), expected);
    assert.ok(text.includes(`\n    ${LINK}\n`) && html.includes(`\n${LINK}\n`), language);
    assert.ok(text.split("\n").every((line) => line.length <= 76), language);
  }
});

Deno.test("no other email contains a key, and times have a time zone", () => {
  for (const content of CONTENTS.slice(1)) {
    assert.doesNotMatch(write(content, "en").text, /rgf_/, content.kind);
  }
  const textOf = (content: MailContent, language: MailLanguage) => unfolded(write(content, language).text);
  const due: MailContent = { kind: "payment-failed", data: { accessUntilMs: AT } };
  assert.match(textOf(due, "en"), /until 15 August 2026 at 10:00 UTC/);
  assert.match(textOf(due, "de"), /15\. August 2026 um 10:00 UTC/);
  assert.match(textOf(due, "fr"), /15 août 2026 à 10:00 UTC/);
});

Deno.test("the email about a replaced key names its label and how long the old key works", () => {
  const rows: [MailLanguage, oldUntilMs: number | null, RegExp][] = [
    ["en", null, /“staging”\. The old key no longer works\. The new key ends in beef/],
    ["en", AT, /“staging”\..*ends in beef.*old key works until 15 August 2026 at 10:00 UTC/s],
    ["de", null, /„staging“ ersetzt\. Der alte Schlüssel ist nicht mehr gültig\./],
    ["de", AT, /„staging“.*bis zum 15\. August 2026 um 10:00 UTC gültig/s],
    ["fr", null, /«\sstaging\s»\. L’ancienne clé n’est plus valable\./],
    ["fr", AT, /«\sstaging\s».*reste valable jusqu’au 15 août 2026 à 10:00 UTC/s],
  ];
  for (const [language, oldUntilMs, expected] of rows) {
    const data = { label: "staging", lastFour: "beef", oldUntilMs };
    assert.match(unfolded(write({ kind: "key-rotated", data }, language).text), expected);
  }
});

Deno.test("singular and plural forms are correct in every language", () => {
  const held = (language: MailLanguage, activeSubscriptions: number) => {
    const limits = { ...DEFAULT_LIMITS.indie, activeSubscriptions };
    return unfolded(write({ kind: "subscriptions-held", data: { ...HELD, limits } }, language).text);
  };
  const rows: [MailLanguage, RegExp, RegExp][] = [
    ["en", / 1 active subscription,/, / 5 active subscriptions,/],
    ["de", / 1 aktives Abonnement,/, / 5 aktive Abonnements,/],
    ["fr", / 1 abonnement actif,/, / 5 abonnements actifs,/],
  ];
  for (const [language, one, many] of rows) {
    assert.match(held(language, 1), one);
    assert.match(held(language, 5), many);
    assert.match(held(language, 5), /sub_2 b\.example/);
  }
});

Deno.test("no line exceeds 76 characters, and HTML is ASCII", () => {
  for (const language of MAIL_LANGUAGES) {
    for (const content of CONTENTS) {
      const { text, html } = write(content, language);
      for (const line of `${text}\n${html}`.split("\n")) {
        assert.ok(line.length <= 76, `${line.length}: ${line}`);
      }
      // deno-lint-ignore no-control-regex -- the range of ASCII
      assert.match(html, /^[\x00-\x7f]*$/);
    }
  }
});

Deno.test("values from outside are escaped in HTML", () => {
  const data = { ...FAILING, host: '<img src=x onerror="alert(1)">', problem: "<b>'&" };
  const { html, text } = write({ kind: "delivery-warning", data }, "en");
  assert.doesNotMatch(html, /<img|<b>/);
  assert.ok(text.includes("<img"), "the text is unchanged");
});
