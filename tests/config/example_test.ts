// config.example.toml is valid, contains every key, and shows the defaults.
import assert from "node:assert/strict";
import { parse } from "smol-toml";
import { allKnownKeys } from "../../src/config/toml/known_keys.ts";
import { configOf } from "./given.ts";

const EXAMPLE = await Deno.readTextFile(new URL("../../config.example.toml", import.meta.url));

/**
 * Returns the example with its commented-out keys enabled. Of the keys for secrets, only those that `secret` matches
 * are enabled.
 */
function switchedOn(secret: RegExp): string {
  return EXAMPLE.split("\n").map((line) => {
    if (!/^#(\[|[a-z0-9_]+ = )/.test(line)) return line;
    return /^#(authorization|webhook_secret_|client_secret_|smtp_url|token)/.test(line) && !secret.test(line)
      ? line
      : line.slice(1);
  }).join("\n");
}

const NO_SECRET = /^$/;

function keysOf(value: unknown, path: readonly string[] = []): string[] {
  if (Array.isArray(value) && value.some((item) => typeof item === "object")) {
    return value.flatMap((item) => keysOf(item, path));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [path.join(".")];
  // The value of a key may be a table, such as urls.
  return [path.join("."), ...Object.entries(value).flatMap(([key, part]) => keysOf(part, [...path, key]))];
}

Deno.test("config.example.toml is a valid config", async () => {
  const config = await configOf(EXAMPLE);
  assert.equal(config.store.path, "/etc/regfeed/data/regfeed.db");
  assert.ok(config.sources.filter((source) => source.enabled).length >= 10);
  assert.deepEqual(config.secretFiles, []);
});

Deno.test("config.example.toml contains every known key", () => {
  const shown = new Set(keysOf(parse(switchedOn(/./))));
  const isShown = (key: string): boolean => {
    if (shown.has(key) || [...shown].some((other) => other.startsWith(`${key}.`))) return true;
    const [, strategy, name] = key.split(".");
    // Mutually exclusive keys are in comments, and keys that html and json share are shown only for json.
    return (strategy === "json" || strategy === "html") && new RegExp(`^# ?${name} = `, "m").test(EXAMPLE);
  };
  assert.deepEqual(allKnownKeys().filter((key) => !isShown(key)), []);
  assert.ok(allKnownKeys().length > 40);
});

Deno.test("config.example.toml shows the defaults of every table except the sources", async () => {
  const { sources: _, ...shown } = await configOf(EXAMPLE);
  const { sources: __, ...defaults } = await configOf("");
  assert.deepEqual(shown, defaults);
});

Deno.test("config.example.toml shows the defaults of a source", async () => {
  const { sources: shown } = await configOf(switchedOn(NO_SECRET));
  const least = '[[sources]]\nid = "my-source"\nname_en = "My source"\nurl = "https://www.example.org/feed"';
  assert.ok(shown[0]);
  // The defaults of these keys depend on the strategy, the source's history or the service.
  const { silentAfterMs: _, caFile: __, ...first } = shown[0];
  assert.deepEqual(first, (await configOf(least)).sources[0]);
  assert.equal(shown[1]?.fetchStrategy, "files");
  assert.deepEqual(shown[2]?.languages, ["en", "de"]);
  const strategies = shown.slice(3, 7).map(({ fetchStrategy }) => fetchStrategy);
  assert.deepEqual(strategies, ["json", "html", "sparql", "sitemap"]);
  assert.deepEqual(shown.slice(7), (await configOf(EXAMPLE)).sources);
});

Deno.test("config.example.toml shows valid forms of a secret", async () => {
  const given = {
    files: { "/run/secrets/my-source": "Bearer TOKEN\n" },
    env: { MY_SOURCE_AUTHORIZATION: "Bearer TOKEN" },
  };
  for (const form of [/^#authorization =/, /^#authorization_file/, /^#authorization_env/]) {
    assert.equal((await configOf(switchedOn(form), given)).sources[0]?.authorization, "Bearer TOKEN");
  }
});

Deno.test("config.example.toml spreads its schedules, and states names in two languages and terms for each source", async () => {
  const { sources } = await configOf(EXAMPLE);
  assert.ok(sources.length >= 40, `${sources.length} sources`);
  // These keys are stated even where they have their default values.
  const stated = ["name_en", "name_de", "schedule", "timezone", "languages", "reuse"];
  for (const source of parse(EXAMPLE).sources as Record<string, unknown>[]) {
    for (const key of stated) assert.ok(Object.hasOwn(source, key), `${source.id} does not state ${key}`);
    assert.ok(Object.hasOwn(source, "url") || Object.hasOwn(source, "urls"), `${source.id} has no URL`);
  }
  const perMinute = new Map<string, string[]>();
  for (const source of sources) {
    assert.ok(source.nameEn !== "" && source.nameDe !== "" && source.reuse, source.id);
    assert.notEqual(source.timezone, "UTC", source.id);
    for (const minute of source.schedule.split(" ")[0]?.split(",") ?? []) {
      perMinute.set(minute, [...perMinute.get(minute) ?? [], new URL(source.location).host]);
    }
    const about = EXAMPLE.slice(0, EXAMPLE.indexOf(`id = "${source.id}"`)).split("\n\n").at(-1) ?? "";
    assert.equal(/^# Disabled: /.test(about), !source.enabled, source.id);
  }
  for (const [minute, hosts] of perMinute) {
    assert.ok(hosts.length <= 3, `minute ${minute} has ${hosts.length} sources`);
    assert.equal(new Set(hosts).size, hosts.length, `minute ${minute} fetches one host twice`);
  }
});
