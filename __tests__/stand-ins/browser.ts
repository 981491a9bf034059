import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { chromiumPath, openBrowser } from '../../scripts/chromium.ts';
import { temporaryFolder } from './repository.ts';

/** A `describe` that is skipped on a machine without Chromium. */
export const inBrowser = chromiumPath === undefined ? describe.skip : describe;

export const SANS = 'Arimo';
export const MONO = 'Cousine';

const packages = createRequire(import.meta.url);

/** These two have the widths of Arial and Liberation Mono. */
const FOLDERS = [SANS, MONO].map((family) =>
  dirname(packages.resolve(`@expo-google-fonts/${family.toLowerCase()}/package.json`)),
);

const NAMES: Readonly<Record<string, readonly string[]>> = {
  [SANS]: ['sans-serif', 'system-ui', 'Arial', 'Liberation Sans'],
  [MONO]: ['monospace', 'ui-monospace', 'Liberation Mono'],
};

/**
 * Starts a browser that has only the fonts of two packages. The layout of a page is then the same
 * on every machine, with any fonts installed or none.
 */
export function openTestBrowser(): Promise<Browser> {
  const folder = temporaryFolder('fonts');
  const file = join(folder, 'fonts.conf');
  const aliases = Object.entries(NAMES).flatMap(([family, names]) =>
    names.map(
      (name) =>
        `<alias binding="same"><family>${name}</family><prefer><family>${family}</family></prefer></alias>`,
    ),
  );
  writeFileSync(
    file,
    [
      '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd"><fontconfig>',
      ...FOLDERS.map((fonts) => `<dir>${fonts}</dir>`),
      `<cachedir>${join(folder, 'cache')}</cachedir>`,
      ...aliases,
      '</fontconfig>',
    ].join('\n'),
  );
  return openBrowser(file);
}

/** Long, because a busy machine is slow. Without an end, what never appears would stop all tests. */
const MOST_WAIT_MS = 60_000;

export async function openWindow(browser: Browser, options?: BrowserContextOptions): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(MOST_WAIT_MS);
  return page;
}
