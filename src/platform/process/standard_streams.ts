// Writes to stdout and stderr, completely and without buffering.

/** Writes the whole text before returning, so that nothing is lost at exit. Returns false if the reader is gone. */
export function writeWhole(stream: { writeSync(bytes: Uint8Array): number }, text: string): boolean {
  const bytes = new TextEncoder().encode(text);
  try {
    for (let at = 0; at < bytes.length;) at += stream.writeSync(bytes.subarray(at));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) return false;
    throw error;
  }
}
