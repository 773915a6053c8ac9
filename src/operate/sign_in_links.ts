// Makes one-time links that sign in operators and customers.
import { makeLink } from "../accounts/sign_in.ts";
import type { Config } from "../config/config.ts";
import type { Act } from "../domain/customer/audit.ts";
import { SIGN_IN_LINK_MS, type Viewer } from "../domain/customer/session.ts";
import { Refusal } from "../domain/operator/refusal.ts";
import type { Random } from "../domain/ports/ports.ts";
import type { Store } from "../domain/ports/store/store.ts";

interface IssuedLink {
  /** Contains the token, which is stored nowhere. */
  url: string;
  expiresAtMs: number;
}

/** Makes a link that works once. Throws a {@link Refusal} if the customer is unknown or disabled. */
export async function issueLink(
  { config, store, random }: {
    config: { server: Pick<Config["server"], "publicUrl"> };
    store: Pick<Store, "addSignInLink" | "findCustomer">;
    random: Pick<Random, "bytes">;
  },
  viewer: Viewer,
  by: Act,
): Promise<IssuedLink> {
  const { url, stored } = makeLink(viewer, { random, nowMs: by.atMs, publicUrl: config.server.publicUrl });
  if (!await store.addSignInLink(stored, by)) {
    const customer = viewer.kind === "customer" ? viewer.customerId : "";
    const isKnown = await store.findCustomer(customer) !== null;
    throw new Refusal(isKnown ? "customer_without_access" : "customer_unknown", { customer });
  }
  return { url, expiresAtMs: by.atMs + SIGN_IN_LINK_MS };
}
