// Runs other programs in the repository.
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Runs a program in the repository. If it is not installed, `ok` is false and `said` is the reason. */
export async function run(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ ok: boolean; said: string }> {
  try {
    const { success, stdout, stderr } = await new Deno.Command(program, {
      args: [...args],
      cwd: ROOT,
      env: { NO_COLOR: "1", ...env },
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    return { ok: success, said: decoder.decode(stdout) + (success ? "" : decoder.decode(stderr)) };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return { ok: false, said: `${program} is not installed` };
  }
}
