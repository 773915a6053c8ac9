// Checks the customers declared in the config, and builds their settings.
import { type DeclaredCustomer, declaredCustomerId } from "../domain/customer/declared_customers.ts";
import { LIMIT_FIELDS, limitsFromFields } from "../domain/customer/tier.ts";
import type { KeyPath } from "./toml/key_lines.ts";
import type { KeyProblem } from "./toml/problems.ts";
import { tablesOf } from "./toml/raw_document.ts";
import type { CheckedFile } from "./schema.ts";

/**
 * Finds duplicates, and limits that the customer's tier does not allow. Reads the raw document, so that schema problems
 * are reported at the same time.
 */
export function findCustomerProblems(document: Record<string, unknown>): KeyProblem[] {
  const problems: KeyProblem[] = [];
  const firsts = new Map<string, KeyPath>();
  const rejectDuplicate = (kind: string, value: unknown, path: KeyPath, message: string): void => {
    if (typeof value !== "string") return;
    const key = `${kind} ${value.toLowerCase()}`;
    const duplicateOf = firsts.get(key);
    if (duplicateOf === undefined) firsts.set(key, path);
    else problems.push({ path, duplicateOf, message });
  };
  for (const [index, customer] of tablesOf(document, "customers")) {
    const at = ["customers", index];
    rejectDuplicate("id", customer.id, [...at, "id"], "choose another id");
    rejectDuplicate("email", customer.email, [...at, "email"], "each customer needs its own email address");
    for (const [hash, path] of hashesOf(customer, at)) {
      rejectDuplicate("key", hash, path, "list each key only once");
    }
    if (typeof customer.tier !== "string" || customer.tier === "embedded") continue;
    for (const limit of Object.values(LIMIT_FIELDS).filter((name) => customer[name] !== undefined)) {
      const message = `is allowed only for the embedded tier; set the limits of ${customer.tier} in [tiers.` +
        `${customer.tier}]`;
      problems.push({ path: [...at, limit], message });
    }
  }
  return problems;
}

function hashesOf(customer: Record<string, unknown>, at: KeyPath): [unknown, KeyPath][] {
  const given = customer.key_sha256;
  if (!Array.isArray(given)) return [[given, [...at, "key_sha256"]]];
  return given.map((hash, index) => [hash, [...at, "key_sha256", index]]);
}

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
