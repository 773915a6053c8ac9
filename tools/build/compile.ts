// `deno task compile`: builds dist/regfeed for this machine.
import { compile } from "./executable.ts";

const { ok, said } = await compile({ output: "dist/regfeed" });
if (!ok) console.error(said.trim());
else console.log("dist/regfeed");
Deno.exit(ok ? 0 : 1);
