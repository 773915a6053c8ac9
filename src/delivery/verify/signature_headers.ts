// Finds the three headers of a signed delivery among the headers that a receiver's framework provides.

/** A finding of the diagnosis: a `problem` makes verifiers reject the delivery, a `note` does not. */
export interface Finding {
  kind: "problem" | "note";
  text: string;
}

export function problem(text: string): Finding {
  return { kind: "problem", text };
}

export function note(text: string): Finding {
  return { kind: "note", text };
}

export interface SignatureHeaders {
  id: string;
  timestamp: string;
  /** The signatures with their version, such as `v1,…`. */
  signatures: string[];
}

const NAMES = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

/** Finds the headers, even if they were renamed. `headers` is null if one is missing. */
export function readHeaders(
  given: readonly (readonly [name: string, value: string])[],
): { headers: SignatureHeaders | null; findings: Finding[] } {
  const findings: Finding[] = [];
  const values = new Map<string, string>();
  for (const name of NAMES) {
    const found = given.filter(([own]) => plainName(own) === name);
    const [first] = found;
    if (first === undefined) {
      findings.push(missing(name, given));
      continue;
    }
    if (first[0].toLowerCase() !== name) findings.push(renamed(name, first[0]));
    const different = new Set(found.map(([, value]) => value.trim()));
    if (different.size > 1) {
      findings.push(problem(`${name} occurs ${found.length} times, with different values.`));
    }
    values.set(name, first[1].trim());
  }
  const [id, timestamp, signature] = NAMES.map((name) => values.get(name));
  if (id === undefined || timestamp === undefined || signature === undefined) {
    return { headers: null, findings };
  }
  const { signatures, findings: odd } = readSignatures(signature);
  return { headers: { id, timestamp, signatures }, findings: [...findings, ...odd] };
}

/** Reverses how gateways and frameworks rename headers: `HTTP_WEBHOOK_ID`, `X-Webhook-Id`, `svix-id`. */
function plainName(name: string): string {
  return name.trim().toLowerCase().replaceAll("_", "-").replace(/^http-/, "").replace(/^x-/, "")
    .replace(/^svix-/, "webhook-");
}

function renamed(name: string, found: string): Finding {
  return /^http_/i.test(found)
    ? note(
      `${name} arrived as ${found}, which is how CGI and WSGI name headers. Pass it to libraries as ${name}.`,
    )
    : problem(
      `${name} arrived as ${found}. Pass it to libraries as ${name}, and look for a proxy that renames headers.`,
    );
}

function missing(name: string, given: readonly (readonly [name: string, value: string])[]): Finding {
  const names = given.map(([own]) => own).join(", ");
  const others = names === "" ? "" : ` (received: ${names})`;
  return problem(
    `The header ${name} is missing${others}. Every delivery has it. Did a proxy remove it, or did another ` +
      "client send this request?",
  );
}

function readSignatures(header: string): { signatures: string[]; findings: Finding[] } {
  const findings: Finding[] = [];
  if (/,\s*v1[,=]/.test(header)) {
    findings.push(note(
      "The signatures are separated by commas. Regfeed separates them by spaces, and some verifiers reject commas.",
    ));
  }
  const signatures = header.replace(/,\s*(v1[,=])/g, " $1").split(/\s+/).filter((part) => part !== "");
  if (signatures.length === 0) {
    findings.push(problem("webhook-signature is empty."));
  } else if (!signatures.some((signature) => signature.startsWith("v1,"))) {
    findings.push(
      problem("webhook-signature contains no signature of version v1, which begins with `v1,`."),
    );
  }
  return { signatures, findings };
}
