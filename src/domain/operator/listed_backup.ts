// A backup in the config's folder.

export interface ListedBackup {
  /** The file name. */
  name: string;
  createdAtMs: number;
  bytes: number;
  /** Whether it was created by the schedule, which also removes it. */
  isScheduled: boolean;
}
