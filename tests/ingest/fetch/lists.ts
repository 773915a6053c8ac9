// Shared by the tests of lists: a source that reads a JSON list, and the responses of its server.
import type { Answer } from "../../support/platform.ts";
import { boardConfig } from "../../support/samples.ts";
import type { World } from "../../support/world.ts";

export const API = "https://board.example/feed";
export const DAY = 86_400_000;

export const listConfig = (table = "", lines = ""): string =>
  boardConfig({
    source: `fetch_strategy = "json"\nrelevance = "all"\n${lines}
[sources.json]
items = "results"
id = "id"
title = "title"
link = "https://board.example/documents/{id}"
${table}`,
  });

export const dayConfig = (table: string): string =>
  listConfig(`window_days = 1\n${table}`).replace(API, "https://board.example/day/{since:yyyyMMdd}");

/**
 * Returns the body of a page: a row for each id, with the fields that `fieldsOf` returns, and the members in `more`.
 */
export const pageText = (
  ids: readonly (string | number)[],
  more: Record<string, unknown> = {},
  fieldsOf: (id: number) => Record<string, unknown> = () => ({}),
): string =>
  JSON.stringify({
    results: ids.map((id) => ({ id: `${id}`, title: `Document ${id}`, ...fieldsOf(Number(id)) })),
    ...more,
  });

export const page = (...given: Parameters<typeof pageText>): Answer => ({
  headers: { "content-type": "application/json" },
  body: pageText(...given),
});

export const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => from < to ? from + at : from - at);

/** Returns up to `size` numbers of the list `newest`, `newest` - 1, … 1, starting at the index `from`. */
export const newestFirst = (newest: number, size: number, from = 0): number[] =>
  newest - from < 1 ? [] : range(newest - from, Math.max(1, newest - from - size + 1));

/** Serves the documents from number `newest()` down to 1, in numbered pages. */
export function servePages(world: World, newest: () => number, size = 2): void {
  world.platform.http.serve(API, ({ url }) => {
    const number = Number(url.searchParams.get("page") ?? 1);
    return page(newestFirst(newest(), size, (number - 1) * size));
  });
}

export const storedIds = async (world: World): Promise<number[]> =>
  (await world.store.listEvents({ limit: 500 })).map(({ json }) => Number(JSON.parse(json).external_id))
    .sort((a, b) => a - b);

/** Returns the URLs requested since the last call. */
const requestedUrls = (world: World): URL[] =>
  world.platform.http.requests.splice(0).map(({ url }) => new URL(url));
export const requestedPaths = (world: World): string[] =>
  requestedUrls(world).map(({ pathname }) => pathname);
export const requestedQueries = (world: World): string[] =>
  requestedUrls(world).map(({ search }) => search || "-");
export const requestedDays = (world: World): number[] =>
  requestedPaths(world).map((path) => Number(path.replace("/day/", "")));
