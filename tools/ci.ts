// Everything that must hold before a change goes in: the tasks one after the other, with what they print, and a summary.

/** What all of it may take, ms; a task that is not done by then is ended and has failed. */
const LIMIT_MS = 1_500_000;

/** The tasks; each is tried even when one before it failed. */
const STEPS: readonly (readonly string[])[] = [["check"], ["test", "--parallel"], ["demo", "--once"], [
  "compile",
]];

interface Outcome {
  name: string;
  passed: number;
  failed: number;
  seconds: number;
  /** Why the step did not count, null when it did. */
  skipped: string | null;
}

const outcomes: Outcome[] = [];
for (const [task = "", ...rest] of STEPS) {
  const name = [task, ...rest].join(" ");
  print(`\n=== ${name}\n`);
  const startMs = performance.now();
  const { ok, output } = await runTask([task, ...rest]);
  const seconds = Math.round((performance.now() - startMs) / 1000);
  const skipped = !ok && task === "compile" && isMissingBase(output)
    ? "Deno's runtime base for executables could not be downloaded on this machine; nothing else was wrong"
    : null;
  outcomes.push({
    name,
    seconds,
    skipped,
    ...count({ ok: ok || skipped !== null, output, isTest: task === "test" }),
  });
}

print("\n=== summary\n");
for (const { name, passed, failed, seconds, skipped } of outcomes) {
  const verdict = failed > 0 ? "FAILED " : skipped !== null ? "skipped" : "ok     ";
  const counts = passed + failed > 1 ? `, ${passed} passed, ${failed} failed` : "";
  print(`${verdict} ${name} (${seconds} s${counts})${skipped === null ? "" : `: ${skipped}`}\n`);
}
const sum = (key: "passed" | "failed") => outcomes.reduce((total, outcome) => total + outcome[key], 0);
print(`ci: ${sum("passed")} passed, ${sum("failed")} failed\n`);
Deno.exit(sum("failed") === 0 ? 0 : 1);

/** Runs a task with this Deno; prints what it prints while it does. */
async function runTask(args: readonly string[]): Promise<{ ok: boolean; output: string }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", ...args],
    cwd: new URL("..", import.meta.url),
    env: { NO_COLOR: "1", CI: "true" }, // a test that needs what cannot be had fails here instead of being ignored
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const timer = setTimeout(() => {
    print(`not done: the limit of ${LIMIT_MS / 1000} s for everything is reached\n`);
    child.kill("SIGTERM"); // the task runner passes it on to what it runs
  }, LIMIT_MS - performance.now());
  let output = "";
  const pass = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      const text = decoder.decode(bytes, { stream: true });
      output += text;
      print(text);
    }
  };
  const [{ success }] = await Promise.all([child.status, pass(child.stdout), pass(child.stderr)]);
  clearTimeout(timer);
  return { ok: success, output };
}

/** A step counts one; the test step counts its tests, and one failure more where it failed without a failed test. */
function count(
  { ok, output, isTest }: { ok: boolean; output: string; isTest: boolean },
): { passed: number; failed: number } {
  // The last such line is the run's own; tests may have run others.
  const [, passed, failed] =
    [...(isTest ? output : "").matchAll(/\| (\d+) passed.*? \| (\d+) failed/g)].at(-1) ?? [];
  if (passed === undefined) return { passed: ok ? 1 : 0, failed: ok ? 0 : 1 };
  return { passed: Number(passed), failed: ok ? Number(failed) : Math.max(1, Number(failed)) };
}

/** Whether `deno compile` failed for nothing but the download of the base that it puts the program into. */
function isMissingBase(output: string): boolean {
  return /Setting up base binary/.test(output) &&
    /error sending request for url \(\S+\/denort-[^)]*\)/.test(output);
}

function print(text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}
