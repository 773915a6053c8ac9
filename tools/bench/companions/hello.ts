// A minimal server. The start of its executable is compared with the start of Regfeed's executable.
const [port] = Deno.args;
Deno.serve(
  { hostname: "127.0.0.1", port: Number(port), onListen: () => {} },
  () => new Response("hello"),
);
