// A minimal server, compiled into the executable with which the start of Regfeed's is compared.
const [port] = Deno.args;
Deno.serve(
  { hostname: "127.0.0.1", port: Number(port), onListen: () => {} },
  () => new Response("hello"),
);
