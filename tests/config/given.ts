// What the config's tests share: parsing with secrets held in memory.
import { findAdditionProblems } from "../../src/classify/check_additions.ts";
import {
  type Config,
  ConfigError,
  type ConfigProblem,
  parseConfigFile,
  type ParsedConfig,
} from "../../src/config/config.ts";

/** Files and variables that a config may name; files by absolute path, an Error stands for one that cannot be read. */
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

/** Everything that is wrong with a config; an empty list when nothing is. */
export async function problemsOf(text: string, given: Given = {}): Promise<readonly ConfigProblem[]> {
  try {
    await configOf(text, given);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

/** The messages of everything that is wrong, as they are printed. */
export async function linesOf(text: string, given: Given = {}): Promise<string[]> {
  try {
    await configOf(text, given);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split("\n");
    throw error;
  }
}

/** A source with the least that one needs, and more lines. */
export function source(...lines: string[]): string {
  const own = new Set(lines.map((line) => line.split(" ")[0]));
  const least = ['id = "a-source"', 'name_en = "A source"', 'url = "https://feed.example.org/a.xml"'];
  return ["[[sources]]", ...least.filter((line) => !own.has(line.split(" ")[0])), ...lines, ""].join("\n");
}
