// French: the texts of the sign-in pages.
import type { signIn as english } from "../en/sign_in.ts";

export const signIn: typeof english = {};
