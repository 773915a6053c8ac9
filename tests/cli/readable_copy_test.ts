// The copy of a database that cannot be read where it lies: its room, what a kill leaves of it, and what others write.
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  CopyRoomError,
  type CopyTools,
  followOriginal,
  makeCopy,
  removeStaleCopies,
} from "../../src/cli/readable_copy.ts";
import { claimFile } from "../../src/platform/claim.ts";
import { createFiles } from "../../src/platform/files.ts";
import { createClock } from "../../src/platform/clock.ts";
import { Connection } from "../../src/store/sqlite/connection.ts";
import { migrate } from "../../src/store/sqlite/migrate.ts";
import { testVault } from "../support/vault.ts";
import { withFolder } from "../support/process.ts";
import { needs, POSIX, ROOT } from "../support/needs.ts";

/** A volume with room and memory, as far as a test does not take them away. */
interface Given {
  kind?: string;
  freeBytes?: number;
  memoryBytes?: number | null;
}

/** A database with a number, a folder for temporary files, and the tools; what is `given` may change. */
async function withDatabase(
  work: (
    at: { path: string; temporary: string; tools: CopyTools; given: Given; write(number: number): void },
  ) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const path = join(folder, "regfeed.db");
    const temporary = join(folder, "temporary");
    await Deno.mkdir(temporary);
    const given: Given = {};
    const tools: CopyTools = {
      host: { ...createFiles(), temporaryFolder: () => temporary },
      machine: {
        volumeOf: () => ({
          kind: given.kind ?? "ext",
          isNetwork: false,
          freeBytes: given.freeBytes ?? 1e9,
          freeFiles: null,
        }),
        availableMemoryBytes: () => given.memoryBytes ?? null,
      },
      clock: createClock(),
    };
    const write = (number: number) => {
      const connection = new Connection(path);
      if (number === 0) {
        migrate(connection, testVault);
        connection.script("create table numbers (number integer primary key) strict");
      }
      connection.run("insert into numbers (number) values (?)", number);
      connection.close();
    };
    write(0);
    await work({ path, temporary, tools, given, write });
  });
}

const leftIn = (folder: string): string[] => [...Deno.readDirSync(folder)].map(({ name }) => name);

Deno.test("a copy that has no room says what it needs and what there is, and leaves nothing", () =>
  withDatabase(async ({ path, temporary, tools, given }) => {
    const cases: [Given, RegExp][] = [
      [
        { freeBytes: 100_000 },
        /needs about [\d.]+ MB in \S+temporary, which has 100 kB free: make room there, or set TMPDIR/,
      ],
      [
        { kind: "tmpfs", memoryBytes: 2_000_000 },
        /in \S+temporary, which lies in memory, and no more than half of the 2\.0 MB .* TMPDIR to a folder on a disk/,
      ],
    ];
    for (const [room, said] of cases) {
      Object.assign(given, { kind: "ext", freeBytes: 1e9, memoryBytes: null }, room);
      await assert.rejects(makeCopy(path, tools), (error) => {
        assert.ok(error instanceof CopyRoomError);
        assert.match(error.message, said);
        return true;
      });
      assert.deepEqual(leftIn(temporary), []);
    }
    // On a disk the memory says nothing; and what the system does not tell keeps nobody from trying.
    for (const room of [{ memoryBytes: 10 }, { kind: "tmpfs", memoryBytes: null }]) {
      Object.assign(given, { kind: "ext", freeBytes: 1e9, memoryBytes: null }, room);
      const made = await makeCopy(path, tools);
      assert.equal((await Deno.stat(made?.path ?? "")).mode! & 0o777, 0o600);
      await made?.remove();
      assert.deepEqual(leftIn(temporary), []);
    }
  }));

Deno.test({
  ...needs("what a killed process left of its copy is removed; what lives, is linked or is new stays", POSIX),
  fn: () =>
    withDatabase(async ({ temporary, tools }) => {
      const outside = join(temporary, "precious");
      await Deno.mkdir(outside);
      await Deno.writeTextFile(join(outside, "maker"), "");
      await Deno.symlink(outside, join(temporary, "regfeed-read-link"));
      for (
        const name of ["regfeed-read-dead", "regfeed-read-older", "regfeed-read-new", "regfeed-read-lives"]
      ) {
        await Deno.mkdir(join(temporary, name));
        await Deno.writeTextFile(join(temporary, name, "regfeed.db"), "a copy");
      }
      await Deno.symlink(outside, join(temporary, "regfeed-read-dead", "link"));
      await Deno.writeTextFile(join(temporary, "regfeed-read-dead", "maker"), "");
      const living = claimFile(join(temporary, "regfeed-read-lives", "maker"), "");
      await living.taken;
      const anHourAgo = new Date(Date.now() - 3_600_000);
      await Deno.utime(join(temporary, "regfeed-read-older"), anHourAgo, anHourAgo);
      await Deno.utime(join(temporary, "regfeed-read-lives"), anHourAgo, anHourAgo);
      const removed = await removeStaleCopies(tools.host, Date.now());
      assert.deepEqual(removed.sort(), [
        join(temporary, "regfeed-read-dead"),
        join(temporary, "regfeed-read-older"),
      ]);
      assert.deepEqual(leftIn(temporary).sort(), [
        "precious",
        "regfeed-read-link",
        "regfeed-read-lives",
        "regfeed-read-new",
      ]);
      assert.deepEqual(leftIn(outside), ["maker"]);
      living.release();
    }),
});

Deno.test({
  ...needs("another user's folder among the temporary ones is left alone", ROOT),
  fn: () =>
    withDatabase(async ({ temporary, tools }) => {
      const path = join(temporary, "regfeed-read-theirs");
      await Deno.mkdir(path);
      await Deno.writeTextFile(join(path, "maker"), "");
      await Deno.chown(path, 65_534, 65_534);
      assert.deepEqual(await removeStaleCopies(tools.host, Date.now()), []);
    }),
});

/** A copy that is read, with what others write followed until `work` ends. */
async function following(
  { path, tools }: { path: string; tools: CopyTools },
  work: (read: () => number, said: string[]) => Promise<void>,
): Promise<void> {
  const made = await makeCopy(path, tools);
  assert.ok(made !== null);
  const reader = new Connection(path, null, { copy: { path: made.path, mayWrite: () => false } });
  await made.remove();
  const said: string[] = [];
  const say = { info: (text: string) => void said.push(text), error: (text: string) => void said.push(text) };
  const ending = new AbortController();
  const done = followOriginal({ path, stamp: made.stamp, reader, tools, say }, ending.signal);
  const read = () => Number(reader.get("select max(number) as last from numbers")?.["last"]);
  try {
    await work(read, said);
  } finally {
    ending.abort();
    await done;
    reader.close();
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  for (const endMs = Date.now() + 20_000; !isTrue();) {
    assert.ok(Date.now() < endMs, "it does not come");
    await new Promise((again) => setTimeout(again, 20));
  }
}

Deno.test("what others write is copied anew, each time, and nothing is left", () =>
  withDatabase(({ path, temporary, tools, write }) =>
    following({ path, tools }, async (read, said) => {
      assert.equal(read(), 0);
      for (const number of [1, 2]) {
        write(number);
        await until(() => read() === number);
      }
      await until(() => said.length === 2);
      assert.deepEqual(
        said,
        Array(2).fill("the database was changed by another process: a new copy of it is read"),
      );
      assert.deepEqual(leftIn(temporary), []);
    })
  ));

Deno.test("a copy that is out of date and has no room to be renewed is read no longer, until it has", () =>
  withDatabase(({ path, tools, given, write }) =>
    following({ path, tools }, async (read, said) => {
      given.freeBytes = 10;
      write(1);
      await until(() => said.length > 0);
      assert.throws(read, /unable to open database file/);
      assert.match(
        said.join("\n"),
        /^what another process changed cannot be read, and what it was before no longer is: the copy needs about .* has 10 bytes free/,
      );
      given.freeBytes = 1e9;
      await until(() => said.length > 1);
      assert.equal(read(), 1);
    })
  ));

Deno.test("what is changed and cannot be copied is told with how long the copy before it is read", () =>
  withDatabase(({ path, tools, write }) => {
    let mayCopy = true;
    const copy = (from: string, to: string) =>
      mayCopy ? tools.host.copy(from, to) : Promise.reject(new Error("permission denied"));
    const later = { ...tools, host: { ...tools.host, copy } };
    return following({ path, tools: later }, async (read, said) => {
      mayCopy = false;
      write(1);
      await until(() => said.length === 1);
      assert.match(
        said[0] ?? "",
        /^what another process changed cannot be read, and what it was before is for no more than 10 s: permission/,
      );
      assert.equal(read(), 0);
    });
  }));

Deno.test("an older schema is not read as a copy", () =>
  withDatabase(async ({ path, temporary, tools }) => {
    const older = new Connection(path);
    older.script("pragma user_version = 7");
    older.close();
    await assert.rejects(makeCopy(path, tools), /has schema 7, and this version reads schema \d+/);
    assert.deepEqual(leftIn(temporary), []);
  }));
