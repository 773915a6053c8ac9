// The protocol between benchmark processes: a line of JSON on stdin is a job, and a line of JSON on stdout is its
// result.

/** Prints the result of `answer` for each line of stdin, one after the other, until stdin ends. */
export async function answerLines<Ask>(answer: (ask: Ask) => Promise<unknown>): Promise<void> {
  for await (const line of linesOf(Deno.stdin.readable)) {
    console.log(JSON.stringify(await answer(JSON.parse(line) as Ask)));
  }
}

export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (text + chunk).split("\n");
    text = lines.pop() ?? "";
    yield* lines;
  }
}
