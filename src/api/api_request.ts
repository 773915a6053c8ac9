// A request to the API, with its route, client, quota and refusal.
import type { RequestAllowance } from "../domain/customer/remaining_requests.ts";
import type { Client, ClientOf, Remote } from "../http/client_address.ts";
import type { Refusal } from "../http/ip_rate_limit.ts";
import type { FoundPage } from "../http/page_visit.ts";
import { addressOf } from "../http/request_url.ts";
import type { RequestContext } from "./responses.ts";

export class ApiRequest implements RequestContext {
  allowance: RequestAllowance | null = null;
  isPublic = true;
  refusal?: Refusal;
  /** The path of the request's route; null before routing and for unknown paths. */
  route: string | null = null;
  /** The page of the request; null for requests to the API. */
  page: FoundPage | null = null;
  /** Whether the request has a key and its route requires one, or its route requires a signature. */
  hasCredentials = false;
  /** The path and query as sent. */
  readonly address: string;
  #client: Client | null = null;

  constructor(
    readonly request: Request,
    readonly requestId: string,
    private readonly connection: { remote: Remote; clientOf: ClientOf },
  ) {
    this.address = addressOf(request);
  }

  get connected(): string {
    const { remote } = this.connection;
    return typeof remote === "string" ? remote : remote.remoteAddress;
  }

  /** The client behind trusted proxies, computed on first use. */
  get client(): Client {
    return this.#client ??= this.connection.clientOf(this.connected, this.request.headers);
  }
}
