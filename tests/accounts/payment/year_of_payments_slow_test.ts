// year_of_payments_test.ts with the number of cases of `deno task test:slow`.
import "./year_of_payments_test.ts";
