import { existsSync } from 'node:fs';

/** The browser that `CHROMIUM` names, or one where systems put it; undefined where there is none. */
export const chromiumPath = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium-browser',
].find((path) => path !== undefined && existsSync(path));
