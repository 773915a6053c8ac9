// English: the texts of the sign-in pages.

export const signIn = {};
