// The navigation: the areas that a visitor may open, and the sections of the current area.
import type { Texts } from "../texts/texts.ts";

const CUSTOMER_SECTIONS = {
  feed: "/console",
  subscriptions: "/console/subscriptions",
  usage: "/console/usage",
  keys: "/console/keys",
} as const;

const OPERATOR_SECTIONS = {
  overview: "/operator",
  sources: "/operator/sources",
  deliveries: "/operator/deliveries",
  mails: "/operator/mails",
  customers: "/operator/customers",
  payments: "/operator/payments",
  audit: "/operator/audit",
  health: "/operator/health",
  backups: "/operator/backups",
} as const;

const PUBLIC_SECTIONS = { status: "/status", docs: "/docs" } as const;

type CustomerSection = keyof typeof CUSTOMER_SECTIONS;
type OperatorSection = keyof typeof OPERATOR_SECTIONS;

/** What the navigation marks as current. */
export type Section =
  | "home"
  | "sign_in"
  | "sessions"
  | keyof typeof PUBLIC_SECTIONS
  | CustomerSection
  | OperatorSection;

export interface NavigationLink {
  label: string;
  href: string;
  isCurrent: boolean;
}

export interface Navigation {
  areas: NavigationLink[];
  /** The sections of the console or of the operator's pages; empty elsewhere. */
  sections: NavigationLink[];
  /** The page with the viewer's sessions; null without a session. */
  sessionsHref: string | null;
}

export type ViewerKind = "customer" | "operator" | null;

/** Decides what the navigation shows. `hasStatus` is whether this visitor may see the status page. */
export function navigationFor(
  { viewer, section, hasStatus }: { viewer: ViewerKind; section: Section | null; hasStatus: boolean },
  { common: { nav } }: Texts,
): Navigation {
  const own: Readonly<Record<string, string>> = viewer === "operator"
    ? OPERATOR_SECTIONS
    : viewer === "customer"
    ? CUSTOMER_SECTIONS
    : {};
  const home = viewer === "operator" ? "/operator" : "/console";
  const isOwn = section === "sessions" || (section !== null && Object.hasOwn(own, section));
  const areas: NavigationLink[] = [
    ...(hasStatus ? [{ label: nav.status, href: "/status", isCurrent: section === "status" }] : []),
    { label: nav.docs, href: "/docs", isCurrent: section === "docs" },
    { label: viewer === "operator" ? nav.operator : nav.console, href: home, isCurrent: isOwn },
  ];
  const sections = isOwn
    ? Object.entries(own).map(([name, href]): NavigationLink => ({
      label: nav[name as CustomerSection | OperatorSection],
      href,
      isCurrent: section === name,
    }))
    : [];
  return { areas, sections, sessionsHref: viewer === null ? null : `${home}/sessions` };
}
