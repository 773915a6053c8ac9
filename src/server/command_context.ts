// The arguments and exit codes of a command.

import type { StoreEngine } from "../domain/ports/store/engine.ts";
import type { Host } from "../platform/process/process.ts";

export interface CommandCall {
  host: Host;
  loadEngine(): Promise<StoreEngine>;
  positionals: string[];
  flags: ReadonlySet<string>;
  texts: ReadonlyMap<string, string>;
  /** The values of repeatable options, in the given order. */
  lists: ReadonlyMap<string, readonly string[]>;
}

/** The exit codes. An argument that names something unknown, such as a source, causes `failed`, not `usage`. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** An expected failure of a command. The message says what is wrong and what to do. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  constructor(message: string, readonly exitCode: number = EXIT.failed) {
    super(message);
  }
}
