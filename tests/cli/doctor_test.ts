// The doctor: every finding says what was seen and what to do; nothing is changed.
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  formatBytes,
  judgeConfigFile,
  judgeFolder,
  judgeGivenSecret,
  judgeOpenFiles,
  judgeSecretFile,
  judgeVolume,
} from "../../src/cli/doctor/disk.ts";
import type { Level } from "../../src/cli/doctor/finding.ts";
import {
  askHosts,
  type HostAnswer,
  judgeClock,
  judgeHosts,
  judgeNames,
  judgeProxies,
} from "../../src/cli/doctor/network.ts";
import { describeFindings } from "../../src/cli/doctor.ts";
import { prepareDatabase, WORK_HERE } from "../../src/cli/prepare.ts";
import { NetworkError } from "../../src/domain/ports.ts";
import { kindOf, mayByMode, type Volume } from "../../src/platform/machine.ts";
import { createFiles } from "../../src/platform/files.ts";
import type { Host } from "../../src/platform/process.ts";
import { regfeed, serve, withFolder, writeConfig } from "../support/process.ts";
import { createWorld } from "../support/world.ts";

const GB = 1e9;
const DISK: Volume = { kind: "ext", isNetwork: false, freeBytes: 50 * GB, freeFiles: 1e6 };

Deno.test("judgeVolume() knows volumes that a database must not lie on, and those that will be full", () => {
  const cases: [string, Partial<Volume>, number, Level, RegExp][] = [
    ["a disk", {}, 0, "good", /50\.0 GB free/],
    ["nfs", { kind: "nfs", isNetwork: true }, 0, "problem", /on nfs, a network file system/],
    ["memory", { kind: "tmpfs" }, 0, "warning", /lies in memory/],
    ["full", { freeBytes: 5e6 }, 0, "problem", /only 5\.0 MB free/],
    ["nearly full", { freeBytes: 5e8 }, 0, "warning", /500 MB free/],
    ["too small for a backup", { freeBytes: 5 * GB }, 6 * GB, "warning", /6\.0 GB may be needed at once/],
    ["no files left", { freeFiles: 10 }, 0, "warning", /10 files can still be made/],
    ["files not counted", { freeFiles: null }, 0, "good", /free/],
  ];
  for (const [name, change, wanted, level, seen] of cases) {
    const [finding] = judgeVolume("store", "/data", { ...DISK, ...change }, wanted);
    assert.equal(finding?.level, level, name);
    assert.match(finding?.seen ?? "", seen, name);
    assert.equal(finding?.todo === null, level === "good", name);
  }
  assert.deepEqual(judgeVolume("store", "/data", null, 0), []);
});

Deno.test("kindOf() knows network file systems by their numbers, whatever their sign", () => {
  const networks = {
    0x6969: "nfs",
    0xff534d42: "cifs",
    [-11317950]: "cifs",
    0xfe534d42: "smb2",
    0x01021997: "9p",
  };
  for (const [type, kind] of Object.entries(networks)) {
    assert.deepEqual(kindOf(Number(type)), { kind, isNetwork: true });
  }
  assert.deepEqual(kindOf(0xef53), { kind: "ext", isNetwork: false });
  assert.deepEqual(kindOf(12345), { kind: null, isNetwork: false });
});

Deno.test("judgeSecretFile() wants secrets to be their owner's alone", () => {
  const rights = { mode: 0o600, isRoots: false, mayRead: true, mayWrite: true };
  assert.equal(judgeSecretFile("/k", rights).level, "good");
  assert.match(judgeSecretFile("/k", { ...rights, mode: 0o640 }).seen, /mode 640: others can read it/);
  assert.equal(judgeSecretFile("/k", { ...rights, mode: 0o604 }).todo, "chmod 600 /k");
  assert.match(
    judgeSecretFile("/k", { ...rights, mayRead: false }).seen,
    /cannot be read by this user/,
  );
  assert.match(judgeSecretFile("/k", null).seen, /is not there/);
});

Deno.test("judgeGivenSecret() lets root's files be read by a service's group, as a package lays them out", () => {
  const rights = { mode: 0o640, isRoots: true, mayRead: true, mayWrite: false };
  assert.equal(judgeGivenSecret("/k", rights).level, "good");
  assert.match(judgeGivenSecret("/k", rights).seen, /is root's, and its group's to read/);
  assert.match(judgeGivenSecret("/k", { ...rights, mode: 0o600 }).seen, /is its owner's alone/);
  assert.equal(judgeGivenSecret("/k", { ...rights, isRoots: false }).todo, "chmod 600 /k");
  assert.match(
    judgeGivenSecret("/k", { ...rights, mode: 0o644 }).todo ?? "",
    /^chmod 640 \/k, and chgrp/,
  );
  assert.match(judgeGivenSecret("/k", { ...rights, mode: 0o660 }).seen, /mode 660/);
  assert.match(judgeGivenSecret("/k", null).seen, /is not there/);
});

Deno.test("judgeConfigFile() wants a config with secrets in it closed, and one without them only unchanged", () => {
  const rights = { mode: 0o644, isRoots: false, mayRead: true, mayWrite: true };
  const inPlace = ["payment.webhook_secret", "mail.smtp_url"];
  assert.deepEqual(judgeConfigFile("/c", rights, []), []);
  const [open] = judgeConfigFile("/c", rights, inPlace);
  assert.equal(open?.level, "problem");
  assert.equal(
    open?.seen,
    "/c has mode 644, so that others can read payment.webhook_secret, mail.smtp_url",
  );
  assert.match(open?.todo ?? "", /^chmod 600 \/c .*webhook_secret_file = /);
  assert.deepEqual(judgeConfigFile("/c", { ...rights, mode: 0o600 }, inPlace), []);
  assert.equal(judgeConfigFile("/c", { ...rights, mode: 0o640 }, inPlace).length, 1);
  const roots = { ...rights, isRoots: true };
  assert.deepEqual(judgeConfigFile("/c", { ...roots, mode: 0o640 }, inPlace), []);
  assert.match(judgeConfigFile("/c", roots, inPlace)[0]?.todo ?? "", /^chmod 640/);
  assert.equal(judgeConfigFile("/c", { ...rights, mode: 0o620 }, [])[0]?.todo, "chmod go-w /c");
});

Deno.test("mayByMode() reads the bits that are the user's, and none for root", () => {
  const cases: [number, number, number, 2 | 4, boolean][] = [
    [0o600, 7, 9, 2, true],
    [0o400, 7, 9, 2, false],
    [0o640, 8, 7, 4, true],
    [0o640, 8, 7, 2, false],
    [0o604, 8, 9, 4, true],
    [0o077, 7, 7, 4, false], // the owner's bits come first
    [0o000, 0, 0, 2, true],
  ];
  for (const [mode, uid, gid, what, may] of cases) {
    assert.equal(
      mayByMode({ mode, uid: 7, gid: 7 }, what, { uid, gid }),
      may,
      `${mode.toString(8)} ${uid} ${gid}`,
    );
  }
});

Deno.test({
  name: "the doctor run by root looks at the data as the service's user does",
  ignore: Deno.uid() !== 0,
  fn: () =>
    withFolder(async (folder) => {
      await writeConfig(folder, '[server]\nlisten = "127.0.0.1:0"\n');
      const server = await serve(folder);
      await server.end("SIGTERM");
      const data = join(folder, "data");
      for (const { name } of [...Deno.readDirSync(data), { name: "." }]) {
        await Deno.chown(join(data, name), 65_534, 65_534);
      }
      const seen = await regfeed(folder, ["doctor", "--offline"]);
      assert.match(
        seen.stdout,
        /you are root; rights are looked at as this user has them, whose the data is: 65534/,
      );
      assert.doesNotMatch(seen.stdout, /nothing can be written|cannot be (opened|read)/);
      assert.equal(seen.code, 0, seen.stdout);
      // What the service could not use is told to root as well.
      await Deno.chown(join(data, "regfeed.db.key"), 0, 0);
      const roots = await regfeed(folder, ["doctor", "--offline"]);
      assert.match(roots.stdout, /regfeed\.db\.key cannot be read by this user/);
      assert.equal(roots.code, 1);
    }),
});

Deno.test("judgeFolder() looks at the folder in which a missing one would be made", () => {
  const machine = (mayWrite: boolean) => ({
    rightsOf: (path: string) =>
      path === "/srv" ? { mode: 0o755, isRoots: false, mayRead: true, mayWrite } : null,
  });
  assert.equal(
    judgeFolder("store", "/srv/regfeed/data", machine(true)).seen,
    "/srv/regfeed/data will be made in /srv",
  );
  assert.equal(judgeFolder("store", "/srv", machine(true)).seen, "/srv can be written to");
  assert.match(judgeFolder("store", "/srv/data", machine(false)).todo ?? "", /chown USER \/srv/);
});

const answer = (change: Partial<HostAnswer>): HostAnswer => ({
  host: "a.example",
  sources: ["one"],
  failure: null,
  isNamed: true,
  aheadMs: 0,
  ...change,
});

Deno.test("judgeClock() believes the middle of the hosts, not each of them", () => {
  const ahead = (...ms: (number | null)[]) => judgeClock(ms.map((aheadMs) => answer({ aheadMs })));
  assert.equal(ahead(500, -800, 900_000).level, "good");
  assert.equal(ahead(20_000, 25_000, 0).level, "warning");
  assert.match(ahead(-300_000, -301_000, 0).seen, /300 s behind that of 3 hosts: receivers will refuse/);
  assert.match(ahead(300_000).seen, /300 s ahead of/);
  assert.match(ahead(null).seen, /no host was there/);
});

Deno.test("judgeNames() tells a machine that knows no names from a name that nobody knows", () => {
  const named = (...isNamed: (boolean | null)[]) => judgeNames(isNamed.map((is) => answer({ isNamed: is })));
  assert.deepEqual(named(null), [], "addresses are not looked up");
  assert.equal(named(true, false)[0]?.level, "good");
  assert.equal(named(false, false, null)[0]?.level, "problem");
  assert.match(named(false)[0]?.todo ?? "", /resolv\.conf/);
  assert.deepEqual(judgeHosts([answer({ isNamed: false, failure: "not found" })]), [], "said once");
});

Deno.test("judgeProxies() sees a proxy that is not named, keys in clear, and proxies of the environment", () => {
  const seen = (
    publicUrl: string,
    trustedProxies: string[],
    env: Record<string, string> = {},
    tls: unknown = null,
  ) =>
    judgeProxies({ publicUrl, trustedProxies, tls }, (name) => env[name]).map((finding) => finding.seen).join(
      "; ",
    );
  assert.match(seen("https://feed.example.org", []), /none is trusted/);
  assert.equal(seen("https://feed.example.org", [], {}, {}), "nothing stands in the way");
  assert.match(seen("https://feed.example.org", ["0.0.0.0/0"]), /any client can say that it is another/);
  assert.equal(seen("https://feed.example.org", ["10.0.0.1/32"]), "nothing stands in the way");
  assert.equal(seen("http://127.0.0.1:8080", []), "nothing stands in the way");
  assert.match(seen("http://feed.example.org", []), /API keys travel in clear/);
  assert.match(
    seen("http://localhost:1", [], { HTTPS_PROXY: "http://proxy" }),
    /names a proxy \(HTTPS_PROXY\)/,
  );
});

Deno.test("askHosts() asks each host once and says which sources one is for", async () => {
  const world = await createWorld(`
    [[sources]]
    id = "one"
    name_en = "One"
    url = "https://a.example/feed"
    [[sources]]
    id = "two"
    name_en = "Two"
    url = "https://a.example/other"
    [[sources]]
    id = "three"
    name_en = "Three"
    url = "https://b.example/feed"
  `);
  const asked: string[] = [];
  const nowMs = world.platform.clock.nowMs();
  const answers = await askHosts(world.config.sources, {
    clock: world.platform.clock,
    resolver: { resolve: () => Promise.resolve(["192.0.2.1"]) },
    userAgent: "Regfeed/test",
    http: {
      request: ({ url, headers }) => {
        asked.push(`${url.href} ${headers["user-agent"]}`);
        if (url.host === "b.example") return Promise.reject(new NetworkError("connection refused"));
        return Promise.resolve({
          status: 200,
          headers: { date: new Date(nowMs - 40_000).toUTCString() },
          body: new Uint8Array(),
          truncated: false,
        });
      },
    },
  });
  await world.close();
  assert.deepEqual(asked.sort(), ["https://a.example/ Regfeed/test", "https://b.example/ Regfeed/test"]);
  assert.deepEqual(answers, [
    { host: "a.example", sources: ["one", "two"], failure: null, isNamed: true, aheadMs: 40_000 },
    { host: "b.example", sources: ["three"], failure: "connection refused", isNamed: true, aheadMs: null },
  ]);
  assert.match(judgeHosts(answers)[1]?.todo ?? "", /in the way of three/);
});

Deno.test("judgeOpenFiles() warns where a few hundred connections would take every file", () => {
  const levels = [100, 511, 512, 65_536].map((limit) => judgeOpenFiles((count) => count <= limit).level);
  assert.deepEqual(levels, ["warning", "warning", "good", "good"]);
});

Deno.test("describeFindings() shows what to do below what was seen", () => {
  const text = describeFindings([
    { area: "store", level: "good", seen: "well", todo: null },
    { area: "clock", level: "problem", seen: "wrong", todo: "set it" },
  ]);
  assert.equal(
    text,
    "store\n  ok       well\nclock\n  PROBLEM  wrong\n             → set it\n1 problem, 0 warnings\n",
  );
});

Deno.test("doctor finds what is wrong in a real folder, fails, and changes nothing", async () => {
  await withFolder(async (folder) => {
    await writeConfig(
      folder,
      `
      [[sources]]
      id = "secret"
      name_en = "Secret"
      url = "https://127.0.0.1:1/feed"
      authorization_file = "token"
    `,
    );
    await Deno.writeTextFile(join(folder, "token"), "Bearer abc", { mode: 0o644 });
    const bad = await regfeed(folder, ["doctor", "--offline"]);
    assert.equal(bad.code, 1, bad.stderr);
    assert.match(bad.stdout, /PROBLEM {2}.*token has mode 644: others can read it\n\s+→ chmod 6[04]0/);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["regfeed.toml", "token"]);

    await Deno.chmod(join(folder, "token"), 0o600);
    const { code, stdout } = await regfeed(folder, ["doctor", "--json"]);
    assert.equal(code, 0);
    const { ok, findings } = JSON.parse(stdout);
    assert.equal(ok, true);
    const hosts = findings.filter(({ area }: { area: string }) => area === "sources");
    assert.match(hosts[0].seen, /127\.0\.0\.1:1 does not answer: connection refused/);
  });
});

/** Everything in a folder: what each file holds, its mode, and when it was changed. */
async function everythingIn(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    const { mode, mtime } = await Deno.stat(path);
    if (isDirectory) Object.assign(found, await everythingIn(path));
    // What processes share of an open database: no data, and not kept.
    const isShared = name.endsWith("-shm");
    const hash = isDirectory || isShared
      ? ""
      : await crypto.subtle.digest("SHA-256", await Deno.readFile(path)).then((sum) =>
        new Uint8Array(sum).toHex()
      );
    // Locks come and go beside the database, which the folder notes.
    const changed = isDirectory ? "" : mtime?.toISOString();
    found[path] = isShared ? "" : `${mode?.toString(8)} ${changed} ${hash}`;
  }
  return found;
}

Deno.test("doctor leaves every byte as it was, after a clean end and after a kill", async () => {
  await withFolder(async (folder) => {
    await Deno.mkdir(join(folder, "inbox"));
    await writeConfig(
      folder,
      `
      [server]
      listen = "127.0.0.1:0"
      [[sources]]
      id = "inbox"
      name_en = "Inbox"
      base_url = "https://board.example"
      fetch_strategy = "files"
      path = "inbox"
    `,
    );
    const examine = async (when: string) => {
      const before = await everythingIn(folder);
      assert.ok(join(folder, "data", "regfeed.db") in before, when);
      const { code, stdout, stderr } = await regfeed(folder, ["doctor"]);
      assert.equal(code, 0, `${when}: ${stdout}${stderr}`);
      assert.match(stdout, /regfeed\.db\.key is the database's key/, when);
      assert.deepEqual(await everythingIn(folder), before, when);
      return before;
    };
    const first = await serve(folder);
    await first.end("SIGTERM");
    await examine("after a clean end");
    const second = await serve(folder);
    const added = await regfeed(folder, ["customer", "add", "--tier", "indie", "--email", "a@b.example"]);
    assert.equal(added.code, 0, added.stderr);
    await second.end("SIGKILL");
    const left = await examine("after a kill");
    assert.ok(join(folder, "data", "regfeed.db-wal") in left, "a killed server leaves its log");
    const { size } = await Deno.stat(join(folder, "data", "regfeed.db-wal"));
    assert.ok(size > 0, "and what it wrote stands in it");
  });
});

Deno.test("no database is opened on a network file system", async () => {
  const world = await createWorld();
  await withFolder(async (folder) => {
    const config = { ...world.config, store: { ...world.config.store, path: join(folder, "regfeed.db") } };
    const machine = { volumeOf: () => ({ ...DISK, kind: "nfs", isNetwork: true }) };
    await assert.rejects(
      prepareDatabase(createFiles() as Host, {
        config,
        file: join(folder, "regfeed.toml"),
        nowMs: 0,
        work: WORK_HERE,
        machine,
        say: () => {},
      }),
      /network file system.*move it to a local disk/,
    );
    assert.deepEqual([...Deno.readDirSync(folder)], []);
  });
  await world.close();
});

Deno.test("formatBytes() counts as disks are sold", () => {
  const cases: [number, string][] = [
    [0, "0 bytes"],
    [999, "999 bytes"],
    [1_500, "1.5 kB"],
    [123e6, "123 MB"],
    [2e12, "2.0 TB"],
    [5e15, "5000 TB"],
  ];
  for (const [bytes, text] of cases) assert.equal(formatBytes(bytes), text);
});
