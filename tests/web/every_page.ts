// The list of pages, for the tests that open each of them and for the screenshots.
import type { SampleService, SampleViewer } from "./sample_service.ts";

export interface SamplePage {
  /** The name of the screenshot. */
  name: string;
  path: string;
  viewer: SampleViewer;
  /** The status if it is not 200. */
  status?: number;
}

/** An address, or what makes it from the ids of the sample service. */
type Row = [
  viewer: SampleViewer,
  path: string | ((ids: SampleService["ids"]) => string),
  status?: number,
];

const PAGES = {
  "home": ["visitor", "/"],
  "home-signed-in": ["customer", "/"],
  "not-found": ["visitor", "/no-such-page", 404],
  "status": ["visitor", "/status"],
  "sign-in": ["visitor", "/sign-in"],
  "docs": ["visitor", "/docs"],
  "docs-guide": ["visitor", "/docs/webhooks"],
  "docs-reference": ["visitor", "/docs/reference/events"],
  "docs-search": ["visitor", "/docs/search?q=signature"],
  "feed": ["customer", "/console"],
  "feed-invalid-filter": ["customer", "/console?severity_min=urgent&topics=gpai"],
  "event": ["customer", ({ event }) => `/console/events/${event}`],
  "event-revision": ["customer", ({ revision }) => `/console/events/${revision}`],
  "event-side-by-side": ["customer", ({ revision }) => `/console/events/${revision}?view=side`],
  "feed-no-match": ["customer", "/console?q=nowhere&severity_min=critical"],
  "event-unknown": ["customer", "/console/events/evt_unknown", 404],
  "subscriptions": ["customer", "/console/subscriptions"],
  "subscription": ["customer", ({ subscription }) => `/console/subscriptions/${subscription}`],
  "subscription-new": ["customer", "/console/subscriptions/new"],
  "subscription-edit": ["customer", ({ subscription }) => `/console/subscriptions/${subscription}/edit`],
  "delivery": [
    "customer",
    ({ subscription, delivery }) => `/console/subscriptions/${subscription}/deliveries/${delivery}`,
  ],
  "usage": ["customer", "/console/usage"],
  "keys": ["customer", "/console/keys"],
  "sessions": ["customer", "/console/sessions"],
  "operator-sessions": ["operator", "/operator/sessions"],
  "sign-in-used-link": ["visitor", "/sign-in/link/used", 404],
  "operator": ["operator", "/operator"],
  "operator-sources": ["operator", "/operator/sources"],
  "operator-source": ["operator", ({ source }) => `/operator/sources/${source}`],
  "operator-deliveries": ["operator", "/operator/deliveries"],
  "operator-delivery": ["operator", ({ delivery }) => `/operator/deliveries/${delivery}`],
  "operator-emails": ["operator", "/operator/mails?status=sent"],
  "operator-customers": ["operator", "/operator/customers"],
  "operator-customer": ["operator", ({ customer }) => `/operator/customers/${customer}`],
  "operator-customer-new": ["operator", "/operator/customers/new"],
  "operator-payments": ["operator", "/operator/payments"],
  "operator-audit": ["operator", "/operator/audit?origin=cli"],
  "operator-audit-invalid": ["operator", "/operator/audit?act=nothing"],
  "operator-health": ["operator", "/operator/health"],
  "operator-backups": ["operator", "/operator/backups"],
} as const satisfies Record<string, Row>;

export type PageName = keyof typeof PAGES;

/** The names, which are known before the service runs, so that each page is a test of its own. */
export const NAMES = Object.keys(PAGES) as PageName[];

export function pageOf(name: PageName, { ids }: Pick<SampleService, "ids">): SamplePage {
  const [viewer, path, status]: Row = PAGES[name];
  return {
    name,
    viewer,
    path: typeof path === "string" ? path : path(ids),
    ...(status === undefined ? {} : { status }),
  };
}
