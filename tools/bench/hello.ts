// The least server that an executable can hold: what the start of Regfeed's is measured beside.
const [port] = Deno.args;
Deno.serve(
  { hostname: "127.0.0.1", port: Number(port), onListen: () => {} },
  () => new Response("hello"),
);
