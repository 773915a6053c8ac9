// What `doctor` prints, and that it changes nothing.
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { describeFindings } from "../../../src/cli/doctor.ts";
import { type Finding, good, problem, warning } from "../../../src/domain/operator/finding.ts";
import { regfeed, serve, withConfig, withFolder, writeConfig } from "../../support/process.ts";

Deno.test("describeFindings() shows problems first, each with what to do and its symptoms, within the terminal", () => {
  const findings: Finding[] = [
    good("config", "regfeed.toml is valid"),
    warning("store", "500 MB free at /srv/regfeed/data", "free some space before the disk is full"),
    {
      ...problem("dns", `no host name ${"can be resolved ".repeat(5)}`, "repair the DNS"),
      symptoms: ["mail: m"],
    },
    good("store", "well"),
    problem("store", "the file is damaged", "restore a backup"),
  ];
  const plain = { program: "regfeed", args: [], isTerminal: false, hasColours: false, columns: () => 80 };
  assert.equal(
    describeFindings(findings, { ...plain, isTerminal: true }),
    `
dns     PROBLEM  no host name can be resolved can be resolved can be resolved
                 can be resolved can be resolved
               → repair the DNS
               ↳ mail: m
store   PROBLEM  the file is damaged
               → restore a backup
        WARNING  500 MB free at /srv/regfeed/data
               → free some space before the disk is full
        ok       well
config  ok       regfeed.toml is valid
2 problems, 1 warning
`.slice(1),
  );
  const piped = describeFindings(findings, plain).split("\n");
  assert.match(piped[0] ?? "", /^dns +PROBLEM {2}no host name (?:can be resolved ?){5}$/, "not wrapped");
  const coloured = describeFindings(findings, { ...plain, isTerminal: true, hasColours: true });
  const uncoloured = ["31", "32", "33", "0"].reduce(
    (text, code) => text.replaceAll(`\x1b[${code}m`, ""),
    coloured,
  );
  assert.equal(uncoloured, describeFindings(findings, { ...plain, isTerminal: true }));
  assert.ok(coloured.includes("\x1b[31mPROBLEM\x1b[0m"));
});

Deno.test("doctor finds the problems of a real folder, fails, and changes nothing", async () => {
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
    const bad = await regfeed(folder, "doctor --offline");
    assert.equal(bad.code, 1, bad.stderr);
    assert.match(bad.stdout, /PROBLEM {2}.*token has mode 644: others can read it\n\s+→ chmod 6[04]0/);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), ["regfeed.toml", "token"]);

    await Deno.chmod(join(folder, "token"), 0o600);
    const { code, stdout } = await regfeed(folder, "doctor --json");
    assert.equal(code, 0);
    const { ok, findings } = JSON.parse(stdout);
    assert.equal(ok, true);
    const hosts = findings.filter(({ area }: { area: string }) => area === "hosts");
    assert.match(hosts[0].seen, /127\.0\.0\.1:1 does not respond: connection refused/);
  });
});

Deno.test("doctor groups what a missing network causes, repeats the warnings of check, and names the server", () =>
  withFolder(async (folder) => {
    const sources = ["one", "two", "three"].map((id) => `
      [[sources]]
      id = "${id}"
      name_en = "${id}"
      url = "http://${id}.invalid/feed"
    `).join("");
    const config = (port: number) => `[server]\nlisten = "127.0.0.1:${port}"\n${sources}`;
    await writeConfig(folder, config(0));
    await regfeed(folder, "ingest");
    const { stdout } = await regfeed(folder, "doctor --json");
    const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Required<Finding>[] };
    assert.equal(ok, false);
    const [dns, ...others] = findings.filter(({ level }) => level === "problem");
    assert.deepEqual(others, []);
    assert.equal(dns?.seen, "no source's host name can be resolved; sources affected: 3");
    assert.deepEqual(dns?.symptoms, [
      "sources: 3 whose last fetch failed: one, three, two",
      "clock: no host to compare the clock with",
    ]);
    assert.deepEqual(Object.keys(dns ?? {}).sort(), ["area", "level", "seen", "symptoms", "todo"]);
    const { stderr } = await regfeed(folder, "check");
    assert.match(stderr, /warning: ingest\.contact is missing: set an email address/);
    assert.ok(findings.some(({ area, seen }) => area === "config" && seen === "ingest.contact is missing"));

    const seenOfServer = async () => {
      const { stdout } = await regfeed(folder, "doctor --offline");
      return /^server +(.*)$/m.exec(stdout)?.[1];
    };
    assert.match(await seenOfServer() ?? "", /^ok {7}no server is running; `\S.* serve` starts one$/);
    const server = await serve(folder);
    await writeConfig(folder, config(Number(new URL(server.address).port)));
    assert.match(
      await seenOfServer() ?? "",
      new RegExp(
        `^ok +the server is running at ${server.address} \\(process ${server.pid}, since .*Z\\); its health is`,
      ),
    );
    await writeConfig(folder, config(1));
    assert.match(
      await seenOfServer() ?? "",
      new RegExp(
        `^WARNING +the database is in use \\(process ${server.pid}, .*\\), but http://127.0.0.1:1 does not respond`,
      ),
    );
    await server.end("SIGTERM");
  }));

/** Returns the mode, the time of change and a hash of the content of each file in a folder. */
async function everythingIn(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    const { mode, mtime } = await Deno.stat(path);
    if (isDirectory) Object.assign(found, await everythingIn(path));
    // SQLite's shared memory file is not data.
    const isShared = name.endsWith("-shm");
    const hash = isDirectory || isShared
      ? ""
      : await crypto.subtle.digest("SHA-256", await Deno.readFile(path)).then((sum) =>
        new Uint8Array(sum).toHex()
      );
    // Creating a lock file changes the folder's time.
    const changed = isDirectory ? "" : mtime?.toISOString();
    found[path] = isShared ? "" : `${mode?.toString(8)} ${changed} ${hash}`;
  }
  return found;
}

Deno.test("doctor changes no file, after a clean end and after a kill", async () => {
  await withConfig('[server]\nlisten = "127.0.0.1:0"\n', async (folder) => {
    const examine = async (when: string) => {
      const before = await everythingIn(folder);
      assert.ok(join(folder, "data", "regfeed.db") in before, when);
      const { code, stdout, stderr } = await regfeed(folder, "doctor");
      assert.equal(code, 0, `${when}: ${stdout}${stderr}`);
      assert.match(stdout, /regfeed\.db\.key is the database's key/, when);
      assert.deepEqual(await everythingIn(folder), before, when);
      return before;
    };
    const first = await serve(folder);
    await first.end("SIGTERM");
    await examine("after a clean end");
    const second = await serve(folder);
    const added = await regfeed(folder, "customer add --tier indie --email a@b.example");
    assert.equal(added.code, 0, added.stderr);
    await second.end("SIGKILL");
    const left = await examine("after a kill");
    assert.ok(join(folder, "data", "regfeed.db-wal") in left, "a killed server leaves its log");
    const { size } = await Deno.stat(join(folder, "data", "regfeed.db-wal"));
    assert.ok(size > 0, "the log contains its writes");
  });
});

/** Changes to a valid folder, and the findings that they cause. */
const BROKEN: readonly [
  what: string,
  breaks: (at: (name: string) => string) => Promise<void>,
  says: RegExp,
][] = [
  [
    "a file where the backups' folder should be",
    (at) => Deno.writeTextFile(at("saved"), ""),
    /PROBLEM {2}.*saved is a file, not a folder\n\s+→ move the file away/,
  ],
  [
    "a file where the outbox should be",
    (at) => Deno.writeTextFile(at("data/outbox"), ""),
    /PROBLEM {2}.*outbox is a file, not a folder/,
  ],
  [
    "a folder where the database should be",
    async (at) => {
      await Deno.remove(at("data/regfeed.db"));
      await Deno.mkdir(at("data/regfeed.db"));
    },
    /PROBLEM {2}.*regfeed\.db is a folder, not a file\n\s+→ move the folder away/,
  ],
  [
    "a file where the data's folder should be",
    async (at) => {
      await Deno.remove(at("data"), { recursive: true });
      await Deno.writeTextFile(at("data"), "");
    },
    /PROBLEM {2}.*data is a file, not a folder/,
  ],
  [
    "a database of which nothing is left",
    (at) => Deno.truncate(at("data/regfeed.db")),
    /WARNING {2}.*regfeed\.db is empty: .*\n\s+→ .*backup restore FILE --force/,
  ],
];

Deno.test("doctor says how to repair each broken file and folder, and changes nothing", () =>
  withFolder(async (folder) => {
    const good = join(folder, "good");
    await Deno.mkdir(good);
    await writeConfig(good, '[server]\nlisten = "127.0.0.1:0"\n[backup]\nfolder = "saved"\n');
    await (await serve(good)).end("SIGTERM");
    for (const [what, breaks, says] of BROKEN) {
      const broken = join(folder, "broken");
      await cp(good, broken, { recursive: true, preserveTimestamps: true });
      await breaks((name) => join(broken, name));
      const before = await everythingIn(broken);
      const { stdout, stderr } = await regfeed(broken, "doctor --offline");
      assert.match(stdout, says, `${what}: ${stdout}${stderr}`);
      assert.doesNotMatch(stdout, /(?:PROBLEM|WARNING) .*\n(?!\s+→)/, what);
      assert.deepEqual(await everythingIn(broken), before, what);
      await Deno.remove(broken, { recursive: true });
    }
  }));
