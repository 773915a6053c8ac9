// A minimal server. It is compiled into an executable whose start is compared with that of Regfeed's executable.
const [port] = Deno.args;
Deno.serve(
  { hostname: "127.0.0.1", port: Number(port), onListen: () => {} },
  () => new Response("hello"),
);
