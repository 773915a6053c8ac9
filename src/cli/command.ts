// The type of a command.
import { CommandCall } from "../server/command_call.ts";

/** An option of a command other than `--config` and `--help`. */
export interface CommandOption {
  /** `flag` has no value, `text` has one, `list` can be repeated. */
  kind: "flag" | "text" | "list";
  /** Whether a flag can have a value after an equals sign: `--save=FILE`. */
  mayHaveValue?: true;
  /** Placeholder of the value in the help: "FILE". */
  value?: string;
  /** The short form: "c". */
  short?: string;
  help: string;
}

/** A command. */
export interface Command {
  /** One or two words: "serve", "source test". */
  name: string;
  /** The arguments: "ID [--json]"; positionals in capitals, optional ones in brackets. */
  usage: string;
  summary: string;
  /** A complete command line. */
  example: string;
  /** Minimum and maximum number of positionals. */
  positionals: [number, number];
  options: Record<string, CommandOption>;
  /** Set if it reads no config and has no `--config`. */
  withoutConfig?: true;
  /** Runs it; resolves with the exit code: 0 success, 1 failure, 2 usage error or invalid config. */
  run(call: CommandCall): Promise<number>;
}

/** The option that commands which print data have. */
export const JSON_OPTION: Record<string, CommandOption> = {
  json: { kind: "flag", help: "print JSON for scripts" },
};

/** All options of a command, including the common ones. */
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
