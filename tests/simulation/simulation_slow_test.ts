// simulation_test.ts with the number of cases of `deno task test:slow`.
import "./simulation_test.ts";
