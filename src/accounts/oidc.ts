// Signs operators in with OpenID Connect: authorization code flow with PKCE, through the platform's HTTP client.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Configuration } from "openid-client";
import { isMailAddress } from "../domain/customer/mail.ts";
import { isOperatorName } from "../domain/customer/session.ts";
import {
  type Clock,
  DeadlineError,
  type HttpClient,
  NetworkError,
  type Random,
} from "../domain/ports/ports.ts";

export interface OidcSettings {
  issuer: string;
  clientId: string;
  /** Null for a public client. */
  clientSecret: string | null;
  scopes: readonly string[];
  /** The claim that lists the groups. */
  groupsClaim: string;
  operatorGroups: readonly string[];
  /** Verified email addresses of operators, in lower case. */
  operatorEmails: readonly string[];
  /** PEM certificates of additional authorities for the issuer, or null. */
  authorities: (() => Promise<string>) | null;
}

/** What the browser keeps, in a cookie, between the start and the end of a sign-in. */
interface OidcAttempt {
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
}

/**
 * Why a sign-in failed. `unreachable`: the issuer does not respond, or not as OpenID Connect requires. `cancelled`: the
 * issuer refused, or the person did. `state`: the response belongs to no attempt of this browser. `signature`, `issuer`,
 * `audience`, `nonce` and `expired` are about the ID token, and `code` about the authorization code. `not_operator`: the
 * person is neither in a group nor in the list of operators.
 */
const OIDC_FAULTS = [
  "unreachable",
  "cancelled",
  "state",
  "code",
  "signature",
  "issuer",
  "audience",
  "nonce",
  "expired",
  "token",
  "not_operator",
] as const;

export type OidcFault = typeof OIDC_FAULTS[number];

/** Thrown when a sign-in fails. The message is for the log and contains no token and no email address. */
export class OidcError extends Error {
  override readonly name = "OidcError";
  constructor(readonly fault: OidcFault, message: string, options?: ErrorOptions) {
    super(message, options);
  }
}

interface Oidc {
  /** Returns the issuer's URL to which the browser must go, and what it must keep. */
  begin(returnTo: string): Promise<{ url: string; attempt: OidcAttempt }>;
  /** Checks the issuer's response, and returns the name of the operator. `callback` is the URL with its query. */
  finish(callback: URL, attempt: OidcAttempt): Promise<string>;
}

/** Time limit for each request, ms. */
const REQUEST_MS = 10_000;
const MAX_RESPONSE_BYTES = 1_048_576;
/** How long the issuer's configuration is kept, ms. */
const CONFIGURATION_MS = 3_600_000;
/** Accepted difference between this machine's clock and the issuer's, s. */
const CLOCK_TOLERANCE_S = 30;
const RANDOM_BYTES = 32;
export function createOidc(
  settings: OidcSettings,
  { clock, random, http, redirectUri }: {
    clock: Pick<Clock, "nowMs" | "within">;
    random: Pick<Random, "bytes">;
    http: HttpClient;
    redirectUri: string;
  },
): Oidc {
  let known: { configuration: Configuration; atMs: number } | null = null;
  let discovering: Promise<Configuration> | null = null;

  const discover = async (): Promise<Configuration> => {
    const client = await import("openid-client");
    const { issuer, clientId, clientSecret } = settings;
    const metadata = {
      ...(clientSecret === null ? {} : { client_secret: clientSecret }),
      [client.clockTolerance]: CLOCK_TOLERANCE_S,
    };
    const authentication = clientSecret === null ? client.None() : undefined;
    return await client.discovery(new URL(issuer), clientId, metadata, authentication, {
      [client.customFetch]: fetchThrough(http, { clock, authorities: await settings.authorities?.() }),
      execute: [
        // An ID token is accepted only with the issuer's signature, even though it comes from the issuer directly.
        client.enableNonRepudiationChecks,
        ...(issuer.startsWith("http:") ? [client.allowInsecureRequests] : []),
      ],
    });
  };

  const configure = async (): Promise<Configuration> => {
    if (known !== null && Math.abs(clock.nowMs() - known.atMs) < CONFIGURATION_MS) return known.configuration;
    // Visitors who begin at the same time share one request, so that they cannot make this service flood the issuer.
    discovering ??= discover().finally(() => discovering = null);
    const configuration = await discovering;
    known = { configuration, atMs: clock.nowMs() };
    return configuration;
  };

  /** Runs a step. Every error becomes an {@link OidcError}. */
  const step = async <T>(work: (configuration: Configuration) => Promise<T>): Promise<T> => {
    try {
      return await work(await configure());
    } catch (error) {
      throw error instanceof OidcError ? error : explain(error);
    }
  };

  const randomText = () => Buffer.from(random.bytes(RANDOM_BYTES)).toString("base64url");

  return {
    begin: (returnTo) =>
      step(async (configuration) => {
        const { buildAuthorizationUrl } = await import("openid-client");
        const attempt = { state: randomText(), nonce: randomText(), verifier: randomText(), returnTo };
        const url = buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: settings.scopes.join(" "),
          state: attempt.state,
          nonce: attempt.nonce,
          code_challenge: createHash("sha256").update(attempt.verifier).digest("base64url"),
          code_challenge_method: "S256",
        });
        return { url: url.href, attempt };
      }),

    finish: (callback, attempt) => {
      if (callback.searchParams.get("state") !== attempt.state) {
        return Promise.reject(new OidcError("state", "the response belongs to no sign-in of this browser"));
      }
      return step(async (configuration) => {
        const { authorizationCodeGrant, fetchUserInfo } = await import("openid-client");
        const tokens = await authorizationCodeGrant(configuration, callback, {
          pkceCodeVerifier: attempt.verifier,
          expectedState: attempt.state,
          expectedNonce: attempt.nonce,
          idTokenExpected: true,
        });
        const claims: Claims | undefined = tokens.claims();
        if (claims === undefined) throw new OidcError("token", "the issuer sent no ID token");
        const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
        // Some issuers send groups only here.
        const more: Claims = claims[settings.groupsClaim] === undefined && hasUserInfo
          ? await fetchUserInfo(configuration, tokens.access_token, String(claims["sub"]))
          : {};
        return operatorOf({ ...more, ...claims }, settings);
      });
    },
  };
}

type Claims = Readonly<Record<string, unknown>>;

/** Returns the operator's name. Throws an {@link OidcError} if the claims do not belong to an operator. */
export function operatorOf(claims: Claims, settings: OidcSettings): string {
  const { groupsClaim, operatorGroups, operatorEmails } = settings;
  const claimed = claims[groupsClaim];
  const groups = Array.isArray(claimed) ? claimed : [claimed];
  const { email } = claims;
  const verified = typeof email === "string" && isMailAddress(email) && claims["email_verified"] === true
    ? email
    : null;
  const isListed = verified !== null && operatorEmails.includes(verified.toLowerCase());
  if (!isListed && !groups.some((group) => operatorGroups.includes(group))) {
    const has = claimed === undefined ? `the claim "${groupsClaim}" is missing` : "no group matches";
    throw new OidcError("not_operator", `not an operator: ${has}; see console.oidc.operator_groups`);
  }
  // Users of some issuers can change their other names, and the audit log must not be deceived.
  const names = [verified, claims["sub"]];
  return names.find((name): name is string => typeof name === "string" && isOperatorName(name)) ?? "oidc";
}

/** Returns a `fetch` for the library, which sends requests through the platform, within limits. */
function fetchThrough(
  http: HttpClient,
  { clock, authorities }: { clock: Pick<Clock, "within">; authorities: string | undefined },
) {
  return async (
    url: string,
    { method, headers, body }: { method: string; headers: Record<string, string>; body?: unknown },
  ): Promise<Response> => {
    const request = {
      method: method === "POST" ? "POST" as const : "GET" as const,
      url: new URL(url),
      headers,
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      ...(authorities === undefined ? {} : { authorities }),
      maxBodyBytes: MAX_RESPONSE_BYTES,
    };
    const response = await clock.within(REQUEST_MS, (signal) => http.request({ ...request, signal }));
    if (response.truncated) throw new NetworkError("the response is too large");
    const hasBody = response.status !== 204 && response.status !== 304;
    return new Response(hasBody ? new Uint8Array(response.body) : null, {
      status: response.status,
      headers: { "content-type": response.headers["content-type"] ?? "" },
    });
  };
}

/** The claim of the ID token that the library names, and the fault. */
const CLAIM_FAULTS: Readonly<Record<string, OidcFault>> = {
  iss: "issuer",
  aud: "audience",
  azp: "audience",
  nonce: "nonce",
  exp: "expired",
  iat: "expired",
  nbf: "expired",
};

function explain(error: unknown): OidcError {
  const causes: unknown[] = [];
  for (let cause = error; cause !== undefined && cause !== null && causes.length < 9;) {
    causes.push(cause);
    cause = (cause as { cause?: unknown }).cause;
  }
  const network = causes.find((cause) => cause instanceof NetworkError || cause instanceof DeadlineError);
  if (network !== undefined) {
    const message = `the issuer cannot be reached: ${(network as Error).message}`;
    return new OidcError("unreachable", message, { cause: error });
  }
  const { code = "" } = error as { code?: string };
  const claim = causes.map((cause) => (cause as { claim?: unknown }).claim)
    .find((one) => typeof one === "string");
  // The library's messages are constant, and the second one is more precise.
  const messages = causes.filter((cause) => cause instanceof Error).slice(0, 2).map(({ message }) => message);
  const message = [...messages, ...(claim === undefined ? [] : [claim])].join(": ");
  return new OidcError(faultOf(code, message, String(claim)), `${message} (${code || "no code"})`, {
    cause: error,
  });
}

function faultOf(code: string, message: string, claim: string): OidcFault {
  const fault = CLAIM_FAULTS[claim];
  if (fault !== undefined) return fault;
  if (code === "OAUTH_AUTHORIZATION_RESPONSE_ERROR") return "cancelled";
  if (code === "OAUTH_RESPONSE_BODY_ERROR") return "code";
  if (code === "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED") return "issuer";
  if (/signature/i.test(message)) return "signature";
  if (code === "OAUTH_RESPONSE_IS_NOT_CONFORM" || code === "OAUTH_RESPONSE_IS_NOT_JSON") return "unreachable";
  return "token";
}
