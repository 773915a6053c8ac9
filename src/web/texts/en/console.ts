// English: the texts of the console pages.

export const console = {};
