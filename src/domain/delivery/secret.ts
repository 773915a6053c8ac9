// Webhook secrets: 256 random bits as text.

const SECRET_BYTES = 32;
/** How long a replaced secret keeps signing, ms. */
export const PREVIOUS_SECRET_MS = 86_400_000;

/** Returns 64 lower-case hexadecimal digits from 32 random bytes. */
export function makeSecret(randomBytes: (count: number) => Uint8Array): string {
  return Array.from(randomBytes(SECRET_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
