// English: the texts of the status pages.

export const status = {};
