// hostile_test.ts with the number of cases of `deno task test:slow`.
import "./hostile_test.ts";
