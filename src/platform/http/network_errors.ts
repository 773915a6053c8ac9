// Maps network errors to short reasons without URLs or IP addresses.
import { NetworkError } from "../../domain/ports/ports.ts";

export type Phase = "connecting" | "reading";

const NOT_VALID = "the certificate is not valid for the host";
const NOT_TRUSTED = "the certificate is not trusted";
const EXPIRED = "the certificate has expired or is not valid yet";
const NO_TLS = "the TLS handshake failed";
export const FAULT = {
  brokeOff: "the response was cut off",
  notHttp: "the response is not valid HTTP",
  notAsLong: "the response does not match its Content-Length",
  tooLargeHead: "the response headers are too large",
  switchesProtocol: "the response switches to another protocol",
  endless: "the response is too long",
  onlyInterim: "too many interim responses (1xx) without a final response",
  notSendable: "the request is not valid HTTP",
} as const;

/** The reasons by error code of the operating system, TLS, undici and zlib. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ECONNABORTED: "connection reset",
  EPIPE: "connection reset",
  ENOTCONN: "connection reset",
  UND_ERR_SOCKET: "connection reset",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  EADDRNOTAVAIL: "network unreachable",
  EAFNOSUPPORT: "network unreachable",
  EACCES: "the connection is not permitted",
  EPERM: "the connection is not permitted",
  ENOTFOUND: "host name not found",
  ENODATA: "host name not found",
  EAI_AGAIN: "the name servers do not respond",
  ESERVFAIL: "the name servers do not respond",
  ERR_TLS_CERT_ALTNAME_INVALID: NOT_VALID,
  CERT_HAS_EXPIRED: EXPIRED,
  CERT_NOT_YET_VALID: EXPIRED,
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
  // Deno 2.9 reports this code for every invalid certificate, except for a certificate of another host.
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the certificate is not trusted or has expired",
  HPE_HEADER_OVERFLOW: FAULT.tooLargeHead,
  UND_ERR_HEADERS_OVERFLOW: FAULT.tooLargeHead,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: FAULT.notAsLong,
  UND_ERR_INVALID_ARG: FAULT.notSendable,
  Z_BUF_ERROR: FAULT.brokeOff,
  Z_DATA_ERROR: "the response does not match its Content-Encoding",
};

/** undici's messages for interim responses that it refuses (RFC 9110, sections 15.2.1 and 15.2.2). */
const REFUSED_INTERIM: Readonly<Record<string, string>> = {
  "bad response": "the response begins with 100 Continue, which was not requested",
  "bad upgrade": FAULT.switchesProtocol,
};

/** The reasons for errors without a code, by the message of rustls, undici's parser or zlib. */
const TEXTS: readonly [RegExp, string][] = [
  [/not valid for name/i, NOT_VALID],
  [/invalid peer certificate: (expired|notvalidyet)|certificate (has )?expired/i, EXPIRED],
  [/invalid peer certificate|UnknownIssuer/i, NOT_TRUSTED],
  [/received fatal alert|corrupt message|handshake|peer is incompatible|close_notify/i, NO_TLS],
  [/does not match the HTTP\/1\.1 protocol/i, FAULT.notHttp],
  [/unexpected end of file/i, FAULT.brokeOff],
  [
    /incorrect header check|invalid (block|stored|code|distance|literal|bit)/i,
    "the response does not match its Content-Encoding",
  ],
];

/** Wraps the error in a {@link NetworkError}. A reset in the phase `reading` means that the response was cut off. */
export function toNetworkError(error: unknown, phase: Phase): NetworkError {
  if (error instanceof NetworkError) return error;
  const reason = reasonOf(error) ?? "the request failed";
  const isCut = phase === "reading" && reason === "connection reset";
  return new NetworkError(isCut ? FAULT.brokeOff : reason, { cause: error });
}

function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = (error as Error & { code?: unknown }).code;
  if (typeof code === "string") {
    const reason = code === "UND_ERR_SOCKET"
      ? REFUSED_INTERIM[error.message] ?? REASONS[code]
      : REASONS[code];
    if (reason !== undefined) return reason;
    if (code.startsWith("HPE_")) return FAULT.notHttp;
    if (code.startsWith("ERR_SSL_")) return NO_TLS;
  }
  const nested = error instanceof AggregateError ? error.errors[0] : error.cause;
  return TEXTS.find(([pattern]) => pattern.test(error.message))?.[1] ?? reasonOf(nested);
}
