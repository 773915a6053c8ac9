// The texts of `--help`: of everything, of a group of commands, of one command.
import { VERSION } from "../version.ts";
import { type Command, optionsOf } from "./command.ts";
import { wrapText } from "./wrap_text.ts";

/** What Regfeed is, as a part of a sentence. */
export const WHAT_IT_IS = "what official bodies publish about AI regulation, as events";
/** What the exit codes of every command say. */
export const EXIT_CODES: readonly (readonly [code: string, what: string])[] = [
  ["0", "success"],
  ["1", "failure"],
  ["2", "usage error or invalid config"],
];

/** No line of a help is wider: it is read on a console as often as in a window. */
const WIDTH = 80;

/** `usage: regfeed source test ID [--why] [--json]`. */
export function usageLine(command: Command): string {
  return `usage: regfeed ${command.name} ${command.usage}`.trimEnd();
}

/** The options of a command as they are written, each with what it does: `-c, --config FILE`. */
export function optionRows(command: Command): (readonly [written: string, help: string])[] {
  return Object.entries(optionsOf(command)).map(([name, { kind, value, short, help }]) => {
    const written = short === undefined ? `--${name}` : `-${short}, --${name}`;
    return [`${written}${kind !== "flag" ? ` ${value ?? "VALUE"}` : ""}`, help] as const;
  });
}

function wrap(text: string, indent = 0): string {
  return wrapText(text, { width: WIDTH, indent, first: "" });
}

/** All of a command: summary, usage, example, options. */
export function commandHelp(command: Command): string {
  const options = optionRows(command).map(([written, help]) =>
    [written.startsWith("--") ? `    ${written}` : written, help] as const
  );
  const parts = [
    wrap(`regfeed ${command.name}: ${command.summary}`),
    `${wrap(usageLine(command), "usage: ".length)}${exampleLine(command)}`,
    columns(options),
  ];
  return parts.join("\n");
}

/** The example; where it needs more lines than one, as a shell takes them. */
function exampleLine({ example }: Command): string {
  const line = `example: ${example}`;
  if (line.length <= WIDTH) return `${line}\n`;
  const goesOn = " \\";
  // What stands in quotes stays together.
  const words = example.match(/(?:'[^']*'|\S)+/g) ?? [];
  const lines: string[] = [];
  let last = " ";
  for (const word of words) {
    if (`${last} ${word}${goesOn}`.length > WIDTH) {
      lines.push(last);
      last = "   ";
    }
    last += ` ${word}`;
  }
  return `example:\n${[...lines, last].join(`${goesOn}\n`)}\n`;
}

/** The commands that begin with one word, such as `source`. */
export function groupHelp(group: string, commands: readonly Command[]): string {
  return `usage: regfeed ${group} COMMAND …\n\n${
    commandList(commands)
  }\n\`regfeed ${group} COMMAND --help\` describes a command.\n`;
}

/** Every command. */
export function overview(commands: readonly Command[]): string {
  return `Regfeed ${VERSION}: ${WHAT_IT_IS}.

usage: regfeed COMMAND [--config FILE] …

${commandList(commands)}
\`regfeed COMMAND --help\` describes a command.
Exit codes: ${EXIT_CODES.map((code) => code.join(" ")).join(", ")}.
`;
}

function commandList(commands: readonly Command[]): string {
  return columns(commands.map(({ name, summary }) => [name, summary]));
}

function columns(rows: readonly (readonly [name: string, text: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  const indent = width + 4;
  return rows.map(([name, text]) =>
    wrapText(text, { width: WIDTH, indent, first: `  ${name}`.padEnd(indent) })
  )
    .join("");
}
