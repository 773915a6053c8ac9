// Includes year_of_payments_test.ts in `deno task test:slow`, which runs more cases.
import "./year_of_payments_test.ts";
