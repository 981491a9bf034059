/**
 * Runs the demo and takes screenshots of its comment, its report's first screen and the workbench,
 * in both themes, for docs/images/. Needs Chromium (in `CHROMIUM` or a usual location).
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { serveWorkbench } from '../src/features/workbench/server.ts';
import { openBrowser } from './chromium.ts';
import { commentPage, THEMES, type Theme } from './comment-page.ts';
import {
  PICTURE_NAMES,
  PICTURES,
  pictureFile,
  pictureKey,
  shownBy,
  withKey,
  type PictureName,
} from './demo-pictures.ts';
import { runDemo } from './pull-request.ts';

/** Uses the largest scale within the size limit, because a README is loaded often. */
const SCALES = [2, 1.5, 1.25, 1] as const;

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const demo = await runDemo(() => undefined);
const shown = await shownBy(demo);
rmSync(demo.folder, { recursive: true, force: true });

const workbench = await serveWorkbench(0, {
  view: () => shown.workbench,
  sent: () => null,
  act: () => Promise.resolve({ said: 'a picture', bad: true }),
});

const OPEN: Readonly<Record<PictureName, (page: Page, theme: Theme) => Promise<void>>> = {
  comment: (page, theme) => page.setContent(commentPage(shown.comment, theme)),
  report: (page) => page.setContent(shown.report),
  async workbench(page) {
    await page.goto(workbench.url);
    await page.locator('.case summary').first().click();
    await page.locator('.panel').waitFor();
  },
};

async function photograph(browser: Browser, name: PictureName, theme: Theme): Promise<Buffer> {
  const { width, height, mostBytes } = PICTURES[name];
  for (const deviceScaleFactor of SCALES) {
    const page = await browser.newPage({
      viewport: { width, height: height ?? 100 },
      colorScheme: theme,
      deviceScaleFactor,
    });
    await OPEN[name](page, theme);
    const png = await page.screenshot({ fullPage: height === null });
    await page.close();
    const picture = withKey(png, pictureKey(name, shown, theme));
    if (picture.length < mostBytes) return picture;
  }
  throw new Error(`${pictureFile(name, theme)} is larger than ${String(mostBytes)} bytes`);
}

const browser = await openBrowser();
try {
  for (const name of PICTURE_NAMES)
    for (const theme of THEMES) {
      const file = join(root, pictureFile(name, theme));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, await photograph(browser, name, theme));
    }
} finally {
  await browser.close();
  await workbench.close();
}
