// /llms.txt: an overview of the documentation for assistants (https://llmstxt.org).
import type { OpenApi } from "../../wire/openapi.ts";
import { CHANGELOG_PATH, type DocsPage, type DocsSite } from "./site.ts";

export function llmsText(site: DocsSite, { info, servers }: OpenApi): string {
  const base = servers[0]?.url ?? "";
  const pages = site.pages("en");
  const listOf = (chosen: readonly DocsPage[]) =>
    chosen.map(({ title, path, summary }) => `- [${title}](${base}${path}.md): ${summary}`).join("\n");
  const isChangelog = ({ path }: DocsPage) => path === CHANGELOG_PATH;
  return `# ${info.title}

> ${info.summary}.

This service provides events over an HTTP API (base URL ${base}, key as \`Authorization: Bearer rgf_…\`) and as signed
webhooks. Every page below is Markdown. The content of events is for information only and is not legal advice.

## Guides

${listOf(pages.filter((page) => page.group !== "reference" && !isChangelog(page)))}

## Reference

${listOf(pages.filter((page) => page.group === "reference"))}
- [OpenAPI 3.1](${base}/v1/openapi.json): the description for programs.

## Optional

${listOf(pages.filter(isChangelog))}
`;
}
