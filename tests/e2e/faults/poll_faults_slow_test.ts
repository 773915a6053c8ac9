// poll_faults_test.ts with the number of cases of `deno task test:slow`.
import "./poll_faults_test.ts";
