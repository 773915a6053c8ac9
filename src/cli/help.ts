// The texts of `--help`: of everything, of a group of commands, of one command.
import { VERSION } from "../version.ts";
import { type Command, optionsOf } from "./command.ts";

/** `usage: regfeed source test ID [--why] [--json]`. */
export function usageLine(command: Command): string {
  return `usage: regfeed ${command.name} ${command.usage}`.trimEnd();
}

/** All of a command: summary, usage, example, options. */
export function commandHelp(command: Command): string {
  const options = Object.entries(optionsOf(command)).map(([name, { kind, value, short, help }]) => {
    const written = short === undefined ? `    --${name}` : `-${short}, --${name}`;
    return [`${written}${kind !== "flag" ? ` ${value ?? "VALUE"}` : ""}`, help] as const;
  });
  return `regfeed ${command.name}: ${command.summary}\n\n${
    usageLine(command)
  }\nexample: ${command.example}\n\n${columns(options)}`;
}

/** The commands that begin with one word, such as `source`. */
export function groupHelp(group: string, commands: readonly Command[]): string {
  return `usage: regfeed ${group} COMMAND …\n\n${
    commandList(commands)
  }\n\`regfeed ${group} COMMAND --help\` says more.\n`;
}

/** Every command. */
export function overview(commands: readonly Command[]): string {
  return `Regfeed ${VERSION}: what official bodies publish about AI regulation, as events.

usage: regfeed COMMAND [--config FILE] …

${commandList(commands)}
\`regfeed COMMAND --help\` says more. Exit codes: 0 done, 1 failed, 2 wrong use or bad config.
`;
}

function commandList(commands: readonly Command[]): string {
  return columns(commands.map(({ name, summary }) => [name, summary]));
}

function columns(rows: readonly (readonly [name: string, text: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}\n`).join("");
}
