// The rows of the documentation's pages. Their code is loaded when the first is requested.
import * as z from "zod";
import { AppError } from "../../domain/error_codes.ts";
import type { OpenApi } from "../../wire/openapi.ts";
import {
  type FileContent,
  type PageCall,
  type PageResult,
  type PageRoute,
  publicPage,
  redirect,
} from "../page_route.ts";
import type { DocsView } from "./view.ts";

interface DocsOptions {
  /** Returns the description of the API. */
  describe(): Promise<OpenApi>;
}

const MARKDOWN = /\.md$/;

export function docsPages({ describe }: DocsOptions): PageRoute[] {
  let loading: Promise<DocsView> | null = null;
  const view = () =>
    loading ??= load(describe).catch((error) => {
      loading = null; // the next request tries again
      throw error;
    });

  /** Responds with a page, or with its Markdown if the path or the client asks for it. */
  const show = async (path: string, call: PageCall): Promise<PageResult> => {
    const { site, pageBody } = await view();
    const page = site.find(path.replace(MARKDOWN, ""));
    if (page === null) throw new AppError("not_found", "No page of the documentation has this name.");
    const accepted = call.headers.get("accept") ?? "";
    if (MARKDOWN.test(path) || accepted.includes("text/markdown")) return markdownFile(page.markdown());
    return {
      kind: "page",
      section: "docs",
      title: page.title,
      scripts: ["docs"],
      body: pageBody(page, call),
    };
  };
  const row = (path: string, pathOf: (call: PageCall) => string) =>
    publicPage({ method: "GET", path, handle: (call) => show(pathOf(call), call) });

  return [
    row("/docs", () => "/docs"),
    row("/docs.md", () => "/docs.md"),
    publicPage({ method: "GET", path: "/docs/quick-start", handle: () => redirect("/docs") }),
    row("/docs/quick-start.md", () => "/docs.md"),
    row("/docs/reference", () => "/docs/reference"),
    row("/docs/reference.md", () => "/docs/reference.md"),
    row("/docs/{page}", ({ params: { page } }) => `/docs/${page}`),
    row("/docs/reference/{page}", ({ params: { page } }) => `/docs/reference/${page}`),
    publicPage({
      method: "GET",
      path: "/docs/search",
      query: z.object({ q: z.string() }),
      async handle(call) {
        const { searchBody } = await view();
        const query = call.query.good.q ?? "";
        const title = call.texts.docs.searchTitle(query);
        return { kind: "page", section: "docs", title, scripts: ["docs"], body: searchBody(query, call) };
      },
    }),
    publicPage({
      method: "GET",
      path: "/llms.txt",
      async handle() {
        const { llms } = await view();
        return { ...markdownFile(llms), contentType: "text/plain; charset=utf-8" };
      },
    }),
  ];
}

async function load(describe: () => Promise<OpenApi>): Promise<DocsView> {
  const [{ createDocsView }, description] = await Promise.all([import("./view.ts"), describe()]);
  return createDocsView(description);
}

function markdownFile(content: string): FileContent {
  return {
    kind: "file",
    content,
    contentType: "text/markdown; charset=utf-8",
    headers: { vary: "Accept, Accept-Encoding, Accept-Language, Cookie" },
  };
}
