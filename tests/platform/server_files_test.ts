// A server that runs out of file descriptors recovers.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const PROBE = fileURLToPath(new URL("deaf_probe.ts", import.meta.url));
const FILES = 200;

Deno.test("a server recovers from more connections than open files", async () => {
  const child = new Deno.Command("sh", {
    args: ["-c", `ulimit -n ${FILES}; exec "$0" run -A "$1"`, Deno.execPath(), PROBE],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const port = Number((await reader.read()).value);
  const connections: Deno.TcpConn[] = [];
  for (let n = 0; n < 2 * FILES; n++) {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => null);
    if (connection !== null) connections.push(connection);
  }
  for (const connection of connections) connection.close();
  let text = "";
  for (let tries = 0; text === "" && tries < 50; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    text = await fetch(`http://127.0.0.1:${port}/`).then((response) => response.text()).catch(() => "");
  }
  assert.equal(text, "hello");
  await child.stdin.close();
  let said = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) said += read.value;
  // Logged once a minute.
  assert.equal(said, "the limit on open files has been reached\n");
  await child.status;
});
