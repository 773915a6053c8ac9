// Generates the manual page from the commands' help texts, so that it always agrees with `--help`.
import type { Command } from "../../src/cli/command.ts";
import { EXIT_CODES, optionRows, WHAT_IT_IS } from "../../src/cli/help.ts";
import { utcDay } from "../../src/domain/utc_day.ts";

/** The facts in the page's header. */
interface ManualPage {
  version: string;
  /** The date of the page, Unix ms. */
  timeMs: number;
}

/** Returns the page for section 1, in the macros of man(7). */
export function manualPage(commands: readonly Command[], { version, timeMs }: ManualPage): string {
  const day = utcDay(timeMs);
  const lines = [
    `.TH REGFEED 1 "${day}" "Regfeed ${escape(version)}" "User Commands"`,
    ".SH NAME",
    `regfeed \\- ${escape(WHAT_IT_IS)}`,
    ".SH SYNOPSIS",
    ".B regfeed",
    ".I COMMAND",
    escape("[--config FILE] …"),
    ".SH DESCRIPTION",
    escape("With --help, each command prints what is described below."),
    ".SH COMMANDS",
    ...commands.flatMap(describe),
    ".SH EXIT STATUS",
    ...EXIT_CODES.flatMap(([code, what]) => tagged(code, what)),
    ".SH ENVIRONMENT",
    ...tagged("REGFEED_CONFIG", "the config, unless --config names another file"),
    ...tagged("NO_COLOR", "if set, no colours are printed"),
    ".SH FILES",
    ...tagged("regfeed.toml", "the config, if the current folder has one"),
    ...tagged(
      "/etc/regfeed/regfeed.toml",
      "the config of the service, and of commands in a folder without a config",
    ),
    ...tagged("/var/lib/regfeed", "the data of the service"),
  ];
  return `${lines.join("\n")}\n`;
}

function describe(command: Command): string[] {
  return [
    `.SS "${escape(`regfeed ${command.name} ${command.usage}`.trimEnd()).replaceAll('"', "\\(dq")}"`,
    `${escape(command.summary)}.`,
    ...command.details === undefined ? [] : [escape(command.details)],
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

/** Escapes text so that man prints it literally, with hyphens that can be searched for and copied. */
function escape(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^(?=[.'])/, "\\&")
    .replace(
      /[^\x20-\x7e]/gu,
      (sign) => `\\[u${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}]`,
    );
}
