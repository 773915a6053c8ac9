// Scheduled backups are made on time and again after a failure, and only the configured number is kept.
import assert from "node:assert/strict";
import { backupName, scheduledName } from "../../src/backup/create.ts";
import { findNewestBackup, findSuperfluous, nextBackupAt, runBackups } from "../../src/backup/schedule.ts";
import type { Clock } from "../../src/domain/ports/ports.ts";
import { fakePlatform } from "../support/platform.ts";

const DAILY = { schedule: "15 3 * * *", timezone: "UTC" };
const at = (text: string): number => Date.parse(`${text}Z`);

/** Returns a clock whose sleeps end at once, as if their time had passed. */
function sleepless(clock: ReturnType<typeof fakePlatform>["clock"]): Clock {
  return {
    ...clock,
    nowMs: () => clock.nowMs(),
    sleep: (ms) => {
      clock.advance(ms);
      return Promise.resolve();
    },
  };
}

Deno.test("nextBackupAt() follows the schedule, catches up, and waits after a failure", () => {
  const nowMs = at("2026-08-20T00:00");
  const [first, started] = ["2026-08-01T03:15", "2026-08-01T10:00"];
  const cases: [name: string, newest: string | null, started: string, failed: string | null, due: string][] =
    [
      ["first", null, started, null, "2026-08-02T03:15"],
      ["next", first, started, null, "2026-08-02T03:15"],
      ["missed", "2026-07-20T03:15", started, null, "2026-07-21T03:15"],
      ["failed", first, started, "2026-08-02T03:15", "2026-08-02T03:25"],
      ["failed long ago", first, started, "2026-08-01T03:00", "2026-08-02T03:15"],
      ["started in the future", null, "2099-01-01T00:00", null, "2026-08-20T03:15"],
      ["failed in the future", first, started, "2099-01-01T00:00", "2026-08-02T03:15"],
    ];
  const ms = (text: string | null) => text === null ? null : at(text);
  for (const [name, newest, started, failed, due] of cases) {
    const state = { newestMs: ms(newest), startedMs: at(started), failedMs: ms(failed), nowMs };
    assert.equal(nextBackupAt(DAILY, state), at(due), name);
  }
  const never = { schedule: "0 0 30 2 *", timezone: "UTC" };
  assert.equal(nextBackupAt(never, { newestMs: null, startedMs: 0, failedMs: null, nowMs }), null);
});

Deno.test("findSuperfluous() returns the oldest scheduled backups, but never manual ones", () => {
  const days = ["01", "02", "03", "04"].map((day) => scheduledName(at(`2026-08-${day}T03:15`)));
  const names = [
    "mine.tar.gz",
    "scheduled-mine.tar.gz",
    backupName(at("2026-07-01T03:15")),
    backupName(at("2026-07-02T03:15")),
    days[2],
    days[0],
    "before-schema-3-regfeed-20200101T000000Z.tar.gz",
    days[3],
    days[1],
  ] as string[];
  const nowMs = at("2026-08-04T03:15");
  assert.deepEqual(findSuperfluous(names, 2, nowMs), [days[1], days[0]]);
  assert.deepEqual(findSuperfluous(names, 4, nowMs), []);
  const ahead = scheduledName(at("2099-01-01T03:15"));
  assert.deepEqual(findSuperfluous([ahead, ...names], 1, nowMs), [days[2], days[1], days[0]]);
});

Deno.test("findNewestBackup() ignores backups dated more than an hour ahead", async () => {
  const nowMs = at("2026-08-04T03:14");
  const newest = async (...times: string[]) => {
    const found = await findNewestBackup("/backups", {
      nowMs,
      files: {
        exists: () => Promise.resolve(true),
        list: () =>
          Promise.resolve({
            files: times.map((time) => ({ name: scheduledName(at(time)), sizeBytes: 1, modifiedAtMs: 0 })),
            unreadable: [],
          }),
      },
    });
    assert.ok(found === null || found.name === scheduledName(found.timeMs));
    return found?.timeMs ?? null;
  };
  assert.equal(await newest("2026-08-03T03:15", "2099-01-01T03:15"), at("2026-08-03T03:15"));
  assert.equal(await newest("2099-01-01T03:15"), null);
  assert.equal(await newest("2026-08-03T03:15", "2026-08-04T03:15"), at("2026-08-04T03:15"));
});

interface Run {
  keep: number;
  folder: Set<string>;
  backups: number;
  create?(made: number): Promise<void>;
  removeFile?(name: string): Promise<void>;
}

/** Runs the schedule until it has created the given number of backups. Returns their times and the log. */
async function run({ keep, folder, backups, create, removeFile }: Run) {
  const { clock, log, lines } = fakePlatform(at("2026-08-01T10:00"), 1);
  const made: string[] = [];
  const ending = new AbortController();
  const nameOf = (path: string) => path.replace("/backups/", "");
  await runBackups({
    plan: { folder: "/backups", schedule: DAILY, keep },
    clock: sleepless(clock),
    log: log("backup"),
    files: {
      exists: () => Promise.resolve(folder.size > 0),
      list: () =>
        Promise.resolve({
          files: [...folder].map((name) => ({ name, sizeBytes: 1, modifiedAtMs: 0 })),
          unreadable: [],
        }),
      async removeFile(path) {
        await removeFile?.(nameOf(path));
        folder.delete(nameOf(path));
      },
    },
    async create(to, nowMs) {
      await create?.(made.length);
      made.push(new Date(nowMs).toISOString().slice(0, 16));
      folder.add(nameOf(to));
      if (made.length === backups) ending.abort();
    },
  }, ending.signal);
  return { made, lines };
}

Deno.test("runBackups() creates one backup a day, tries again after a failure, and keeps the newest", async () => {
  // Created by `backup create` without a name: one long ago, and one on a scheduled day.
  const byHand = [backupName(at("2026-01-01T10:00")), backupName(at("2026-08-03T12:00"))];
  const folder = new Set<string>(["mine.tar.gz", ...byHand]);
  let failures = 2;
  const create = (made: number) =>
    made === 1 && failures-- > 0 ? Promise.reject(new Error("no space left")) : Promise.resolve();
  const { made } = await run({ keep: 2, folder, backups: 4, create });
  assert.deepEqual(made, ["2026-08-02T03:15", "2026-08-03T03:35", "2026-08-04T03:15", "2026-08-05T03:15"]);
  assert.deepEqual([...folder].sort(), [
    "mine.tar.gz",
    ...byHand,
    "scheduled-regfeed-20260804T031500Z.tar.gz",
    "scheduled-regfeed-20260805T031500Z.tar.gz",
  ]);
});

Deno.test("runBackups() continues when an old backup cannot be removed, and logs its name", async () => {
  const old = [1, 2].map((day) => scheduledName(at(`2026-07-0${day}T03:15`)));
  const folder = new Set<string>(old);
  const removeFile = (name: string) =>
    name === old[1] ? Promise.reject(new Error("permission denied")) : Promise.resolve();
  const { made, lines } = await run({ keep: 1, folder, backups: 2, removeFile });
  assert.deepEqual(made, ["2026-08-01T10:00", "2026-08-02T03:15"]);
  assert.deepEqual([...folder], [old[1], scheduledName(at("2026-08-02T03:15"))]);
  const warned = lines.filter(({ level }) => level === "warn" || level === "error");
  assert.deepEqual(
    warned.map(({ level, fields }) => `${level} ${fields?.["file"]}`),
    [`warn ${old[1]}`, `warn ${old[1]}`],
  );
});
