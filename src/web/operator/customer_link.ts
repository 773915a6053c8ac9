// Links to customers, by their email addresses.
import type { Store } from "../../domain/ports/store/store.ts";
import { type Html, markup } from "../html.ts";

/** Returns the email addresses of the rows' customers, by customer. */
export async function emailsOf(
  rows: readonly { customerId: string | null }[],
  store: Pick<Store, "findCustomer">,
): Promise<Map<string, string>> {
  const emails = new Map<string, string>();
  for (const id of new Set(rows.map(({ customerId }) => customerId))) {
    if (id !== null) emails.set(id, (await store.findCustomer(id))?.email ?? "");
  }
  return emails;
}

/** A link to a customer, by its email address if it has one, otherwise by its id. */
export function customerLink(id: string, emails: ReadonlyMap<string, string>): Html {
  return markup`<a href="/operator/customers/${id}" title="${id}">${emails.get(id) || id}</a>`;
}
