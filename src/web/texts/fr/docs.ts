// French: the texts of the docs pages.
import type { docs as english } from "../en/docs.ts";

export const docs: typeof english = {};
