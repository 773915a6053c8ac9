// A program that repeatedly requests /livez at the URL in its argument, and finally prints the response times as
// JSON.

const PAUSE_MS = 20;

const [address = ""] = Deno.args;
const tookMs: number[] = [];
let isOver = false;
Deno.addSignalListener("SIGTERM", () => isOver = true);
while (!isOver) {
  const startMs = performance.now();
  const response = await fetch(`${address}/livez`);
  await response.body?.cancel();
  if (response.status !== 200) throw new Error(`/livez responded with ${response.status}`);
  tookMs.push(performance.now() - startMs);
  await new Promise((later) => setTimeout(later, PAUSE_MS));
}
console.log(JSON.stringify(tookMs));
Deno.exit();
