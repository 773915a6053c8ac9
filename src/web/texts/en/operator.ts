// English: the texts of the operator pages.

export const operator = {};
