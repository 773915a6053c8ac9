// Network errors are reduced to short reasons.
import assert from "node:assert/strict";
import { NetworkError } from "../../../src/domain/ports/ports.ts";
import { type Phase, toNetworkError } from "../../../src/platform/http/network_errors.ts";

function coded(code: string, message = "10.0.0.1 said no"): Error {
  return Object.assign(new Error(message), { code });
}

Deno.test("toNetworkError() finds the reason by code or text, even inside other errors", () => {
  const rows: [unknown, Phase, string][] = [
    [coded("ECONNREFUSED"), "connecting", "connection refused"],
    [coded("ECONNRESET"), "connecting", "connection reset"],
    [coded("ENOTCONN", "Transport endpoint is not connected"), "connecting", "connection reset"],
    [coded("ECONNRESET"), "reading", "the response was cut off"],
    [coded("UND_ERR_SOCKET", "other side closed"), "reading", "the response was cut off"],
    [coded("ENOTFOUND"), "connecting", "host name not found"],
    [coded("EAI_AGAIN"), "connecting", "the name servers do not respond"],
    [coded("HPE_INVALID_CONSTANT"), "connecting", "the response is not valid HTTP"],
    [coded("HPE_INVALID_CHUNK_SIZE"), "reading", "the response is not valid HTTP"],
    [coded("ERR_SSL_WRONG_VERSION_NUMBER"), "connecting", "the TLS handshake failed"],
    [coded("ERR_TLS_CERT_ALTNAME_INVALID"), "connecting", "the certificate is not valid for the host"],
    [
      new Error('invalid peer certificate: certificate not valid for name "a.test"; certificate is only …'),
      "connecting",
      "the certificate is not valid for the host",
    ],
    [new Error("invalid peer certificate: UnknownIssuer"), "connecting", "the certificate is not trusted"],
    [
      new Error("invalid peer certificate: Expired"),
      "connecting",
      "the certificate has expired or is not valid yet",
    ],
    [new Error("unexpected end of file"), "reading", "the response was cut off"],
    [new AggregateError([coded("EHOSTUNREACH"), coded("ECONNREFUSED")]), "connecting", "host unreachable"],
    [new Error("fetch failed", { cause: coded("ECONNREFUSED") }), "connecting", "connection refused"],
    [new Error("10.0.0.1 did something new"), "connecting", "the request failed"],
    ["a text", "connecting", "the request failed"],
  ];
  for (const [error, phase, reason] of rows) {
    const found = toNetworkError(error, phase);
    assert.equal(found.reason, reason, String(error));
    assert.equal(found.cause, error);
  }
});

Deno.test("toNetworkError() returns a NetworkError unchanged", () => {
  const error = new NetworkError("said already");
  assert.equal(toNetworkError(error, "reading"), error);
});
