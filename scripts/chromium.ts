import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** The browser that `CHROMIUM` names, or one where systems put it; undefined where there is none. */
export const chromiumPath = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium-browser',
].find((path) => path !== undefined && existsSync(path));

/**
 * Starts it. Without the pages behind its address bar, of which every window draws two that nobody
 * sees: they take as much of the processor as all else.
 */
export function openBrowser(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('no Chromium was found; name one in CHROMIUM');
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
    ],
  });
}
