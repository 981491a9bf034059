import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { chromium, type Browser, type Page } from 'playwright-core';
import { renderHtml } from '../../src/report/html.ts';
import type { Result } from '../../src/types.ts';
import { hostile, nothingAffected, regression } from './results.ts';

/** The report in a real browser, where there is one; elsewhere these tests are shown as skipped. */
const executable = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome', '/usr/bin/chromium-browser'].find((path) => path !== undefined && existsSync(path));
const inBrowser = executable === undefined ? describe.skip : describe;

jest.setTimeout(60_000);

inBrowser('the HTML report in a browser', () => {
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'evaldiff-html-'));
    browser = await chromium.launch({ executablePath: executable ?? '', args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'] });
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  /** The page of a result, with everything it complains about or asks for. */
  async function opened(result: Result): Promise<{ page: Page; complaints: string[] }> {
    const file = join(folder, 'report.html');
    writeFileSync(file, await renderHtml(result));
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => { complaints.push(dialog.message()); void dialog.dismiss(); });
    page.on('request', (request) => { if (request.url() !== pathToFileURL(file).href) complaints.push(request.url()); });
    await page.goto(pathToFileURL(file).href);
    return { page, complaints };
  }

  const shownIds = (page: Page): Promise<string[]> => page.locator('details.case:visible > summary code').allTextContents();

  test.each([['a regression', regression], ['hostile text', hostile], ['nothing affected', nothingAffected]] as const)('of %s runs within its policy and asks for nothing', async (_what, build) => {
    const { page, complaints } = await opened(build());
    expect(complaints).toEqual([]);
    expect(await page.locator('h1').count()).toBe(1);
    // The style applies: without it the page would be as wide as the window.
    expect((await page.locator('main').boundingBox())?.width).toBe(1120);
  });

  test('filters by status and by text, and says how many are shown', async () => {
    const { page } = await opened(regression());
    const says = page.locator('#filter output');
    expect(await says.textContent()).toBe('26 of 26 shown');
    await page.locator('#filter input[value=unchanged]').uncheck();
    expect(await says.textContent()).toBe('7 of 26 shown');
    expect(await page.locator('section.suite:visible').count()).toBe(2);
    await page.locator('#filter input[type=search]').fill('ottawa');
    expect(await shownIds(page)).toEqual(['canada']);
    await page.locator('#filter input[type=search]').fill('no such words');
    expect(await says.textContent()).toBe('0 of 26 shown');
  });

  test('opens and closes what is shown', async () => {
    const { page } = await opened(regression());
    await page.locator('#filter input[value=unchanged]').uncheck();
    await page.getByRole('button', { name: 'Open all' }).click();
    expect(await page.locator('details.case[open]').count()).toBe(7);
    expect(await page.getByText('The capital of Australia is').first().isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Close all' }).click();
    expect(await page.locator('details.case[open]').count()).toBe(0);
  });
});
