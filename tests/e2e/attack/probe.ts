// A process that asks for a URL again and again: it is its argument, the times go to stdout as JSON at its end.

const PAUSE_MS = 20;

const [address = ""] = Deno.args;
const tookMs: number[] = [];
let isOver = false;
Deno.addSignalListener("SIGTERM", () => isOver = true);
while (!isOver) {
  const startMs = performance.now();
  const response = await fetch(address);
  await response.body?.cancel();
  if (response.status !== 200) throw new Error(`responded with ${response.status}`);
  tookMs.push(performance.now() - startMs);
  await new Promise((later) => setTimeout(later, PAUSE_MS));
}
console.log(JSON.stringify(tookMs));
Deno.exit();
