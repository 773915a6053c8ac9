// Tests an executable as a user would run it, on loopback: deno run -A tools/smoke.ts dist/regfeed
import assert from "node:assert/strict";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Events, OAuth2Server } from "npm:oauth2-mock-server@9.3.0";
import { Webhook } from "standardwebhooks";
import manifest from "../deno.json" with { type: "json" };

/** Time limit for each action of the executable, ms. */
const LIMIT_MS = 20_000;
const LOOK_AGAIN_MS = 50;

/** The item in the feed from the start, and the one added after the receiver has subscribed. */
const FIRST = { id: "first", title: "Guidelines on general-purpose AI models under the AI Act" };
const SECOND = { id: "second", title: "Commission opens a consultation on high-risk AI systems" };

const executable = resolve(Deno.args[0] ?? "dist/regfeed");
const folder = await Deno.makeTempDir({ prefix: "regfeed-smoke-" });
const config = join(folder, "regfeed.toml");
const items = [FIRST];
const posts: { headers: Record<string, string>; body: string }[] = [];
const feeds = loopback(() =>
  new Response(feedOf(items), { headers: { "content-type": "application/rss+xml" } })
);
const hooks = loopback(async (request) => {
  posts.push({ headers: Object.fromEntries(request.headers), body: await request.text() });
  return new Response(null, { status: 204 });
});
const issuer = new OAuth2Server();
await issuer.issuer.keys.generate("RS256");
await issuer.start(0, "localhost");
issuer.service.on(Events.BeforeTokenSigning, ({ payload }) => Object.assign(payload, { groups: ["ops"] }));
let server: { child: Deno.ChildProcess; address: string; log: () => string } | undefined;
let key = "";
const metricsPort = freePort();

/** The steps in order; each depends on the previous ones. */
const STEPS: [string, () => Promise<void>][] = [
  ["version prints the version", async () => {
    const { code, stdout } = await run(["version", "--json"]);
    assert.equal(code, 0);
    assert.equal(JSON.parse(stdout).version, manifest.version);
    const licences = await run(["version", "--licences"]);
    assert.match(licences.stdout, /^MIT License\n[^]*\ndeno \d[^]*\nundici \d[^]*\nzod \d/);
  }],
  ["the executable cannot start a process or load a library", async () => {
    // `version` tries to start a process and to load a library. From the source, with all permissions, both attempts
    // succeed, which shows that the check works.
    const { stdout } = await run(["version", "--json"]);
    const { commit, runtime, target, permissions } = JSON.parse(stdout);
    assert.match(commit, /^[0-9a-f]{40}/);
    assert.match(runtime, /^Deno \d+\.\d+\.\d+$/);
    assert.equal(target, Deno.build.target);
    assert.deepEqual(permissions, { run: "denied", ffi: "denied" });
    const main = fileURLToPath(new URL("../main.ts", import.meta.url));
    const free = new Deno.Command(Deno.execPath(), { args: ["run", "-A", main, "version", "--json"] });
    const said = new TextDecoder().decode((await free.output()).stdout);
    assert.deepEqual(JSON.parse(said).permissions, { run: "granted", ffi: "granted" });
  }],
  ["init writes the example, and check accepts it", async () => {
    const made = join(folder, "made");
    assert.equal((await run(["init", made])).code, 0);
    const { code, stderr } = await run(["check", "--config", join(made, "regfeed.toml")]);
    assert.equal(code, 0, stderr);
  }],
  ["check accepts a valid config", async () => {
    await Deno.writeTextFile(config, configText());
    const { code, stderr } = await run(["check", "--config", config]);
    assert.equal(code, 0, stderr);
  }],
  ["check rejects an invalid config with exit code 2 and names the key", async () => {
    const bad = join(folder, "bad.toml");
    await Deno.writeTextFile(bad, configText().replace("allow_http", "alow_http"));
    const { code, stderr } = await run(["check", "--config", bad]);
    assert.equal(code, 2);
    assert.match(stderr, /alow_http/);
    assert.match(stderr, /allow_http/);
  }],
  ["customer add prints a key", async () => {
    const { code, stdout, stderr } = await run(
      ["customer", "add", "--tier", "team", "--email", "ana@example.org", "--json", "--config", config],
    );
    assert.equal(code, 0, stderr);
    const added = JSON.parse(stdout) as { customer: { tier: string }; key: string };
    assert.equal(added.customer.tier, "team");
    assert.match(added.key, /^rgf_[0-9a-f]{64}$/);
    key = added.key;
  }],
  ["commands work with OTEL_DENO set, whether the base exports traces or not", async () => {
    const { code, stdout, stderr } = await run(["customer", "list", "--json"], {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
    });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /"id":"cus_/);
  }],
  ["serve starts and is healthy", async () => {
    server = await startServer();
    const { status } = await ask<{ status: string }>("GET", "/v1/health");
    assert.ok(["ok", "degraded"].includes(status), status);
  }],
  ["the first publication is collected and can be read with the key", async () => {
    const titles = await until(async () => {
      const { events } = await ask<{ events: { title_en: string }[] }>("GET", "/v1/events");
      return events.length > 0 ? events.map((event) => event.title_en) : undefined;
    });
    assert.deepEqual(titles, [FIRST.title]);
  }],
  ["reading without a key is refused", async () => {
    const response = await fetch(`${server?.address}/v1/events`, { signal: AbortSignal.timeout(LIMIT_MS) });
    assert.equal(response.status, 401);
    await response.body?.cancel();
  }],
  ["the next publication is delivered, and standardwebhooks verifies it", async () => {
    const { subscription } = await ask<{ subscription: { webhook_secret: string } }>(
      "POST",
      "/v1/subscriptions",
      {
        webhook_url: `http://127.0.0.1:${hooks.addr.port}/hook`,
      },
    );
    items.push(SECOND);
    const { headers, body } = await until(() => Promise.resolve(posts[0]));
    const payload = new Webhook(subscription.webhook_secret).verify(body, headers) as { title: string };
    assert.equal(payload.title, SECOND.title);
    assert.throws(() => new Webhook(subscription.webhook_secret).verify(`${body} `, headers));
  }],
  ["the server is live and ready, and serves its metrics", async () => {
    for (const path of ["/livez", "/readyz"]) {
      const response = await fetch(`${server?.address}${path}`, { signal: AbortSignal.timeout(LIMIT_MS) });
      assert.equal(response.status, 200, await response.text());
    }
    const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`, {
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    assert.match(await metrics.text(), /^regfeed_delivery_attempts_total\{outcome="delivered"\} [1-9]/m);
  }],
  ["an operator signs in with a link, and with OpenID Connect", async () => {
    const { code, stdout, stderr } = await run(["console", "link", "--config", config]);
    assert.equal(code, 0, stderr);
    await assertSignedIn(await visit("POST", new URL(stdout.trim()).pathname));
    const begun = await visit("GET", "/sign-in/oidc");
    const [attempt = ""] = begun.headers.getSetCookie();
    const atIssuer = await fetch(begun.headers.get("location") ?? "", { redirect: "manual" });
    await atIssuer.body?.cancel();
    const { pathname, search } = new URL(atIssuer.headers.get("location") ?? "");
    await assertSignedIn(await visit("GET", pathname + search, attempt));
  }],
  ["backup create, verify and restore work while the server runs", async () => {
    const archive = join(folder, "smoke.tar.gz");
    for (const args of [["create", archive, "--config", config], ["verify", archive]]) {
      const { code, stdout, stderr } = await run(["backup", ...args]);
      assert.equal(code, 0, stdout + stderr);
    }
    const elsewhere = join(folder, "restored.toml");
    await Deno.writeTextFile(elsewhere, configText().replace("smoke.db", "restored.db"));
    const { code, stdout, stderr } = await run(["backup", "restore", archive, "--config", elsewhere]);
    assert.equal(code, 0, stdout + stderr);
    assert.ok((await Deno.stat(join(folder, "restored.db"))).size > 0);
  }],
  ["doctor finds no problem", async () => {
    const { code, stdout, stderr } = await run(["doctor", "--json", "--config", config]);
    assert.equal(code, 0, stdout + stderr);
    assert.equal(JSON.parse(stdout).ok, true);
  }],
  ["SIGTERM ends the server cleanly", async () => {
    assert.ok(server !== undefined);
    server.child.kill("SIGTERM");
    const { code, signal } = await bounded("the server's end", server.child.status);
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, server.log());
    server = undefined;
  }],
  ["a second SIGTERM ends a server at once, even while it waits for a client", async () => {
    server = await startServer();
    using client = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(server.address).port) });
    const head = `POST /v1/subscriptions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
      "content-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    await client.write(new TextEncoder().encode(head));
    await new Promise((later) => setTimeout(later, 200)); // until the request has been read
    server.child.kill("SIGTERM");
    await until(() => Promise.resolve(/stopping/.exec(server?.log() ?? "") ?? undefined));
    server.child.kill("SIGTERM");
    const { signal } = await bounded("the server's end", server.child.status);
    assert.equal(signal, "SIGTERM", server.log());
    assert.doesNotMatch(server.log(), /stopped/);
    server = undefined;
  }],
];

let passed = 0;
for (const [name, step] of STEPS) {
  const startMs = performance.now();
  try {
    await step();
  } catch (error) {
    console.log(`FAILED ${name}\n${(error as Error).stack}\n${server?.log() ?? ""}`);
    break;
  }
  passed++;
  console.log(`ok     ${name} (${Math.round(performance.now() - startMs)} ms)`);
}
server?.child.kill("SIGKILL");
await Promise.all([feeds.shutdown(), hooks.shutdown(), issuer.stop()]);
await Deno.remove(folder, { recursive: true });
console.log(`smoke: ${passed} passed, ${STEPS.length - passed} failed`);
Deno.exit(passed === STEPS.length ? 0 : 1);

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

function loopback(
  handler: (request: Request) => Response | Promise<Response>,
): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
}

function feedOf(publications: readonly { id: string; title: string }[]): string {
  const entries = publications.map(({ id, title }) =>
    `<item><guid isPermaLink="false">${id}</guid><title>${title}</title>` +
    `<link>https://feeds.example.org/${id}</link><description>${title}.</description></item>`
  );
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>Smoke</title>` +
    `<link>https://feeds.example.org/</link><description>Smoke</description>${
      entries.join("")
    }</channel></rss>`;
}

function configText(): string {
  return `[server]
listen = "127.0.0.1:0"

[metrics]
listen = "127.0.0.1:${metricsPort}"

[store]
path = "smoke.db"

[delivery]
allow_http = true
allow_networks = ["127.0.0.0/8"]

[console.oidc]
issuer = "${issuer.issuer.url}"
client_id = "regfeed"
operator_groups = ["ops"]

[[sources]]
id = "smoke"
name_en = "Smoke"
url = "http://127.0.0.1:${feeds.addr.port}/feed"
fetch_strategy = "feed"
schedule = "* * * * * *"
relevance = "all"
`;
}

async function run(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = new Deno.Command(executable, {
    args: [...args],
    cwd: folder,
    env,
    stdin: "null",
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  const { code, stdout, stderr } = await child.output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

async function startServer(): Promise<NonNullable<typeof server>> {
  const child = new Deno.Command(executable, {
    args: ["serve", "--config", config],
    cwd: folder,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let log = "";
  (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) log += text;
  })();
  const address = await until(() => Promise.resolve(/listening.*?(http:\/\/[\d.]+:\d+)/.exec(log)?.[1]))
    .catch((error) => {
      child.kill("SIGKILL");
      throw new Error(`${(error as Error).message}; the log: ${log}`);
    });
  return { child, address, log: () => log };
}

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${server?.address}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path} returned ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}

/** Calls `look` until it finds something. Throws after the time limit. */
async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const endMs = performance.now() + LIMIT_MS;
  while (performance.now() < endMs) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((again) => setTimeout(again, LOOK_AGAIN_MS));
  }
  throw new Error(`no result within ${LIMIT_MS / 1000} s of ${look}`);
}

async function visit(method: string, path: string, cookie = ""): Promise<Response> {
  const response = await fetch(`${server?.address}${path}`, {
    method,
    redirect: "manual",
    headers: { accept: "text/html", "sec-fetch-site": "same-origin", cookie: cookie.split(";")[0] ?? "" },
    ...(method === "POST" ? { body: new URLSearchParams() } : {}),
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  await response.body?.cancel();
  return response;
}

async function assertSignedIn({ status, headers }: Response): Promise<void> {
  const cookie = headers.getSetCookie().find((one) => one.startsWith("regfeed=")) ?? "";
  assert.notEqual(cookie, "", `no session, but status ${status}`);
  assert.equal((await visit("GET", "/operator/sessions", cookie)).status, 200);
}

async function bounded<T>(what: string, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what} took more than ${LIMIT_MS / 1000} s`)), LIMIT_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
