// HTTP to somewhere else: one request, one answer, bounded while it is read.
import type { Client } from "undici";
import {
  type HttpClient,
  type IncomingResponse,
  NetworkError,
  type OutgoingRequest,
} from "../domain/ports.ts";
import { orAborted } from "./abort.ts";
import { createConnections } from "./connections.ts";
import { readBody } from "./http_body.ts";
import { toNetworkError } from "./network_errors.ts";

/**
 * An HTTP/1.1 client. It takes no proxy from the environment and follows no redirect. It asks for no compression
 * unless the request's headers do, and inflates gzip and deflate.
 */
export function createHttpClient(): HttpClient & { close(): Promise<void> } {
  const connections = createConnections();
  return {
    async request(outgoing) {
      const { url, addresses, authorities, signal } = outgoing;
      signal.throwIfAborted();
      if (addresses?.length === 0) throw new NetworkError("host name not found");
      const target = { origin: url.origin, addresses, authorities };
      const connection = connections.take(target);
      try {
        const { response, isWhole } = await orAborted(exchange(connection.client, outgoing), signal);
        if (isWhole) connections.giveBack(target, connection);
        else connections.drop(connection);
        return response;
      } catch (error) {
        connections.drop(connection);
        throw error;
      }
    },
    close: () => connections.close(),
  };
}

async function exchange(
  client: Client,
  { method, url, headers, body, maxBodyBytes }: OutgoingRequest,
): Promise<{ response: IncomingResponse; isWhole: boolean }> {
  const path = url.pathname + url.search;
  const answer = await client.request({ method, path, headers, body: body ?? null }).catch((error) => {
    throw toNetworkError(error, "connecting");
  });
  const received = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [
      name,
      // A cookie's date holds a comma.
      [value ?? ""].flat().join(name === "set-cookie" ? "\n" : ", "),
    ]),
  );
  const read = await readBody(answer.body, received["content-encoding"] ?? "", maxBodyBytes);
  const response = { status: answer.statusCode, headers: received, ...read };
  return { response, isWhole: answer.body.readableEnded };
}
