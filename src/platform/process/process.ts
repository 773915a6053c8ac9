// The process: arguments, environment, standard streams, signals, exit code, and files for the command line.
import process from "node:process";
import { createFiles, type WritableFiles } from "../files/files.ts";
import { type Signals, SIGNALS_WHEN_ASKED } from "./signals.ts";
import { writeWhole } from "./standard_streams.ts";
import { allowsColours } from "../terminal_colours.ts";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { currentUser } from "../files/users.ts";

/** The exit code if the reader of stdout is gone (128 + SIGPIPE). */
const EXIT_BROKEN_PIPE = 141;

const MAIN = fileURLToPath(new URL("../../../main.ts", import.meta.url));

/** Whether the runtime permits the two ways out of the sandbox: running programs and loading libraries. */
interface Outbreak {
  run: "granted" | "denied";
  ffi: "granted" | "denied";
}

export interface Host extends WritableFiles, Signals {
  args: readonly string[];
  /** The absolute path of the working folder. */
  cwd: string;
  /** The runtime and its version, such as "Deno 2.9.6". */
  runtime: string;
  /** The target of the build, such as "x86_64-unknown-linux-gnu". */
  target: string;
  tryOutbreak(): Outbreak;
  /** The command that starts this program, as {@link startCommand} returns it. */
  program: string;
  env(name: string): string | undefined;
  /** Returns the current time in Unix ms. */
  nowMs(): number;
  /** Returns the user of this process, as a name or `uid:N`, or null if it is unknown. */
  user(): string | null;
  /** Reads stdin to its end as text. Throws if it contains more than `maxBytes`. */
  input(maxBytes: number): Promise<string>;
  /** Writes the whole text to stdout without buffering. Set `hasColours` if it contains Regfeed's own colours. */
  out(text: string, options?: { hasColours: boolean }): void;
  err(text: string): void;
  /** Replaces the last line of stderr, which must be a terminal; an empty text removes the line. */
  showStatus(text: string): void;
  isTerminal: boolean;
  /** Whether stdout is a terminal and the environment allows colours. */
  hasColours: boolean;
  isErrTerminal: boolean;
  /** Returns the width of the terminal; 80 without a terminal. */
  columns(): number;
  exit(code: number): never;
}

export function createHost(signals: Signals = SIGNALS_WHEN_ASKED): Host {
  // Deprecation warnings are for developers, not for operators.
  Object.assign(process, { noDeprecation: true });
  return {
    ...createFiles(),
    args: Deno.args,
    cwd: Deno.cwd(),
    runtime: `Deno ${Deno.version.deno}`,
    target: Deno.build.target,
    tryOutbreak: () => ({ run: tryTo(startProgram), ffi: tryTo(loadLibrary) }),
    program: startCommand(Deno.build.standalone ? null : MAIN, Deno.cwd()),
    env: (name) => Deno.env.get(name),
    nowMs: () => Date.now(),
    user: currentUser,
    input: readInput,
    out: (text) => {
      try {
        // The reader has closed the pipe, as in `| head`.
        if (!writeWhole(Deno.stdout, text)) Deno.exit(EXIT_BROKEN_PIPE);
      } catch (error) {
        writeWhole(Deno.stderr, `regfeed: the output cannot be written: ${(error as Error).message}\n`);
        Deno.exit(1);
      }
    },
    err: (text) => void writeWhole(Deno.stderr, text),
    // Returns to the start of the line and erases it.
    showStatus: (text) => void writeWhole(Deno.stderr, `\r\x1b[K${text}`),
    isTerminal: Deno.stdout.isTerminal(),
    hasColours: Deno.stdout.isTerminal() && allowsColours((name) => Deno.env.get(name)),
    isErrTerminal: Deno.stderr.isTerminal() && Deno.env.get("TERM") !== "dumb",
    columns: () => Deno.stdout.isTerminal() ? Deno.consoleSize().columns : 80,
    ...signals,
    exit: (code) => Deno.exit(code),
  };
}

/**
 * Returns the command that starts this program, for hints: "deno task regfeed" if it runs from source in the folder of
 * `main`, and otherwise "regfeed", as in the documents. For the executable, `main` is null.
 */
export function startCommand(main: string | null, cwd: string): string {
  return main !== null && dirname(main) === cwd ? "deno task regfeed" : "regfeed";
}

export function shellQuote(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function tryTo(act: () => void): "granted" | "denied" {
  try {
    act();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return "denied";
    // The act is permitted, but the program or library does not exist.
  }
  return "granted";
}

function startProgram(): void {
  new Deno.Command(Deno.build.os === "windows" ? "hostname.exe" : "/bin/true", {
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).outputSync();
}

function loadLibrary(): void {
  const names = { windows: "kernel32.dll", darwin: "libSystem.dylib" };
  const name = Deno.build.os === "windows" || Deno.build.os === "darwin" ? names[Deno.build.os] : "libc.so.6";
  Deno.dlopen(name, {}).close();
}

async function readInput(maxBytes: number): Promise<string> {
  let text = "";
  let bytes = 0;
  const decoder = new TextDecoder();
  for await (const chunk of Deno.stdin.readable) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error(`stdin contains more than ${maxBytes} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
