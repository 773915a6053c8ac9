// German: the texts of the operator pages.
import type { operator as english } from "../en/operator.ts";

export const operator: typeof english = {};
