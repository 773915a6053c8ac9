// Parses configs for tests, with secrets in memory.
import { findAdditionProblems } from "../../src/classify/check_configured_rules.ts";
import {
  type Config,
  ConfigError,
  type ConfigProblem,
  parseConfigFile,
  type ParsedConfig,
} from "../../src/config/config.ts";

/** Files by absolute path, and environment variables. A file that is an Error cannot be read. */
export interface Given {
  files?: Record<string, string | Error>;
  env?: Record<string, string>;
}

export async function configOf(text: string, given: Given = {}): Promise<Config> {
  return (await parsedOf(text, given)).config;
}

export function parsedOf(text: string, given: Given = {}): Promise<ParsedConfig> {
  const file = (path: string): Promise<string> => {
    const content = given.files?.[path] ?? Object.assign(new Error(`no ${path}`), { name: "NotFound" });
    return content instanceof Error ? Promise.reject(content) : Promise.resolve(content);
  };
  const readSecret = { file, env: (name: string): string | undefined => given.env?.[name] };
  return parseConfigFile(text, {
    file: "regfeed.toml",
    folder: "/etc/regfeed",
    readSecret,
    findAdditionProblems,
  });
}

export async function problemsOf(text: string, given: Given = {}): Promise<readonly ConfigProblem[]> {
  try {
    await configOf(text, given);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

/** Returns the messages of all problems, as printed. */
export async function linesOf(text: string, given: Given = {}): Promise<string[]> {
  try {
    await configOf(text, given);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n");
    throw error;
  }
}

/** Returns a source with the required keys and these lines. */
export function source(...lines: string[]): string {
  const own = new Set(lines.map((line) => line.split(" ")[0]));
  const least = ['id = "a-source"', 'name_en = "A source"', 'url = "https://feed.example.org/a.xml"'];
  return ["[[sources]]", ...least.filter((line) => !own.has(line.split(" ")[0])), ...lines, ""].join("\n");
}
