// Formats the help for the program, for a group of commands, and for one command.
import { VERSION } from "../version.ts";
import { type Command, optionsOf } from "./command.ts";
import { SECTIONS, SUBJECTS } from "./commands.ts";
import { wrapText } from "./wrap_text.ts";

export const WHAT_IT_IS = "what official bodies publish about AI regulation, as events";
export const EXIT_CODES: readonly (readonly [code: string, what: string])[] = [
  ["0", "success"],
  ["1", "failure"],
  ["2", "usage error or invalid config"],
];

const WIDTH = 80;
/** The width of the names in the overview, the same in each section. */
const NAME_WIDTH = "healthcheck".length;

export function usageLine(command: Command): string {
  return `usage: regfeed ${command.name} ${command.usage}`.trimEnd();
}

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
    wrap(`regfeed ${command.name}: ${command.summary}`) +
    (command.details === undefined ? "" : wrap(command.details)),
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

${SECTIONS.map(([title, words]) => `${title}\n${sectionLines(words, commands)}`).join("\n")}
\`regfeed COMMAND --help\` describes a command or a group of commands.
Exit codes: ${EXIT_CODES.map((code) => code.join(" ")).join(", ")}.
`;
}

/** Returns a line for each command and for each group of commands. A group's line lists its commands. */
function sectionLines(words: readonly string[], commands: readonly Command[]): string {
  return columns(
    words.map((word) => {
      const group = commands.filter(({ name }) => name.split(" ")[0] === word);
      const [only] = group;
      if (only?.name === word) return [word, only.summary];
      const names = group.map(({ name }) => name.slice(word.length + 1)).join(", ");
      return [word, `${SUBJECTS[word]} (${names})`];
    }),
    NAME_WIDTH,
  );
}

function commandList(commands: readonly Command[]): string {
  return columns(commands.map(({ name, summary }) => [name, summary]));
}

function columns(rows: readonly (readonly [name: string, text: string])[], least = 0): string {
  const width = Math.max(least, ...rows.map(([name]) => name.length));
  const indent = width + 4;
  return rows.map(([name, text]) =>
    wrapText(text, { width: WIDTH, indent, first: `  ${name}`.padEnd(indent) })
  )
    .join("");
}
