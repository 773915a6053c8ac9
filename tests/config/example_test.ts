// Tests of src/config/example.ts.
import assert from "node:assert/strict";
import { parse } from "smol-toml";
import { allKnownKeys } from "../../src/config/known_keys.ts";
import { configOf } from "./given.ts";

const EXAMPLE = await Deno.readTextFile(new URL("../../config.example.toml", import.meta.url));

/** The example with its switched-off lines on; of the forms of a secret only those that `secret` matches. */
function switchedOn(secret: RegExp): string {
  return EXAMPLE.split("\n").map((line) => {
    if (!/^#(\[|[a-z_]+ = )/.test(line)) return line;
    return /^#authorization/.test(line) && !secret.test(line) ? line : line.slice(1);
  }).join("\n");
}

const NO_SECRET = /^$/;

function keysOf(value: unknown, path: readonly string[] = []): string[] {
  if (Array.isArray(value) && value.some((item) => typeof item === "object")) {
    return value.flatMap((item) => keysOf(item, path));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [path.join(".")];
  return Object.entries(value).flatMap(([key, part]) => keysOf(part, [...path, key]));
}

Deno.test("config.example.toml is a config that works as it is", async () => {
  const config = await configOf(EXAMPLE);
  assert.equal(config.store.path, "/etc/regfeed/data/regfeed.db");
  assert.ok(config.sources.filter((source) => source.enabled).length >= 10);
  assert.deepEqual(config.secretFiles, []);
});

Deno.test("config.example.toml shows every key that the config knows", () => {
  const shown = new Set(keysOf(parse(switchedOn(/./))));
  assert.deepEqual(allKnownKeys().filter((key) => !shown.has(key)), []);
  assert.ok(allKnownKeys().length > 40);
});

Deno.test("config.example.toml shows the defaults of every table but the sources", async () => {
  const { sources: _, ...shown } = await configOf(EXAMPLE);
  const { sources: __, ...defaults } = await configOf("");
  assert.deepEqual(shown, defaults);
});

Deno.test("config.example.toml shows the defaults of a source", async () => {
  const { sources: shown } = await configOf(switchedOn(NO_SECRET));
  const least = '[[sources]]\nid = "my-source"\nname_en = "My source"\nurl = "https://www.example.org/feed"';
  assert.deepEqual(shown[0], (await configOf(least)).sources[0]);
  assert.equal(shown[1]?.fetchStrategy, "files");
  assert.deepEqual(shown.slice(2), (await configOf(EXAMPLE)).sources);
});

Deno.test("config.example.toml shows forms of a secret that work", async () => {
  const given = {
    files: { "/run/secrets/my-source": "Bearer TOKEN\n" },
    env: { MY_SOURCE_AUTHORIZATION: "Bearer TOKEN" },
  };
  for (const form of [/^#authorization =/, /^#authorization_file/, /^#authorization_env/]) {
    assert.equal((await configOf(switchedOn(form), given)).sources[0]?.authorization, "Bearer TOKEN");
  }
});

Deno.test("config.example.toml spreads its sources, names them in two languages and explains those switched off", async () => {
  const { sources } = await configOf(EXAMPLE);
  const minutes = sources.flatMap((source) => source.schedule.split(" ")[0]?.split(",") ?? []);
  assert.equal(new Set(minutes).size, minutes.length);
  for (const source of sources) {
    assert.equal(source.fetchStrategy, "feed");
    assert.notEqual(source.nameDe, "");
    const about = EXAMPLE.slice(0, EXAMPLE.indexOf(`id = "${source.id}"`)).split("\n\n").at(-1) ?? "";
    assert.match(about, /Reuse: /, source.id);
    if (!source.enabled) assert.match(about, /^# Switched off: /, source.id);
  }
});
