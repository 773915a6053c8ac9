// The status pages: the state of the sources, and incidents as a feed.
import type { Store } from "../../domain/ports/store/store.ts";
import type { NewId } from "../../domain/event/ids.ts";
import { type PageRoute, publicPage, viewerPage } from "../page_route.ts";
import type { StatusReader } from "./status_report.ts";

/** Who may see the status pages. */
export type StatusAccess = "public" | "signed-in" | "off";

interface StatusRouteOptions {
  access: StatusAccess;
  reader: StatusReader;
  store: Pick<Store, "feedId">;
  newId: NewId;
  publicUrl: string;
}

export function statusRoutes({ access, reader, store, newId, publicUrl }: StatusRouteOptions): PageRoute[] {
  if (access === "off") return [];
  const page = access === "public" ? publicPage : viewerPage;
  return [
    page({
      method: "GET",
      path: "/status",
      async handle(call) {
        const { statusPage } = await import("./status_page.ts");
        return statusPage(await reader.report(), call);
      },
    }),
    page({
      method: "GET",
      path: "/status/incidents.atom",
      async handle(call) {
        const { incidentsFeed } = await import("./incidents_feed.ts");
        const feedId = await store.feedId(newId("incident"));
        const content = incidentsFeed(await reader.state(), { ...call, feedId, publicUrl });
        return { kind: "file", content, contentType: "application/atom+xml; charset=utf-8" };
      },
    }),
  ];
}
