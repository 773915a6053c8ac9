// /console/sessions and /operator/sessions: where someone is signed in, and ending sessions.
import type { Session } from "../../domain/customer/session.ts";
import type { SessionOwner } from "../../domain/ports/store/sessions.ts";
import { badge } from "../components/badge.ts";
import { hiddenField, postForm } from "../components/form.ts";
import { table } from "../components/table.ts";
import { timeAgo } from "../components/time.ts";
import { type Html, markup } from "../html.ts";
import {
  type CustomerCall,
  customerPage,
  type OperatorCall,
  operatorPage,
  type PageContent,
  type PageRoute,
  redirect,
} from "../page_route.ts";
import { deviceOf } from "./device.ts";
import type { SignInOptions } from "./sign_in_pages.ts";

type Call = CustomerCall | OperatorCall;

export function sessionRoutes({ sessions, sessionCookie }: SignInOptions): PageRoute[] {
  const list = async (call: Call) => sessionsPage(call, await sessions.list(ownerOf(call)));
  const end = async (call: Call, owner: SessionOwner, which: { id: string } | { except: string }) => {
    const { id, viewer } = call.session.session;
    const by = viewer.kind === "operator"
      ? { actor: `console:${viewer.name}`, address: call.ipAddress }
      : null;
    const ended = await sessions.endSome(owner, which, by);
    const { sessions: words } = call.texts.signIn;
    if ("id" in which && which.id === id) {
      return redirect("/", {
        cookies: [sessionCookie.clear()],
        toast: { text: call.texts.signIn.signedOut, tone: "good" },
      });
    }
    return redirect(pathOf(call), { toast: { text: words.ended(ended), tone: "good" } });
  };
  const endOne = (call: Call) => end(call, ownerOf(call), { id: call.typed.get("id") });
  const endOthers = (call: Call) => {
    const { id, viewer } = call.session.session;
    return end(call, viewer.kind === "operator" ? { operator: viewer.name } : viewer, { except: id });
  };
  return [
    customerPage({ method: "GET", path: "/console/sessions", handle: list }),
    customerPage({ method: "POST", path: "/console/sessions/end", handle: endOne }),
    customerPage({ method: "POST", path: "/console/sessions/end-others", handle: endOthers }),
    operatorPage({ method: "GET", path: "/operator/sessions", handle: list }),
    operatorPage({ method: "POST", path: "/operator/sessions/end", handle: endOne }),
    operatorPage({ method: "POST", path: "/operator/sessions/end-others", handle: endOthers }),
  ];
}

/** Operators see the sessions of all operators, so that one can end those of another. */
function ownerOf({ session: { session: { viewer } } }: Call): SessionOwner {
  return viewer.kind === "operator" ? "operators" : { customerId: viewer.customerId };
}

function pathOf({ session: { session: { viewer } } }: Call): string {
  return viewer.kind === "operator" ? "/operator/sessions" : "/console/sessions";
}

function sessionsPage(call: Call, list: readonly Session[]): PageContent {
  const { texts } = call;
  const words = texts.signIn.sessions;
  const { id: current, viewer } = call.session.session;
  const isOperator = viewer.kind === "operator";
  const { device, operator, method, address, signedIn, lastSeen, end } = words.columns;
  const rows = list.map((session) => [
    markup`${deviceOf(session.client.userAgent) ?? words.unknownDevice}${
      session.id === current ? markup` ${badge({ tone: "good", shape: "dot", text: words.current })}` : null
    }`,
    ...(isOperator ? [session.viewer.kind === "operator" ? session.viewer.name : ""] : []),
    words.methods[session.method],
    session.client.ipAddress,
    timeAgo(session.createdAtMs, call),
    timeAgo(session.lastSeenAtMs, call),
    endForm(call, session),
  ]);
  const others = list.some((session) => session.id !== current && isOwn(session, viewer))
    ? postForm(call, { action: `${pathOf(call)}/end-others`, submit: words.endOthers, tone: "danger" })
    : null;
  const body = markup`<h1>${words.title}</h1><p class="lead">${
    isOperator ? words.operatorLead : words.lead
  }</p>
${
    table({
      caption: words.title,
      columns: [
        { label: device },
        ...(isOperator ? [{ label: operator }] : []),
        { label: method },
        { label: address },
        { label: signedIn },
        { label: lastSeen },
        { label: end, kind: "actions" },
      ],
      rows,
    })
  }
${others}`;
  return { kind: "page", title: words.title, section: "sessions", body };
}

function isOwn({ viewer }: Session, own: Session["viewer"]): boolean {
  return own.kind === "customer" || (viewer.kind === "operator" && viewer.name === own.name);
}

function endForm(call: Call, { id, client }: Session): Html {
  const words = call.texts.signIn.sessions;
  const device = deviceOf(client.userAgent) ?? words.unknownDevice;
  return postForm(call, {
    action: `${pathOf(call)}/end`,
    fields: hiddenField("id", id),
    submit: markup`<button class="button plain" aria-label="${
      words.endOf(device)
    }">${words.columns.end}</button>`,
    layout: "inline",
  });
}
