// Signing in to the pages: with an API key, or with a one-time link that is sent by email or made by a command.
import { keyStateOf } from "../domain/customer/api_key.ts";
import { isMailAddress } from "../domain/customer/mail.ts";
import type { Client, NewSignInLink, Viewer } from "../domain/customer/session.ts";
import type { NewId } from "../domain/event/ids.ts";
import type { Clock, Random } from "../domain/ports/ports.ts";
import type { Store } from "../domain/ports/store/store.ts";
import { hashKey, isKey } from "./keys.ts";
import { hashToken, makeToken, type Sessions, type Started } from "./sessions.ts";

/** Maximum number of email addresses that wait to be looked up. Further requests are dropped. */
const MAX_REQUESTS = 1_000;

/** Few enough that a usual URL fits on a line of an email, so that it can be copied from a file. */
const LINK_TOKEN_BYTES = 16;

/** Why a key was refused. `unpaid` and `disabled` are about the customer, whose key is valid. */
type KeyRefusal = "unknown" | "replaced" | "unpaid" | "disabled";

export interface SignIn {
  withKey(key: string, client: Client): Promise<Started | { refused: KeyRefusal }>;
  /**
   * Requests an email with a one-time link. Does the same for every email address: it is looked up later, so that
   * neither the response nor its time reveals whether a customer has it.
   */
  requestLink(email: string, returnTo: string | null): void;
  /** Queues the requested emails. */
  queueRequested(): Promise<void>;
  /** Returns for whom a link is, or null if it is not valid. Does not redeem it. */
  viewerOf(linkToken: string): Promise<Viewer | null>;
}

export function createSignIn(
  { store, clock, sessions, newId }: {
    store: Pick<Store, "findKey" | "queueLinkMails" | "findSignInLink">;
    clock: Pick<Clock, "nowMs">;
    sessions: Pick<Sessions, "start">;
    newId: NewId;
  },
): SignIn {
  const requests = new Map<string, string | null>();
  return {
    async withKey(key, client) {
      const hash = hashKey(key);
      const holder = isKey(key) ? await store.findKey(hash) : null;
      if (holder === null) return { refused: "unknown" };
      if (keyStateOf(holder.key, clock.nowMs()) === "disabled") return { refused: "replaced" };
      if (!holder.customer.enabled) {
        return { refused: holder.disabledBy === "payment" ? "unpaid" : "disabled" };
      }
      const viewer = { kind: "customer", customerId: holder.customer.id } as const;
      return await sessions.start(viewer, { method: "key", keyHash: hash, client }) ??
        { refused: "replaced" };
    },

    requestLink(email, returnTo) {
      if (isMailAddress(email) && requests.size < MAX_REQUESTS) requests.set(email.toLowerCase(), returnTo);
    },

    async queueRequested() {
      for (const [email, returnTo] of requests) {
        const nowMs = clock.nowMs();
        await store.queueLinkMails({ email, returnTo, nowMs, newMailId: () => newId("mail") });
        requests.delete(email);
      }
    },

    viewerOf: async (linkToken) => {
      const hash = hashToken(linkToken);
      return hash === null ? null : await store.findSignInLink(hash, clock.nowMs());
    },
  };
}

/** Makes a one-time link. The caller stores it before anyone gets its URL. */
export function makeLink(
  viewer: Viewer,
  { random, nowMs, publicUrl, returnTo = null }: {
    random: Pick<Random, "bytes">;
    nowMs: number;
    publicUrl: string;
    returnTo?: string | null;
  },
): { url: string; stored: NewSignInLink } {
  const token = makeToken(random, LINK_TOKEN_BYTES);
  const query = returnTo === null ? "" : `?return_to=${encodeURIComponent(returnTo)}`;
  return {
    url: `${publicUrl}/sign-in/link/${token}${query}`,
    stored: { hash: hashKey(token), viewer, createdAtMs: nowMs },
  };
}
