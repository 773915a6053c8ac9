// Parses the options and positionals of a command.
import { parseArgs, type ParseArgsConfig } from "node:util";
import { findNearest } from "../domain/did_you_mean.ts";
import { notAmong } from "../http/invalid_fields.ts";
import { type Command, type CommandOption, optionsOf, positionalsOf } from "./command.ts";
import { type CommandCall, CommandError, EXIT } from "../server/command_context.ts";
import { usageLine } from "./help.ts";

type ReadArguments = Omit<CommandCall, "host" | "loadEngine">;

/**
 * Parses the arguments after the command's name. Returns "help" for `--help`. For invalid arguments, throws a
 * {@link CommandError} (exit code 2).
 */
export function readArguments(command: Command, words: readonly string[]): ReadArguments | "help" {
  const known = optionsOf(command);
  const options: NonNullable<ParseArgsConfig["options"]> = {};
  for (const [name, { kind, short }] of Object.entries(known)) {
    options[name] = {
      type: kind === "flag" ? "boolean" : "string",
      ...(short === undefined ? {} : { short }),
    };
  }
  // Not strict, because the errors of strict parsing would not show the command's usage.
  const { tokens } = parseArgs({
    args: [...words],
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  if (tokens.some((token) => token.kind === "option" && token.name === "help")) return "help";
  const lists = new Map<string, string[]>();
  const read = {
    positionals: [] as string[],
    flags: new Set<string>(),
    texts: new Map<string, string>(),
    lists,
  };
  for (const token of tokens) {
    if (token.kind === "positional") read.positionals.push(token.value);
    if (token.kind !== "option") continue;
    const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    const problem = optionProblem(token, option, known);
    if (problem !== null) throw wrongUse(command, problem);
    if (token.value === undefined) read.flags.add(token.name);
    else if (option?.kind === "list") {
      lists.set(token.name, [...lists.get(token.name) ?? [], token.value]);
    } else read.texts.set(token.name, token.value);
  }
  const problem = positionalProblem(command, read.positionals);
  if (problem !== null) throw wrongUse(command, problem);
  checkValues(command, known, read);
  return read;
}

/** Checks the values that the command declares, and writes fixed ones as declared. Throws one error for all problems. */
function checkValues(
  command: Command,
  known: Record<string, CommandOption>,
  { positionals, texts, lists }: {
    positionals: string[];
    texts: Map<string, string>;
    lists: Map<string, string[]>;
  },
): void {
  const problems: string[] = [];
  const check = (
    name: string,
    text: string,
    { value, values, problemOf }: Partial<CommandOption>,
  ): string => {
    const problem = problemOf?.(text) ?? null;
    if (problem !== null) problems.push(`${name} ${problem}`);
    if (values === undefined) return text;
    const isList = value?.endsWith(",…") === true;
    const parts = isList ? text.split(",") : [text];
    const expected = isList ? `one or more of ${values.join(", ")}, separated by commas` : undefined;
    return parts.map((part) => {
      const found = values.find((one) => one === part.trim().toLowerCase());
      if (found === undefined) problems.push(`${name} ${notAmong(part, values, expected)}`);
      return found ?? part;
    }).join(",");
  };
  for (const [at, written] of positionalsOf(command.usage).entries()) {
    const [name, text] = [written.replace(/[[\]…]/g, ""), positionals[at]];
    const values = command.positionalValues?.[name];
    if (text !== undefined && values !== undefined) positionals[at] = check(name, text, { values });
  }
  for (const [name, option] of Object.entries(known)) {
    const text = texts.get(name);
    if (text !== undefined) texts.set(name, check(`--${name}`, text, option));
    const list = lists.get(name);
    if (list !== undefined) lists.set(name, list.map((one) => check(`--${name}`, one, option)));
  }
  if (problems.length > 0) throw new CommandError(problems.join("\n"), EXIT.usage);
}

interface OptionToken {
  name: string;
  rawName: string;
  value: string | undefined;
  inlineValue: boolean | undefined;
}

function optionProblem(
  { name, rawName, value, inlineValue }: OptionToken,
  option: CommandOption | undefined,
  known: Record<string, CommandOption>,
): string | null {
  if (option === undefined) {
    const nearest = rawName.startsWith("--") ? findNearest(name, Object.keys(known)) : null;
    return `unknown option ${rawName}${nearest === null ? "" : `; did you mean --${nearest}?`}`;
  }
  if (option.kind === "flag") {
    if (value === undefined) return null;
    if (!option.mayHaveValue) return `${rawName} takes no value`;
    return value === "" ? `${rawName}= needs a value: ${rawName}=${option.value ?? "VALUE"}` : null;
  }
  const placeholder = option.value ?? "VALUE";
  if (value === undefined || value === "") return `${rawName} needs a value: ${rawName} ${placeholder}`;
  if (inlineValue !== true && /^-./.test(value)) {
    return `${rawName} needs a value, and ${value} looks like an option: ` +
      `${rawName} ${placeholder}, or --${name}=${value} to use it as the value`;
  }
  return null;
}

function positionalProblem(command: Command, positionals: readonly string[]): string | null {
  const known = positionalsOf(command.usage);
  const mayRepeat = known.at(-1)?.includes("…") === true;
  const superfluous = mayRepeat ? [] : positionals.slice(known.length);
  if (superfluous.length > 0) {
    const words = superfluous.map((word) => JSON.stringify(word)).join(", ");
    const config = Object.hasOwn(optionsOf(command), "config") ? superfluous.find(isConfigName) : undefined;
    return `unexpected argument${superfluous.length === 1 ? "" : "s"} ${words}` +
      (config === undefined ? "" : `; to choose the config, use --config ${config}`);
  }
  const empty = positionals.indexOf("");
  if (empty !== -1) return `${(known[empty] ?? known.at(-1) ?? "").replace(/[[\]…]/g, "")} is empty`;
  const missing = known.slice(positionals.length).filter((name) => !name.startsWith("["));
  if (missing.length === 0) return null;
  return `${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} missing`;
}

function isConfigName(word: string): boolean {
  return word.endsWith(".toml");
}

function wrongUse(command: Command, problem: string): CommandError {
  return new CommandError(`${problem}\n${usageLine(command)}`, EXIT.usage);
}
