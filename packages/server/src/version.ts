/** Kept equal to package.json by a test: reading a file at the start costs more than a line here. */
export const VERSION = '0.1.0';
