// The stylesheet and scripts, served with a hash in their names so that browsers may cache them indefinitely.
import { createHash } from "node:crypto";
import { Body } from "../http/response_cache.ts";
import { STYLESHEET } from "./style/stylesheet.ts";
import docs from "./scripts/docs.js" with { type: "text" };
import feed from "./scripts/feed.js" with { type: "text" };
import page from "./scripts/page.js" with { type: "text" };
import subscription from "./scripts/subscription.js" with { type: "text" };

/** The scripts by name. Pages list those that they need; `page` is on every page. */
const SCRIPTS = { page, docs, feed, subscription } as const;

export type ScriptName = keyof typeof SCRIPTS;

interface Asset {
  body: Body;
  contentType: string;
}

const byPath = new Map<string, Asset>();

function add(name: string, extension: "css" | "js", content: string): string {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 16);
  const path = `/assets/${name}.${hash}.${extension}`;
  const contentType = extension === "css" ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
  byPath.set(path, { body: new Body(content, hash), contentType });
  return path;
}

export const STYLESHEET_PATH: string = add("page", "css", STYLESHEET);

const scriptPaths = new Map(
  Object.entries(SCRIPTS).map(([name, content]) => [name, add(name, "js", content)]),
);

export function scriptPath(name: ScriptName): string {
  return scriptPaths.get(name) ?? "";
}

export function findAsset(path: string): Asset | null {
  return byPath.get(path) ?? null;
}
