// The texts of `--help`: the overview, a group of commands, one command.
import { VERSION } from "../version.ts";
import { type Command, optionsOf } from "./command.ts";
import { wrapText } from "./wrap_text.ts";

export const WHAT_IT_IS = "what official bodies publish about AI regulation, as events";
export const EXIT_CODES: readonly (readonly [code: string, what: string])[] = [
  ["0", "success"],
  ["1", "failure"],
  ["2", "usage error or invalid config"],
];

const WIDTH = 80;

/** Returns a line such as `usage: regfeed source test ID [--why] [--json]`. */
export function usageLine(command: Command): string {
  return `usage: regfeed ${command.name} ${command.usage}`.trimEnd();
}

/** Returns the options of a command, such as `-c, --config FILE`, with their descriptions. */
export function optionRows(command: Command): (readonly [written: string, help: string])[] {
  return Object.entries(optionsOf(command)).map(([name, { kind, value, short, help }]) => {
    const written = short === undefined ? `--${name}` : `-${short}, --${name}`;
    return [`${written}${kind !== "flag" ? ` ${value ?? "VALUE"}` : ""}`, help] as const;
  });
}

function wrap(text: string, indent = 0): string {
  return wrapText(text, { width: WIDTH, indent, first: "" });
}

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

/** Returns the example, with backslashes at line ends if it does not fit on one line. */
function exampleLine({ example }: Command): string {
  const line = `example: ${example}`;
  if (line.length <= WIDTH) return `${line}\n`;
  const goesOn = " \\";
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

export function groupHelp(group: string, commands: readonly Command[]): string {
  return `usage: regfeed ${group} COMMAND …\n\n${
    commandList(commands)
  }\n\`regfeed ${group} COMMAND --help\` describes a command.\n`;
}

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
