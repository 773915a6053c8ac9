// The log checks find secrets and private data.
import assert from "node:assert/strict";
import { checkLines, checkStderr } from "./quiet.ts";

const TIME = "2026-08-01T10:00:00.000Z";

Deno.test("checkStderr() finds keys, secrets and addresses", () => {
  const loud = [
    `rgf_${"0a".repeat(32)}`,
    "x whsec_abcdefgh",
    "a".repeat(64),
    `${TIME} INFO  mail     mail sent to=ana@firm.example`,
    `{"time":"${TIME}","level":"info","to":"ana@firm.example"}`,
    "authorization: Bearer abc",
    "smtp://user:hush@mail.example",
  ];
  for (const line of loud) assert.throws(() => checkStderr(`fine\n${line}\n`), /stderr contains/, line);
  checkStderr(
    [
      "no customer ana@firm.example: customer add makes one",
      `${TIME} WARN  payment  rgf_[redacted] whsec_[redacted] Bearer [redacted] smtp://user:[redacted]@mail.example`,
    ].join("\n"),
  );
});

Deno.test("checkLines() finds sent texts and private values in any field", () => {
  const line = (
    cause: string,
  ) => [{ area: "mail", level: "info" as const, message: "said", fields: { cause } }];
  assert.throws(() => checkLines(line("to ana@firm.example"), []), /an email address/);
  assert.throws(() => checkLines(line("the text of a body"), ["text of a body"]), /text of a body/);
  checkLines(line("refused (550)"), ["text of a body"]);
});
