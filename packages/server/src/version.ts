/** The version of this package, as it names itself to clients. A test keeps it equal to package.json. */
export const VERSION = '0.1.0';
