// How the processes of a bench talk: a line of JSON on stdin asks, a line of JSON on stdout answers.

/** Answers each line of stdin with what `answer` gives for it, one after the other, until stdin ends. */
export async function answerLines<Ask>(answer: (ask: Ask) => Promise<unknown>): Promise<void> {
  for await (const line of linesOf(Deno.stdin.readable)) {
    console.log(JSON.stringify(await answer(JSON.parse(line) as Ask)));
  }
}

/** The lines of a stream of bytes. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (text + chunk).split("\n");
    text = lines.pop() ?? "";
    yield* lines;
  }
}
