// The manual page, made from what the commands say of themselves: it can tell nothing else than `--help` does.
import type { Command } from "../../src/cli/command.ts";
import { EXIT_CODES, optionRows, WHAT_IT_IS } from "../../src/cli/help.ts";

/** What stands in the page beside the commands. */
export interface ManualPage {
  version: string;
  /** When it was made, Unix ms. */
  timeMs: number;
}

/** The page in section 1, in the macros of man(7). */
export function manualPage(commands: readonly Command[], { version, timeMs }: ManualPage): string {
  const day = new Date(timeMs).toISOString().slice(0, 10);
  const lines = [
    `.TH REGFEED 1 "${day}" "Regfeed ${escape(version)}" "User Commands"`,
    ".SH NAME",
    `regfeed \\- ${escape(WHAT_IT_IS)}`,
    ".SH SYNOPSIS",
    ".B regfeed",
    ".I COMMAND",
    escape("[--config FILE] …"),
    ".SH DESCRIPTION",
    escape("Each command prints the same as below with --help."),
    ".SH COMMANDS",
    ...commands.flatMap(describe),
    ".SH EXIT STATUS",
    ...EXIT_CODES.flatMap(([code, what]) => tagged(code, what)),
    ".SH FILES",
    ...tagged("regfeed.toml", "the config, in the folder in which a command is run unless --config names it"),
    ...tagged("/etc/regfeed/regfeed.toml", "the config of the service"),
    ...tagged("/var/lib/regfeed", "the data of the service"),
  ];
  return `${lines.join("\n")}\n`;
}

function describe(command: Command): string[] {
  return [
    `.SS "${escape(`regfeed ${command.name} ${command.usage}`.trimEnd()).replaceAll('"', "\\(dq")}"`,
    `${escape(command.summary)}.`,
    ...optionRows(command).flatMap(([written, help]) => tagged(written, help)),
    ".PP",
    "Example:",
    ".PP",
    ".nf",
    `    ${escape(command.example)}`,
    ".fi",
  ];
}

function tagged(name: string, text: string): string[] {
  return [".TP", `\\fB${escape(name)}\\fR`, escape(text)];
}

/** A text that stands for itself: no control line, no escape, hyphens that can be searched for and copied. */
function escape(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^(?=[.'])/, "\\&")
    .replace(
      /[^\x20-\x7e]/gu,
      (sign) => `\\[u${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}]`,
    );
}
