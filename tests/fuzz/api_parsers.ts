// Parsers of requests to the API, header by header, and of the operator's config.
import { createHmac } from "node:crypto";
import { clientAddress, readRanges } from "../../src/http/client_address.ts";
import { ConfigError } from "../../src/config/config.ts";
import { configOf } from "../config/given.ts";
import { boardConfig, PAYMENT_CONFIG, STRIPE_SECRET } from "../support/samples.ts";
import { createWorld, START_MS, type World } from "../support/world.ts";
import { type FuzzedParser, splitTokens } from "./fuzzed_parser.ts";

const CONFIG = `${PAYMENT_CONFIG}
[tiers.team]
api_requests_per_day = 1_000_000_000
${boardConfig()}`;
const EVENT = `{"id":"evt_1","object":"event","type":"checkout.session.completed","livemode":false,` +
  `"created":${START_MS / 1_000},"data":{"object":{"customer":"cus_1","subscription":"sub_1",` +
  `"customer_details":{"email":"ana@example.org"},"locale":"de"}}}`;
const SUBSCRIPTION = `{"webhook_url":"https://hooks.example.org/regfeed?a=b","topics":["transparency"],` +
  `"source_filter":["board"],"severity_min":"low","language":"de"}`;

const SIGNS = splitTokens(" |\t|,|;|=|\"|'|\\|/|?|#|&|%|+|-|_|.|:|*|a|A|0");
const JSON_SIGNS = splitTokens(
  '{|}|[|]|,|:|"|\\|\\"|\\u00e4|\\ud800| |\n|1|-|e|null,|"a":|"a#":1,|{"a":|"a",|a|/|%|@|xn--|\u00e4',
);

let world: Promise<{ world: World; key: string }> | undefined;

function readyWorld(): Promise<{ world: World; key: string }> {
  return world ??= createWorld(CONFIG).then(async (made) => ({
    world: made,
    key: (await made.addCustomer()).key,
  }));
}

/** Sends a request. Does not copy its headers to a `Headers` object, because that would take quadratic time. */
async function send(path: string, init: RequestInit, headers: Record<string, string>): Promise<void> {
  const { world, key } = await readyWorld();
  const sent: Record<string, string> = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.trim()])),
  };
  if (Object.values(sent).some((value) => NOT_IN_HEADERS.test(value))) return;
  const url = `http://regfeed.example${path}`;
  if (!URL.canParse(url)) return;
  const request = new Request(url, init);
  request.headers.get = (name) => sent[name.toLowerCase()] ?? null;
  request.headers.has = (name) => Object.hasOwn(sent, name.toLowerCase());
  await (await world.app.fetch(request)).text();
}

/** Characters that a server does not accept in a header. */
const NOT_IN_HEADERS = /[^\t\x20-\x7e\x80-\xff]/;

function header(
  name: string,
  { sample, tokens = [], path = "/v1/topics", init = {} }: {
    sample: string;
    tokens?: readonly string[];
    path?: string;
    init?: RequestInit;
  },
): FuzzedParser {
  const read = (text: string) => send(path, init, { [name]: text });
  return { name: `request header ${name}`, sample, tokens: [...SIGNS, ...tokens], read };
}

const POST: RequestInit = { method: "POST", body: SUBSCRIPTION };
const TRUSTED = readRanges(["127.0.0.0/8", "::1/128"]);

export const API_PARSERS: readonly FuzzedParser[] = [
  header("authorization", { sample: `Bearer rgf_${"0".repeat(64)}`, tokens: ["Bearer ", "rgf_"] }),
  header("if-none-match", { sample: 'W/"abc", "def"', tokens: ['W/"a", ', '"a",', "W/"] }),
  header("accept-encoding", {
    sample: "br;q=1.0, gzip;q=0.8, *;q=0.1",
    tokens: ["gzip", ";q=", "gzip;q=0,", "a#,"],
  }),
  header("accept", { sample: "application/json, */*;q=0.1" }),
  header("host", { sample: "api.example.org:443", tokens: ["[", "]", "::", "a."] }),
  header("content-type", {
    sample: 'application/json; charset="utf-8"',
    tokens: ["; charset=", "charset", "utf-8"],
    path: "/v1/subscriptions",
    init: POST,
  }),
  header("idempotency-key", { sample: "a-b_c", path: "/v1/subscriptions", init: POST }),
  header("if-match", {
    sample: '"abc"',
    path: "/v1/subscriptions/sub_1",
    init: { method: "PATCH", body: "{}" },
  }),
  header("stripe-signature", {
    sample: `t=${START_MS / 1_000},v1=${"0".repeat(64)}`,
    tokens: ["t=1,", "v1=", "v1=0,", "v1"],
    path: "/v1/webhooks/payment",
    init: { method: "POST", body: EVENT },
  }),
  {
    name: "request header x-forwarded-for",
    sample: "203.0.113.1, [2001:db8::1]:443, 127.0.0.1:80",
    tokens: [...SIGNS, "127.0.0.1, ", "::", "[", "]", "1.", "0x", "%a"],
    read: (text) => clientAddress("127.0.0.1", text, TRUSTED),
  },
  {
    name: "query of the event list",
    sample: "limit=5&topics=transparency,gpai&article=Art.%2050(2)&q=ai%20act&since=0&language=de",
    tokens: [...SIGNS, ...splitTokens("%20|%C3%A4|%ff|a=b&|a#=b&|topics=|article=|Art.%2050,|q=|a,|(1)")],
    read: (text) => send(`/v1/events?${text}`, {}, {}),
  },
  {
    name: "search",
    sample: "ai act guidelines",
    tokens: [...SIGNS, "%22", "%20", "a%20", "near(", "*", "^", "%C3%A4"],
    read: (text) => send(`/v1/events?q=${text}`, {}, {}),
  },
  {
    name: "path of a request",
    sample: "/v1/events/evt_00000000000000000000000000/versions",
    tokens: [...SIGNS, "//", "../", "%2F", "v1/"],
    read: (text) => send(text.startsWith("/") ? text : `/${text}`, {}, {}),
  },
  {
    name: "body of a new subscription",
    sample: SUBSCRIPTION,
    tokens: JSON_SIGNS,
    read: (text) => send("/v1/subscriptions", { method: "POST", body: text }, {}),
  },
  {
    name: "payment event",
    sample: EVENT,
    tokens: JSON_SIGNS,
    read: async (text) => {
      const t = START_MS / 1_000;
      const v1 = createHmac("sha256", STRIPE_SECRET).update(`${t}.${text}`).digest("hex");
      const signature = { "stripe-signature": `t=${t},v1=${v1}` };
      await send("/v1/webhooks/payment", { method: "POST", body: text }, signature);
    },
  },
  {
    name: "config",
    sample: CONFIG,
    maxSize: 65_536, // each unknown key is compared with all known ones
    tokens: [
      ...JSON_SIGNS,
      ...splitTokens(
        '#|=|.|\'|\'\'\'|"""|[[|]]|a = 1\n|a# = 1\n|a.|[a]\n|[a#]\n|[[sources]]\n|[[sources]]\nid = "a#"\n|' +
          '{ a = 1 }|1979-05-27T07:32:00Z|0x1|\r\n|# a\n|url = "https://a.example"\n',
      ),
    ],
    read: async (text) => {
      try {
        await configOf(text);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
      }
    },
  },
];
