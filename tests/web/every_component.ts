// A page with every component in each of its states, to test and to look at.
import { badge, severityBadge } from "../../src/web/components/badge.ts";
import { barChart } from "../../src/web/components/bar_chart.ts";
import { copyable } from "../../src/web/components/copy.ts";
import { confirmDialog } from "../../src/web/components/dialog.ts";
import { type DiffPart, inlineDiff, sideBySideDiff } from "../../src/web/components/diff.ts";
import { emptyState } from "../../src/web/components/empty_state.ts";
import { facts } from "../../src/web/components/facts.ts";
import { fieldsOf } from "../../src/web/components/fields.ts";
import { filters } from "../../src/web/components/filters.ts";
import { formProblem, postForm } from "../../src/web/components/form.ts";
import { externalLink } from "../../src/web/components/link.ts";
import { meter } from "../../src/web/components/meter.ts";
import { notice } from "../../src/web/components/notice.ts";
import { paging } from "../../src/web/components/paging.ts";
import { table } from "../../src/web/components/table.ts";
import { tabs } from "../../src/web/components/tabs.ts";
import { dateOnly, exactTime, timeAgo } from "../../src/web/components/time.ts";
import { timeline } from "../../src/web/components/timeline.ts";
import { SEVERITIES } from "../../src/domain/event/severity.ts";
import { type Html, markup } from "../../src/web/html.ts";
import type { PageCall, PageResult } from "../../src/web/page_route.ts";
import { TypedValues } from "../../src/web/session/typed_values.ts";

const AT_MS = Date.parse("2026-08-01T07:30:00Z");
const LONG = "Durchführungsverordnung über Hochrisiko-KI-Systeme-Konformitätsbewertungsverfahren";
const URL_TEXT = `https://hooks.example.org/${"very-long-path/".repeat(6)}events`;

const DIFF: DiffPart[] = [
  { kind: "same", text: "Providers of general-purpose AI models shall notify the Commission " },
  { kind: "removed", text: "without delay and in any event within two weeks" },
  { kind: "added", text: "within ten working days" },
  { kind: "same", text: " after that requirement is met. " },
  { kind: "added", text: "The notification shall include the information necessary to demonstrate it." },
];

export function everyComponent(call: PageCall): PageResult {
  const { texts, format } = call;
  const errors = [{ field: "webhook_url", message: "must be https" }, {
    field: "other",
    message: "is not known",
  }];
  const fields = fieldsOf({
    texts,
    typed: new TypedValues([{ name: "webhook_url", value: "http://example.org" }, {
      name: "topics",
      value: "gpai",
    }]),
    errors,
  });
  const section = (title: string, ...parts: (Html | null)[]) =>
    markup`<section><h2>${title}</h2>${parts}</section>`;
  const bars = Array.from({ length: 30 }, (_, day) => ({
    label: format.date(AT_MS - (29 - day) * 86_400_000),
    value: [0, 3, 12, 7, 1, 22, 40][day % 7] ?? 0,
    tone: day === 20 ? "bad" as const : "accent" as const,
  }));
  const options = ["gpai", "high-risk", "transparency", "prohibited-practices"].map((value) => ({
    value,
    label: value,
  }));
  const body = markup`<div class="page-head"><h1>${LONG}</h1><a class="button primary" href="#">New</a></div>
<p class="lead">Every component, as it looks in the language of the page.</p>
${
    section(
      "Badges",
      markup`<p>${SEVERITIES.map((one) => markup`${severityBadge(one, one)} `)}</p>
<p>${badge({ tone: "good", shape: "check", text: "ok" })} ${
        badge({ tone: "bad", shape: "cross", text: "failed" })
      } ${badge({ tone: "warn", shape: "pause", text: "held" })} ${
        badge({ tone: "neutral", shape: "clock", text: "pending" })
      } ${badge({ tone: "accent", shape: "half", text: "partial" })} ${
        badge({ tone: "accent", shape: "diamond", text: "new" })
      }</p>`,
    )
  }
${
    section(
      "Filters",
      filters(texts, {
        action: "#",
        fields: markup`<div class="grid">${fields.text("q", "Search", { type: "search" })}${
          fields.select("severity_min", "Severity", { options, none: "any" })
        }${fields.text("since", "Since", { type: "date" })}</div>`,
        chips: [{ label: "Topic: gpai", href: "#" }, { label: `Search: ${LONG}`, href: "#" }],
        clearHref: "#",
        isOpen: true,
      }),
    )
  }
${
    section(
      "Table",
      table({
        caption: "Deliveries",
        columns: [
          { label: "Event" },
          { label: "State" },
          { label: "Attempts", kind: "number" },
          { label: "Time" },
          { label: "Actions", kind: "actions" },
        ],
        rows: [
          [
            externalLink(URL_TEXT, LONG),
            badge({ tone: "bad", shape: "cross", text: "failed" }),
            format.number(12),
            timeAgo(AT_MS, call),
            postForm(call, { action: "#", submit: "Replay", tone: "plain", layout: "inline" }),
          ],
          [
            URL_TEXT,
            badge({ tone: "good", shape: "check", text: "delivered" }),
            format.number(1),
            exactTime(AT_MS, call),
            postForm(call, { action: "#", submit: "Send now", tone: "plain", layout: "inline" }),
          ],
        ],
      }),
      paging(texts, { newer: "#", older: "#" }),
    )
  }
${
    section(
      "Form",
      markup`<div class="narrow">${formProblem(texts, errors, { fields: ["webhook_url"] })}${
        postForm(call, {
          action: "#",
          fields: [
            fields.text("webhook_url", "URL", {
              type: "url",
              isRequired: true,
              isCode: true,
              hint: "https, at a public address",
            }),
            fields.text("note", "Note", { rows: 3 }),
            fields.select("language", "Language", { options, value: "gpai" }),
            fields.choices("topics", "Topics", { options, hint: "Any of these" }),
            fields.choices("kind", "Kind", { options: options.slice(0, 2), kind: "radio", values: ["gpai"] }),
            fields.flag("enabled", "Enabled", { isChecked: true }),
          ],
          submit: "Create",
        })
      }</div>`,
    )
  }
${
    section(
      "Dialog",
      confirmDialog(call, {
        id: "delete",
        action: "#",
        open: "Delete…",
        title: "Delete this subscription?",
        text: LONG,
        submit: "Delete",
      }),
    )
  }
${
    section(
      "Difference",
      tabs("View", [{ label: "Inline", href: "#", isCurrent: true }, {
        label: "Side by side",
        href: "#",
        isCurrent: false,
      }]),
      inlineDiff(DIFF, texts),
      sideBySideDiff(DIFF, { before: "Version 1", after: "Version 2" }, texts),
    )
  }
${
    section(
      "Timeline",
      timeline([
        { title: "Version 2", when: timeAgo(AT_MS, call), text: markup`<p>Two changes</p>`, isCurrent: true },
        { title: markup`<a href="#">Version 1</a>`, when: dateOnly(AT_MS - 9e8, call), tone: "good" },
      ]),
    )
  }
${
    section(
      "Chart",
      barChart({ title: "Requests per day", bars, columns: ["Day", "Requests"], limit: 35 }, call),
    )
  }
${
    section(
      "Meters",
      meter({ label: "Requests today", text: "312 of 1,000", used: 312, limit: 1000 }),
      meter({ label: "Deliveries this month", text: "460 of 500", used: 460, limit: 500 }),
      meter({ label: "Subscriptions", text: "5 of 5", used: 5, limit: 5, hint: "Ask for a higher tier." }),
    )
  }
${
    section(
      "Notices",
      notice("Neutral", "neutral"),
      notice("For your information"),
      notice("All is well", "good"),
      notice("Attention", "warn"),
      notice("Failed", "bad"),
    )
  }
${
    section(
      "Facts",
      facts([
        ["Source", "European Commission"],
        ["Hash", markup`<code>${"0123456789abcdef".repeat(4)}</code>`],
        null,
        ["Published", dateOnly("2026-08-01", call)],
      ]),
    )
  }
${
    section(
      "Copy",
      copyable(
        texts,
        "sample",
        `curl -H "Authorization: Bearer $KEY" "https://regfeed.example/v1/events?limit=1"`,
      ),
    )
  }
${
    section(
      "Empty",
      emptyState({
        title: "No events match",
        text: "Remove a filter.",
        actions: markup`<a class="button plain" href="#">Clear all</a>`,
      }),
    )
  }`;
  return { kind: "page", title: "Components", section: "feed", body };
}
