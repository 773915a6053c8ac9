// English: the texts of the docs pages.

export const docs = {};
