// Regfeed's own version.
import manifest from "../deno.json" with { type: "json" };

/** The version of this Regfeed (semantic versioning). */
export const VERSION: string = manifest.version;
