// Includes hostile_test.ts in `deno task test:slow`, which runs more cases.
import "./hostile_test.ts";
