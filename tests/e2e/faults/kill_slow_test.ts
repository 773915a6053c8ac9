// kill_test.ts with as many cases as `deno task test:slow` asks for.
import "./kill_test.ts";
