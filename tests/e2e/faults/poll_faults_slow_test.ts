// poll_faults_test.ts with as many cases as `deno task test:slow` asks for.
import "./poll_faults_test.ts";
