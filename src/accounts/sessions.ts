// Sessions of people who use the pages: start, find and end them. The token is only in the cookie.
import { Buffer } from "node:buffer";
import type { Customer } from "../domain/customer/customer.ts";
import {
  type Client,
  isSessionValid,
  MAX_USER_AGENT,
  type NewSession,
  type Session,
  SESSION_USE_MS,
  type SignInMethod,
  type Viewer,
} from "../domain/customer/session.ts";
import type { Act } from "../domain/customer/audit.ts";
import type { NewId } from "../domain/event/ids.ts";
import type { Clock, Random } from "../domain/ports/ports.ts";
import type { SessionOwner } from "../domain/ports/store/sessions.ts";
import type { Store } from "../domain/ports/store/store.ts";
import { hashKey } from "./keys.ts";

/** A valid session, with its customer as it is now, or null for an operator. */
interface SignedIn {
  session: Session;
  customer: Customer | null;
}

/** A session that has started. The token goes into the cookie and nowhere else. */
export interface Started {
  token: string;
  viewer: Viewer;
}

export interface Sessions {
  /** Returns the valid session with this token, or null, and notes its use. */
  find(token: string, client: Client): Promise<SignedIn | null>;
  /** Starts a session with a new token. Returns null if the customer is disabled, or if the key is not valid. */
  start(
    viewer: Viewer,
    by: { method: SignInMethod; keyHash?: string; client: Client },
  ): Promise<Started | null>;
  /** Redeems a one-time link. Returns null if it is not valid. */
  redeem(linkToken: string, client: Client): Promise<Started | null>;
  /** Ends the session with this token, if there is one. */
  end(token: string): Promise<void>;
  /** Lists valid sessions, last used first. */
  list(owner: SessionOwner): Promise<Session[]>;
  /** Ends one of the owner's sessions, or all except one. Returns how many ended. `by` is null for a customer's own. */
  endSome(
    owner: SessionOwner,
    which: { id: string } | { except: string | null },
    by: Omit<Act, "atMs"> | null,
  ): Promise<number>;
  /** Stores when sessions were last used. */
  flush(): Promise<void>;
}

const SESSION_TOKEN_BYTES = 32;
/** The bytes of either kind of token in base64url. */
const TOKEN = /^(?:[\w-]{43}|[\w-]{22})$/;

export function makeToken({ bytes }: Pick<Random, "bytes">, count: number): string {
  return Buffer.from(bytes(count)).toString("base64url");
}

/** Returns the hash under which a token is stored, or null if the text cannot be a token. */
export function hashToken(text: string): string | null {
  return TOKEN.test(text) ? hashKey(text) : null;
}

export function createSessions(
  { store, clock, random, newId }: {
    store: Pick<
      Store,
      | "startSession"
      | "findSession"
      | "noteSessionUse"
      | "listSessions"
      | "endSession"
      | "endSessions"
      | "redeemSignInLink"
    >;
    clock: Pick<Clock, "nowMs">;
    random: Pick<Random, "bytes">;
    newId: NewId;
  },
): Sessions {
  /** When and from where sessions were used, by hash; not stored yet. */
  let uses = new Map<string, { atMs: number; ipAddress: string }>();

  const make = (
    { method, keyHash = null, client }: { method: SignInMethod; keyHash?: string | null; client: Client },
  ): { token: string; stored: NewSession } => {
    const token = makeToken(random, SESSION_TOKEN_BYTES);
    const stored = {
      id: newId("session"),
      hash: hashKey(token),
      method,
      keyHash,
      createdAtMs: clock.nowMs(),
      client: { ...client, userAgent: client.userAgent.slice(0, MAX_USER_AGENT) },
    };
    return { token, stored };
  };

  return {
    async find(token, client) {
      const hash = hashToken(token);
      const facts = hash === null ? null : await store.findSession(hash);
      const nowMs = clock.nowMs();
      if (hash === null || facts === null || !isSessionValid(facts, nowMs)) return null;
      const { session, customer } = facts;
      const isElsewhere = session.client.ipAddress !== client.ipAddress;
      if (isElsewhere || Math.abs(nowMs - session.lastSeenAtMs) >= SESSION_USE_MS) {
        uses.set(hash, { atMs: nowMs, ipAddress: client.ipAddress });
      }
      return { session, customer };
    },

    async start(viewer, by) {
      const { token, stored } = make(by);
      return await store.startSession({ ...stored, viewer }) ? { token, viewer } : null;
    },

    async redeem(linkToken, client) {
      const hash = hashToken(linkToken);
      if (hash === null) return null;
      const { token, stored } = make({ method: "link", client });
      const viewer = await store.redeemSignInLink(hash, stored);
      return viewer === null ? null : { token, viewer };
    },

    async end(token) {
      const hash = hashToken(token);
      if (hash === null) return;
      uses.delete(hash);
      await store.endSession(hash);
    },

    list: (owner) => store.listSessions(owner, clock.nowMs()),

    endSome: (owner, which, by) =>
      store.endSessions(owner, which, by === null ? null : { ...by, atMs: clock.nowMs() }),

    async flush() {
      const noted = uses;
      uses = new Map();
      for (const [hash, use] of noted) {
        try {
          await store.noteSessionUse(hash, use);
        } catch (error) {
          for (const [left, leftUse] of noted) if (!uses.has(left)) uses.set(left, leftUse);
          throw error;
        }
      }
    },
  };
}
