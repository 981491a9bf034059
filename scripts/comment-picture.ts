/**
 * Runs the demo and photographs its comment, light and dark, into docs/images/. Needs Chromium
 * (CHROMIUM, or where systems put it).
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { runDemo } from '../src/commands/demo.ts';
import { chromiumPath } from './chromium.ts';
import {
  commentPage,
  pictureFile,
  pictureKey,
  THEMES,
  WIDTH,
  withKey,
  type Theme,
} from './comment-page.ts';

/**
 * A README is loaded over and over: the sharpest picture that stays below this many bytes is taken.
 */
const MOST_BYTES = 300_000;
const SCALES = [2, 1.5, 1.25, 1] as const;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
if (chromiumPath === undefined) throw new Error('no Chromium was found; name one in CHROMIUM');

async function photograph(browser: Browser, comment: string, theme: Theme): Promise<Buffer> {
  for (const deviceScaleFactor of SCALES) {
    const page = await browser.newPage({
      viewport: { width: WIDTH, height: 100 },
      deviceScaleFactor,
    });
    await page.setContent(commentPage(comment, theme));
    const picture = withKey(await page.screenshot({ fullPage: true }), pictureKey(comment, theme));
    await page.close();
    if (picture.length < MOST_BYTES) return picture;
  }
  throw new Error(`the ${theme} picture is larger than ${String(MOST_BYTES)} bytes at every scale`);
}

const { comment, folder } = await runDemo(() => undefined);
rmSync(folder, { recursive: true, force: true });
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
});
try {
  for (const theme of THEMES) {
    const file = join(root, pictureFile(theme));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, await photograph(browser, comment, theme));
  }
} finally {
  await browser.close();
}
