// A process that only responds: what requests to it take is the machine's share of what they take elsewhere.
Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(`http://127.0.0.1:${port}`),
}, () => new Response("ok"));
