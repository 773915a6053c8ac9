// What a command of the command line is.
import { CommandCall } from "../server/call.ts";

/** An option of a command, beside `--config` and `--help`. */
export interface CommandOption {
  /** `flag` stands alone, `text` takes a value, `list` takes one each time that it is given. */
  kind: "flag" | "text" | "list";
  /** Whether a flag may have a value behind an equals sign: `--save=FILE`. */
  mayHaveValue?: true;
  /** Placeholder of the value in the help: "FILE". */
  value?: string;
  /** A letter that does the same behind one dash: "c". */
  short?: string;
  help: string;
}

/** A command. */
export interface Command {
  /** One or two words: "serve", "source test". */
  name: string;
  /** What stands after the name: "ID [--json]"; its positionals in capitals, those that may be left out in brackets. */
  usage: string;
  summary: string;
  /** A whole line that works. */
  example: string;
  /** The fewest and the most positionals. */
  positionals: [number, number];
  options: Record<string, CommandOption>;
  /** Whether it reads no config, and so takes no `--config`. */
  withoutConfig?: true;
  /** Does it; resolves with the exit code: 0 success, 1 failure, 2 usage error or invalid config. */
  run(call: CommandCall): Promise<number>;
}

/** The option that commands which print data have. */
export const JSON_OPTION: Record<string, CommandOption> = {
  json: { kind: "flag", help: "print JSON for scripts" },
};

/** Every option that a command takes, with those that all of them have. */
export function optionsOf(command: Command): Record<string, CommandOption> {
  const config: CommandOption = {
    kind: "text",
    value: "FILE",
    short: "c",
    help: "the config (default: regfeed.toml, then config.example.toml, in this folder)",
  };
  return {
    ...command.options,
    ...(command.withoutConfig ? {} : { config }),
    help: { kind: "flag", short: "h", help: "print this help" },
  };
}
