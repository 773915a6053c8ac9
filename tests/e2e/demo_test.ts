// The demo as a first-time user runs it.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { regfeed, withFolder } from "../support/process.ts";

Deno.test("demo --once delivers everything and leaves no files", () =>
  withFolder(async (folder) => {
    const { code, stdout, stderr } = await regfeed(folder, "demo --once");
    assert.equal(code, 0, stdout + stderr);
    const [, arrived, promised] =
      /(\d+) of (\d+) promised deliveries arrived and were verified; 0 refused/.exec(stdout) ?? [];
    assert.ok(Number(promised) > 0);
    assert.equal(arrived, promised);
    assert.match(stdout, /^ ✓ {2}\d+ of /m, "the result is not a numbered step");
    assert.match(stdout, /✓ checkout\.session\.completed/);
    assert.match(stdout, /^ +To: ana@example\.org$/m);
    assert.match(stdout, /^ +key +rgf_[0-9a-f]{64}$/m);
    assert.match(stdout, /first call: GET \/v1\/usage, tier team/);
    assert.match(stdout, /event\.revised/);
    assert.match(stdout, /diff_to_previous/);
    for (const format of ["RSS", "Atom", "JSON Feed"]) assert.match(stdout, new RegExp(format));
    for (const language of ["en", "de", "fr"]) assert.match(stdout, new RegExp(`\\+ .* ${language} `));
    const store = /store +(\S+)/.exec(stdout)?.[1] ?? "";
    await assert.rejects(Deno.stat(store), "the demo's folder is removed");
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  }));

Deno.test("demo keeps running with commands to paste; a signal ends it and removes its folder", () =>
  withFolder(async (folder) => {
    const main = fileURLToPath(new URL("../../main.ts", import.meta.url));
    await using child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", "--allow-all", main, "demo"],
      cwd: folder,
      stdout: "piped",
      stderr: "null",
    }).spawn();
    let told = "";
    let isSignalled = false;
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      told += text;
      if (isSignalled || !/event_type=\S+\n/.test(told)) continue;
      isSignalled = true;
      const [, key] = /^export KEY=(rgf_[0-9a-f]{64})$/m.exec(told) ?? [];
      const [, base] = /^export BASE=(http:\/\/\S+)$/m.exec(told) ?? [];
      const guide = await (await fetch(`${base}/docs/quick-start.md`)).text();
      assert.ok(guide.includes(`REGFEED_URL=${base}\n`), "the pages know their own address");
      const asked = [...told.matchAll(/"\$BASE(\S+)"/g)].map((match) => match[1]);
      assert.equal(asked.length, 2);
      for (const path of asked) {
        const response = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${key}` } });
        assert.equal(response.status, 200, path);
        assert.ok((await response.json()).events.length > 0, path);
      }
      for (const [whom, area] of [["customer", "/console"], ["operator", "/operator"]]) {
        const link = new RegExp(`^as the ${whom}  (${base}/sign-in/link/[\\w-]{22})$`, "m").exec(told)?.[1] ??
          "";
        const headers = { "sec-fetch-site": "same-origin" };
        const reply = await fetch(link, {
          method: "POST",
          headers,
          body: new URLSearchParams(),
          redirect: "manual",
        });
        await reply.body?.cancel();
        assert.deepEqual([reply.status, reply.headers.get("location")], [303, area], `${whom} ${link}`);
        const cookie = reply.headers.getSetCookie().find((one) => one.startsWith("regfeed=")) ?? "";
        const pages = area === "/operator" ? [area, "/operator/health", "/operator/backups"] : [area];
        for (const page of pages) {
          const opened = await fetch(`${base}${page}`, { headers: { cookie: cookie.split(";")[0] ?? "" } });
          await opened.body?.cancel();
          assert.equal(opened.status, 200, page);
        }
      }
      for (const line of told.split("\n").filter((line) => /^(export|curl|as the) /.test(line))) {
        assert.ok(line.length <= 80, line);
      }
      child.kill("SIGINT");
    }
    assert.equal((await child.status).code, 0);
    assert.match(told, /The demo has ended, and its folder has been removed\.\n$/);
    await assert.rejects(Deno.stat(/store +(\S+)/.exec(told)?.[1] ?? ""));
  }));
