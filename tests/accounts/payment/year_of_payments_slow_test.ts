// year_of_payments_test.ts with as many cases as `deno task test:slow` asks for.
import "./year_of_payments_test.ts";
