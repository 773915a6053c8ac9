// simulation_test.ts with as many cases as `deno task test:slow` asks for.
import "./simulation_test.ts";
