// Metrics of a running server: its build, its database files and its backups.
import { basename, dirname } from "node:path";
import { findNewestBackup } from "../backup/schedule.ts";
import type { Config } from "../config/config.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import type { Clock } from "../domain/ports/ports.ts";
import type { Host } from "../platform/process/process.ts";
import { VERSION } from "../version.ts";

/** Adds the gauges, whose values are read at each scrape. A reload may change the backup folder. */
export function measureService(
  metrics: Metrics,
  store: Config["store"],
  { files, clock, schemaVersion, backupFolder }: {
    files: Pick<Host, "list" | "exists">;
    clock: Pick<Clock, "nowMs">;
    schemaVersion: number;
    backupFolder(): string;
  },
): void {
  metrics.gauge({
    name: "regfeed_build_info",
    help: "Always 1: the version and the database's schema are in the labels.",
    labels: ["version", "schema"],
  }, () => [{ labels: [VERSION, String(schemaVersion)], value: 1 }]);
  const fileSize = (name: string, help: string, path: string) =>
    metrics.gauge({ name, help }, async () => {
      const { files: there } = await files.list(dirname(path));
      return [{ value: there.find((file) => file.name === basename(path))?.sizeBytes ?? 0 }];
    });
  fileSize("regfeed_database_size_bytes", "Size of the database file.", store.path);
  fileSize(
    "regfeed_database_wal_size_bytes",
    "Size of the database's write-ahead log; 0 if there is none.",
    `${store.path}-wal`,
  );
  metrics.gauge({
    name: "regfeed_backup_last_success_timestamp_seconds",
    help: "When the newest backup in the backup folder was created, Unix seconds. Absent if there is none.",
  }, async () => {
    const newest = await findNewestBackup(backupFolder(), { files, nowMs: clock.nowMs() });
    return newest === null ? [] : [{ value: newest.timeMs / 1_000 }];
  });
}
