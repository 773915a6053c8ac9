// Includes poll_faults_test.ts in `deno task test:slow`, which runs more cases.
import "./poll_faults_test.ts";
