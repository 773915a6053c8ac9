// The type of a command.
import { CommandCall } from "../server/command_context.ts";

/** An option of a command other than `--config` and `--help`. */
export interface CommandOption {
  /** `flag` has no value, `text` has one, `list` can be repeated. */
  kind: "flag" | "text" | "list";
  /** Whether a flag can have a value after an equals sign: `--save=FILE`. */
  mayHaveValue?: true;
  /** Placeholder of the value in the help: "FILE". */
  value?: string;
  short?: string;
  help: string;
}

export interface Command {
  /** "serve", "source test". */
  name: string;
  /**
   * The arguments: "ID [--json]"; positionals in capitals, optional ones in brackets, `…` after one that may be repeated.
   * Positionals and the option `--json` are read from it.
   */
  usage: string;
  summary: string;
  example: string;
  /** The options without `--json`, `--config` and `--help`. */
  options?: Record<string, CommandOption>;
  /** Set if it reads no config and has no `--config`. */
  withoutConfig?: true;
  /** Resolves with the exit code (default: success). */
  run(call: CommandCall): Promise<number | void>;
}

const JSON_OPTION: CommandOption = { kind: "flag", help: "print JSON for scripts" };
const CONFIG_OPTION: CommandOption = {
  kind: "text",
  value: "FILE",
  short: "c",
  help: "the config (default: regfeed.toml, then config.example.toml, in this folder)",
};

/** All options of a command, including the common ones. */
export function optionsOf({ usage, options, withoutConfig }: Command): Record<string, CommandOption> {
  const printsData = usage.includes("--json") && options?.json === undefined;
  return {
    ...options,
    ...(printsData ? { json: JSON_OPTION } : {}),
    ...(withoutConfig ? {} : { config: CONFIG_OPTION }),
    help: { kind: "flag", short: "h", help: "print this help" },
  };
}
