/** As in package.json, which a test holds it to. */
export const VERSION = '1.0.0';
