// Includes simulation_test.ts in `deno task test:slow`, which runs more cases.
import "./simulation_test.ts";
