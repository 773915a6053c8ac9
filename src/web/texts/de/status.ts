// German: the texts of the status pages.
import type { status as english } from "../en/status.ts";

export const status: typeof english = {};
