// The guides in docs/use and the code in them.
import { join } from "node:path";

const FOLDER = new URL("../../docs/use/", import.meta.url);

export interface CodeBlock {
  /** The file of the guide. */
  guide: string;
  /** The title of the section that contains the block. */
  section: string;
  /** `sh`, `js`, `python`, … */
  language: string;
  code: string;
}

/** Returns the text of a guide. */
export function guide(name: string): string {
  return Deno.readTextFileSync(new URL(name, FOLDER));
}

/** Returns the code blocks of all guides, in order. */
export function codeBlocks(): CodeBlock[] {
  const names = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).sort();
  return names.flatMap((name) => blocksOf(name, guide(name)));
}

function blocksOf(name: string, text: string): CodeBlock[] {
  let section = "";
  return [...text.matchAll(/^##+ ([^\n]+)$|^```(\w+)\n(.*?)^```$/gms)].flatMap(
    ([, heading, language = "", code = ""]) => {
      if (heading === undefined) return [{ guide: name, section, language, code }];
      section = heading;
      return [];
    },
  );
}

/** Returns the name of the file in a program's first line, or null if there is none. */
export function fileName({ code }: Pick<CodeBlock, "code">): string | null {
  return /^(?:\/\/|#) ([\w-]+\.\w+)/.exec(code)?.[1] ?? null;
}

/** Writes a program that a guide shows into a folder. Fails if no guide shows it. */
export async function writeProgram(file: string, folder: string): Promise<void> {
  const block = codeBlocks().find((block) => fileName(block) === file);
  if (block === undefined) throw new Error(`no guide shows ${file}`);
  await Deno.writeTextFile(join(folder, file), block.code);
}
