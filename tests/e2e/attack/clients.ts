// The good and hostile customers of the attack test.
import assert from "node:assert/strict";
import { regfeedJson } from "../../support/process.ts";
import { RAW_ENDPOINTS } from "./endpoints.ts";

export interface EndpointPorts {
  http: number;
  raw: number;
}

export class Customer {
  readonly statuses = new Map<number, number>();

  private constructor(readonly address: string, readonly key: string) {}

  /** Adds a customer in the tier `embedded`, whose limits are high. */
  static async add(folder: string, address: string, name: string): Promise<Customer> {
    const add = ["customer", "add", "--email", `${name}@attack.example`, "--tier", "embedded"];
    const { key } = await regfeedJson<{ key: string }>(folder, add);
    return new Customer(address, key);
  }

  // deno-lint-ignore no-explicit-any
  async ask(method: string, path: string, body?: unknown): Promise<any> {
    const response = await fetch(this.address + path, {
      method,
      headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1);
    return await response.json();
  }

  /** Subscribes an endpoint; returns the id, or "" if it is refused. */
  async subscribe(url: string, more: Record<string, unknown> = {}): Promise<string> {
    const { subscription } = await this.ask("POST", "/v1/subscriptions", { webhook_url: url, ...more });
    return subscription?.id ?? "";
  }
}

const url = (port: number, path: string) => `http://127.0.0.1:${port}/${path}`;

/** Adds customers with working endpoints. Returns the names of the endpoints. */
export async function subscribeGood(
  folder: string,
  address: string,
  { http }: EndpointPorts,
): Promise<string[]> {
  const names: string[] = [];
  for (const number of [1, 2, 3]) {
    const customer = await Customer.add(folder, address, `good${number}`);
    for (const place of ["a", "b"]) {
      const name = `good-${number}${place}`;
      assert.notEqual(await customer.subscribe(url(http, name)), "", name);
      names.push(name);
    }
  }
  return names;
}

type Attack = () => Promise<unknown>;

/** Adds the hostile customers. Returns them with their actions. */
export async function hostileCustomers(
  folder: string,
  address: string,
  { http, raw }: EndpointPorts,
): Promise<{ customers: Customer[]; attacks: Attack[] }> {
  const add = (name: string) => Customer.add(folder, address, name);
  // 25 endpoints that respond after 14 s, each with a backfill.
  const slow = await add("slow");
  for (let at = 0; at < 25; at++) await slow.subscribe(url(http, `slow-${at}`), { backfill_since: 0 });
  const heads = await add("heads");
  const headIds: string[] = [];
  for (const path of Object.keys(RAW_ENDPOINTS)) {
    headIds.push(await heads.subscribe(url(raw, path), { backfill_since: 0 }));
  }
  headIds.push(await heads.subscribe(url(http, "drip"), { backfill_since: 0 }));
  const backfiller = await add("backfiller");
  const replayer = await add("replayer");
  const replayed = await replayer.subscribe(url(http, "refusing"), { backfill_since: 0 });
  const tester = await add("tester");
  const tested = await tester.subscribe(url(http, "slow-tested"));
  const reader = await add("reader");
  let turn = 0;
  return {
    customers: [slow, heads, backfiller, replayer, tester, reader],
    attacks: [
      async () => {
        const id = await backfiller.subscribe(url(http, `slow-backfill-${turn++}`), { backfill_since: 0 });
        if (id !== "") await backfiller.ask("DELETE", `/v1/subscriptions/${id}`);
      },
      () => replayer.ask("POST", `/v1/subscriptions/${replayed}/replay`, { since: 0 }),
      () => heads.ask("POST", `/v1/subscriptions/${headIds[turn++ % headIds.length]}/test`),
      () =>
        Promise.all(Array.from({ length: 10 }, () => tester.ask("POST", `/v1/subscriptions/${tested}/test`))),
      () => reader.ask("GET", `/v1/events?limit=200&q=act&since=${turn++}`),
      () => reader.ask("GET", `/v1/events?limit=200&q=${"guidelines+".repeat(50)}act`),
    ],
  };
}
