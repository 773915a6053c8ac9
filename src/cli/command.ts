// What every command declares: its name, arguments, options and help.
import { CommandCall } from "../server/command_context.ts";

export interface CommandOption {
  /** A `flag` has no value, unless {@link mayHaveValue} is set. A `text` has one value. A `list` can be repeated. */
  kind: "flag" | "text" | "list";
  /** Whether a flag can have a value after an equals sign: `--save=FILE`. */
  mayHaveValue?: true;
  /** Placeholder for the value in the help, such as "FILE". */
  value?: string;
  /** The possible values, if they are fixed. The parser ignores their case. */
  values?: readonly string[];
  /** Returns what is wrong with a value, as the continuation of a sentence that starts with the option, or null. */
  problemOf?(value: string): string | null;
  short?: string;
  help: string;
}

export interface Command {
  /** Such as "serve" or "source test". */
  name: string;
  /**
   * The arguments, such as "ID [--json]": positionals in capitals, optional arguments in brackets, and `…` after an
   * argument that may be repeated. The parser derives the positionals and the options `--json` and `--utc` from this
   * text.
   */
  usage: string;
  summary: string;
  /** Further sentences for the command's help. */
  details?: string;
  example: string;
  /** The command's own options. `--json`, `--utc`, `--config`, `--verbose` and `--help` are added to them. */
  options?: Record<string, CommandOption>;
  /** The possible values of positionals that have fixed ones, by their placeholder. */
  positionalValues?: Readonly<Record<string, readonly string[]>>;
  /** Set if the command reads no config and has no option `--config`. */
  withoutConfig?: true;
  /** Resolves with the exit code (default: success). */
  run(call: CommandCall): Promise<number | void>;
}

const JSON_OPTION: CommandOption = { kind: "flag", help: "print JSON for scripts" };
const UTC_OPTION: CommandOption = {
  kind: "flag",
  help: "print exact times in UTC instead of relative ones, also on a terminal",
};
const CONFIG_OPTION: CommandOption = {
  kind: "text",
  value: "FILE",
  short: "c",
  help: "the config (default: REGFEED_CONFIG, ./regfeed.toml, or /etc/regfeed/regfeed.toml)",
};
const VERBOSE_OPTION: CommandOption = { kind: "flag", short: "v", help: "say which config is used" };

export function optionsOf({ usage, options, withoutConfig }: Command): Record<string, CommandOption> {
  const printsData = usage.includes("--json") && options?.json === undefined;
  return {
    ...options,
    ...(printsData ? { json: JSON_OPTION } : {}),
    ...(usage.includes("--utc") ? { utc: UTC_OPTION } : {}),
    ...(withoutConfig ? {} : { config: CONFIG_OPTION, verbose: VERBOSE_OPTION }),
    help: { kind: "flag", short: "h", help: "print this help" },
  };
}

/** Returns the positionals in a usage, such as `CUSTOMER` or `[SOURCE…]`, without the values of options. */
export function positionalsOf(usage: string): string[] {
  const words = usage.split(" ");
  return words.filter((word, at) => /^\[?[A-Z]+…?\]?$/.test(word) && !/^[[{]?--/.test(words[at - 1] ?? ""));
}
