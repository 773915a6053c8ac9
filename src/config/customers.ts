// Customers that the config declares: what must hold between their keys, and their values as the program uses them.
import { type DeclaredCustomer, declaredCustomerId } from "../domain/declared.ts";
import { LIMIT_FIELDS, limitsFromFields } from "../domain/tier.ts";
import type { KeyLines, KeyPath } from "./key_lines.ts";
import type { PlacedMessage } from "./problems.ts";
import type { CheckedFile } from "./schema.ts";

/**
 * What is wrong with a document's customers beyond single values: something given twice, limits outside of the tier
 * that has them. Looks at the raw document, so that it finds its problems beside those of the schema.
 */
export function findCustomerProblems(document: Record<string, unknown>, lines: KeyLines): PlacedMessage[] {
  const problems: PlacedMessage[] = [];
  const firsts = new Map<string, KeyPath>();
  const refuseSecond = (kind: string, value: unknown, path: KeyPath, advice: string): void => {
    if (typeof value !== "string") return;
    const place = `${kind} ${value.toLowerCase()}`;
    const first = firsts.get(place);
    if (first === undefined) firsts.set(place, path);
    else {
      const line = lines.lineOrAround(first);
      problems.push({
        path,
        message: `is the same as that of customers[${first[1]}] on line ${line}: ${advice}`,
      });
    }
  };
  for (const [index, customer] of customerTables(document)) {
    const at = ["customers", index];
    refuseSecond("id", customer.id, [...at, "id"], "give one of them another id");
    refuseSecond("email", customer.email, [...at, "email"], "each customer has an address of its own");
    for (const [hash, path] of hashesOf(customer, at)) {
      refuseSecond("key", hash, path, "a key opens the API for one customer, and is listed once");
    }
    if (typeof customer.tier !== "string" || customer.tier === "embedded") continue;
    for (const limit of Object.values(LIMIT_FIELDS).filter((name) => customer[name] !== undefined)) {
      const message =
        `belongs to customers of the tier embedded: the limits of ${customer.tier} stand in [tiers.` +
        `${customer.tier}]`;
      problems.push({ path: [...at, limit], message });
    }
  }
  return problems;
}

/** The declared customers of a raw document that are tables, with their positions. */
function customerTables(document: Record<string, unknown>): [number, Record<string, unknown>][] {
  if (!Array.isArray(document.customers)) return [];
  return [...document.customers.entries()].filter(([, customer]) =>
    typeof customer === "object" && customer !== null && !Array.isArray(customer) &&
    !(customer instanceof Date)
  );
}

function hashesOf(customer: Record<string, unknown>, at: KeyPath): [unknown, KeyPath][] {
  const given = customer.key_sha256;
  if (!Array.isArray(given)) return [[given, [...at, "key_sha256"]]];
  return given.map((hash, index) => [hash, [...at, "key_sha256", index]]);
}

/** The declared customers as the program uses them. */
export function buildCustomers({ customers }: CheckedFile): DeclaredCustomer[] {
  return customers.map((customer) => ({
    name: customer.id,
    id: declaredCustomerId(customer.id),
    email: customer.email,
    tier: customer.tier,
    limits: limitsFromFields(customer),
    language: customer.language,
    keyHashes: customer.key_sha256,
  }));
}
