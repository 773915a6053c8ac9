// A real mail server, from the smtp-server package.
import { Buffer } from "node:buffer";
import { SMTPServer } from "npm:smtp-server@3.21.6";

// deno-lint-ignore no-explicit-any -- the package brings no types
export type SmtpOptions = Record<string, any>;

export interface TakenMail {
  to: string[];
  raw: string;
}

/** Runs the work with a mail server on a free port. Without a `key` in the options, it does not offer STARTTLS. */
export async function withSmtpServer(
  options: SmtpOptions,
  work: (port: number, taken: TakenMail[]) => Promise<void>,
): Promise<void> {
  const taken: TakenMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key === undefined ? ["STARTTLS"] : [],
    // deno-lint-ignore no-explicit-any -- as above
    onData(stream: any, session: any, done: (error?: Error | null) => void) {
      const chunks: Uint8Array[] = [];
      stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }: { address: string }) => address);
        taken.push({ to, raw: Buffer.concat(chunks).toString() });
        done(null);
      });
    },
    ...options,
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as { port: number };
  try {
    await work(port, taken);
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}
