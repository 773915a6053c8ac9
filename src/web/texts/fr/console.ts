// French: the texts of the console pages.
import type { console as english } from "../en/console.ts";

export const console: typeof english = {};
