import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Path of the browser: `CHROMIUM`, or a usual location. Undefined if none exists. */
export const chromiumPath = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium-browser',
].find((path) => path !== undefined && existsSync(path));

/**
 * Starts Chromium without the two hidden pages of its address bar, which take as much processor
 * time as everything else.
 *
 * @param fonts a configuration file of fontconfig that replaces the machine's fonts (Linux only)
 */
export function openBrowser(fonts?: string): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('no Chromium was found; name one in CHROMIUM');
  return chromium.launch({
    executablePath: chromiumPath,
    // A busy machine starts it slowly. Whoever waits has a limit of their own.
    timeout: 0,
    ...(fonts === undefined ? {} : { env: { ...process.env, FONTCONFIG_FILE: fonts } }),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
    ],
  });
}
