// What a command is called with, and how it ends.

import type { StoreEngine } from "../domain/ports/store/engine.ts";
import type { Host } from "../platform/process/process.ts";

/** What a command is given. */
export interface CommandCall {
  host: Host;
  /** Loads the engine of the store: only commands that use a store pay for it. */
  loadEngine(): Promise<StoreEngine>;
  /** What stands after the command's name, options left out. */
  positionals: string[];
  flags: ReadonlySet<string>;
  texts: ReadonlyMap<string, string>;
  /** The values of options that may be given more than once, in order. */
  lists: ReadonlyMap<string, readonly string[]>;
}

/** The exit codes. What an argument names and is not there (a source, a customer, an event) is a failure. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;

/** A command that cannot go on: what is wrong and what to do, and the exit code. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  constructor(message: string, readonly exitCode: number = EXIT.failed) {
    super(message);
  }
}
