// The request of an operation in curl, JavaScript and Python. URL and key are in the environment, as in the guides.
import type { DocumentedOperation } from "../../../wire/openapi.ts";
import type { Sample } from "../code.ts";

/** A request with the examples of the API description. */
interface ExampleRequest {
  method: string;
  path: string;
  hasKey: boolean;
  body: unknown;
}

/** Whether requests must be signed. Such operations have no example, because only the sender can make one. */
export function isSigned({ operation: { security } }: DocumentedOperation): boolean {
  return security.some((scheme) => !("key" in scheme));
}

export function samplesOf(documented: DocumentedOperation): Sample[] {
  const request = exampleRequest(documented);
  return [
    { lang: "sh", text: inCurl(request) },
    { lang: "js", text: inJavaScript(request) },
    { lang: "python", text: inPython(request) },
  ];
}

function exampleRequest({ method, path, operation }: DocumentedOperation): ExampleRequest {
  const parameters = operation.parameters ?? [];
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const [example] = parameters.find((parameter) => parameter.name === name)?.schema.examples ?? [];
    return typeof example === "string" ? example : `{${name}}`;
  });
  return {
    method: method.toUpperCase(),
    path: filled,
    hasKey: operation.security.length > 0,
    body: operation.requestBody?.content["application/json"]?.example,
  };
}

function inCurl({ method, path, hasKey, body }: ExampleRequest): string {
  return [
    `curl${method === "GET" ? "" : ` -X ${method}`} "$REGFEED_URL${path}"`,
    ...(hasKey ? ['-H "Authorization: Bearer $REGFEED_KEY"'] : []),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(body)}'`]),
  ].join(" \\\n  ");
}

function inJavaScript({ method, path, hasKey, body }: ExampleRequest): string {
  const headers = [
    ...(hasKey ? ["authorization: `Bearer ${process.env.REGFEED_KEY}`"] : []),
    ...(body === undefined ? [] : ['"content-type": "application/json"']),
  ];
  const options = [
    ...(method === "GET" ? [] : [`method: "${method}"`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(", ")} }`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${indented(body)})`]),
  ];
  const url = `\`\${process.env.REGFEED_URL}${path}\``;
  return `const response = await fetch(${url}${
    options.length === 0 ? "" : `, {\n${options.map((option) => `  ${option},\n`).join("")}}`
  });
console.log(await response.json());`;
}

function inPython({ method, path, hasKey, body }: ExampleRequest): string {
  const headers = [
    ...(hasKey ? ['"Authorization": "Bearer " + os.environ["REGFEED_KEY"]'] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const options = [
    `os.environ["REGFEED_URL"] + "${path}"`,
    ...(body === undefined ? [] : [`data=json.dumps(${pythonOf(indented(body))}).encode()`]),
    ...(headers.length === 0 ? [] : [`headers={${headers.join(", ")}}`]),
    ...(method === "GET" ? [] : [`method="${method}"`]),
  ];
  return `import json, os
from urllib.request import Request, urlopen

request = Request(
${options.map((option) => `    ${option},\n`).join("")})
with urlopen(request) as response:
    print(json.load(response))`;
}

/** A body on one line, with spaces. */
function indented(body: unknown): string {
  return JSON.stringify(body, null, 1).replace(/\n */g, " ");
}

/** JSON as Python; the examples contain no such words in strings. */
function pythonOf(json: string): string {
  return json.replace(/\btrue\b/g, "True").replace(/\bfalse\b/g, "False").replace(/\bnull\b/g, "None");
}
