// /operator/health: the findings of `doctor`, and how to fix each.
import { AppError } from "../../domain/error_codes.ts";
import type { Finding, Level } from "../../domain/operator/finding.ts";
import { postForm } from "../components/form.ts";
import { notice } from "../components/notice.ts";
import { type Html, markup, type Part } from "../html.ts";
import { type OperatorCall, operatorPage, type PageContent, type PageRoute } from "../page_route.ts";
import { badgesOf } from "./looks.ts";
import type { OperatorPagesOptions } from "./operator_port.ts";

const PATH = "/operator/health";
const LEVELS: readonly Level[] = ["problem", "warning", "good"];

export function healthPages(options: OperatorPagesOptions): PageRoute[] {
  return [
    operatorPage({ method: "GET", path: PATH, handle: (call) => show(call, options, { network: false }) }),
    // A form, because it connects to every source's host and to the mail server.
    operatorPage({ method: "POST", path: PATH, handle: (call) => show(call, options, { network: true }) }),
  ];
}

async function show(
  call: OperatorCall,
  { acts }: OperatorPagesOptions,
  { network }: { network: boolean },
): Promise<PageContent> {
  const { operator: t } = call.texts;
  if (acts.server === null) {
    throw new AppError("unavailable", "Only the server can examine the installation.");
  }
  const findings = await acts.server.findings({ network });
  const [problems = [], warnings = [], good = []] = LEVELS.map((level) =>
    findings.filter((finding) => finding.level === level)
  );
  const body = markup`<h1>${t.health.title}</h1>
<p class="lead">${t.health.lead}</p>
${
    problems.length + warnings.length === 0
      ? notice(t.health.allGood, "good")
      : markup`<p>${t.health.counts(problems.length, warnings.length)}</p>`
  }
<div class="actions-row">${
    postForm(call, {
      action: PATH,
      submit: network ? t.health.again : t.health.network,
      tone: "plain",
      layout: "inline",
    })
  }</div>
<p class="soft">${network ? t.health.withNetwork : t.health.withoutNetwork}</p>
${problems.length + warnings.length === 0 ? null : findingList([...problems, ...warnings], call)}
<details><summary>${t.health.passed(good.length)}</summary>${findingList(good, call)}</details>
<p class="soft">${t.health.sameAsDoctor}</p>`;
  return { kind: "page", title: t.health.title, section: "health", body };
}

function findingList(findings: readonly Finding[], { texts }: OperatorCall): Html {
  return markup`<ul class="findings">${
    findings.map(({ area, level, seen, todo, symptoms = [] }) =>
      markup`<li><p>${badgesOf(texts).level(level)} <strong>${area}</strong></p>
<div lang="en"><p>${withCode(seen)}</p>${
        todo === null ? null : markup`<p class="todo">→ ${withCode(todo)}</p>`
      }${
        symptoms.length === 0 ? null : markup`<ul>${symptoms.map((one) => markup`<li>${one}</li>`)}</ul>`
      }</div></li>`
    )
  }</ul>`;
}

/** Shows what is between backticks, such as a command, as code. */
function withCode(text: string): Part {
  return text.split("`").map((part, at) => at % 2 === 1 ? markup`<code>${part}</code>` : part);
}
