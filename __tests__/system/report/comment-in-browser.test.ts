import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { commentPage, THEMES, type Theme } from '../../../scripts/comment-page.ts';
import { runPullRequest } from '../../../scripts/pull-request.ts';
import type { Result } from '../../../src/kernel/result/result.ts';
import { inBrowser, openTestBrowser, openWindow } from '../../stand-ins/browser.ts';
import { renderComment } from '../../stand-ins/reports.ts';
import {
  green,
  hostile,
  neutral,
  referenceOf,
  regression,
  resultOf,
  score,
  sideOf,
  suiteOf,
} from '../../unit/report/results.ts';
import { ROOT } from '../end-to-end/runner.ts';

const marker = '<!-- evaldiff -->';
const links = {
  run: 'https://github.com/acme/support/actions/runs/123',
  report: 'https://github.com/acme/support/actions/runs/123/artifacts/4',
  place: (file: string, line: number) =>
    `https://github.com/acme/support/blob/9e8d7c6/${file}#L${line}`,
};

const LOOKS = THEMES.flatMap((theme) => [860, 390].map((width): [Theme, number] => [theme, width]));

/** Height of the first screen by width, for a phone and a laptop, in pixels. */
const SCREEN = { 390: 1030, 860: 800 } as const;

inBrowser("a comment in GitHub's style", () => {
  let browser: Browser;
  // Shared by all tests, because opening a window is slow.
  let page: Page;
  beforeAll(async () => {
    browser = await openTestBrowser();
    page = await openWindow(browser);
  });
  afterAll(() => browser.close());

  async function show(html: string, theme: Theme, width: number) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: theme });
    await page.goto('about:blank');
    await page.setContent(html);
  }

  const shown = (result: Result, theme: Theme, width: number) =>
    show(commentPage(renderComment(result, { marker, links }), theme), theme, width);

  const openFolds = () =>
    page.evaluate('for (const fold of document.querySelectorAll("details")) fold.open = true');

  /** The right and bottom edge of the first element with these words, in pixels. */
  async function endOf(selector: string, words: string) {
    const box = await page.locator(selector, { hasText: words }).first().boundingBox();
    if (box === null) throw new Error(`${words} is not shown`);
    return { right: box.x + box.width, bottom: box.y + box.height };
  }

  test.each(LOOKS)(
    'the comment in %s at %i pixels shows verdict, changes and worst answers on the first screen',
    async (theme, width) => {
      await shown(regression(), theme, width);
      const screen = SCREEN[width === 390 ? 390 : 860];
      for (const [selector, words] of [
        ['h3', 'Regressed: capitals'],
        ['li', 'capitals 92 → 82 %: 3 of 17 tests broke'],
        ['p', 'What changed: prompts/capitals.yaml:4'],
        ['pre', 'What is the capital of {{country}}?'],
        ['p', 'What it did: australia'],
        ['tr', 'Base'],
        ['tr', 'The capital of Australia is Canberra.'],
      ] as const) {
        const { right, bottom } = await endOf(selector, words);
        expect({ words, within: right <= width && bottom <= screen }).toEqual({
          words,
          within: true,
        });
      }
      // Only tables and code may be wider than the screen; they scroll inside themselves.
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      await openFolds();
      const table = page.locator('table', { hasText: 'Pass rate' }).first();
      const cut = await table.evaluate((element) => element.scrollWidth - element.clientWidth);
      expect(cut).toBe(0);
      const verdict = await page.locator('td', { hasText: 'regressed' }).first().boundingBox();
      expect((verdict?.x ?? 0) + (verdict?.width ?? width)).toBeLessThan(width / 2);
    },
  );

  test("the demo's comment and page both show the broken test and its cause on the first screen", async () => {
    const action = join(ROOT, 'src/action.ts');
    const fixture = join(ROOT, 'fixtures/demo');
    const { comment, reports, folder } = await runPullRequest({ fixture, action }, () => undefined);
    const report = readFileSync(join(reports, 'report.html'), 'utf8');
    rmSync(folder, { recursive: true, force: true });
    const causes = [
      ['p', 'Putting the old line back fixes'],
      ['pre', 'Be warm and reassuring'],
    ] as const;
    const answers = [
      ['p', 'What it did: refund-gift'],
      ['tr', 'within 30 days of delivery'],
      ['tr', 'Of course! We are happy'],
    ] as const;
    for (const [name, html, shown] of [
      ['comment', commentPage(comment, 'light'), [...causes, ...answers]],
      ['page', report, [...causes, ['.answer', 'the message is about size']]],
    ] as const)
      for (const width of [860, 390] as const) {
        await show(html, 'light', width);
        for (const [selector, words] of shown) {
          const { bottom } = await endOf(selector, words);
          expect({ name, width, words, within: bottom <= SCREEN[width] }).toEqual({
            ...{ name, width, words },
            within: true,
          });
        }
        // A phone shows every suite's verdict, rates and reason without scrolling sideways.
        if (name === 'comment') {
          await openFolds();
          const suites = page.locator('table', { hasText: 'scoring changed' }).first();
          const cut = await suites.evaluate((table) => table.scrollWidth - table.clientWidth);
          expect({ width, cut }).toEqual({ width, cut: 0 });
        }
      }
  });

  test('the comment keeps the lines of an answer, although CSS hides line breaks inside code', async () => {
    const answer = 'Bring it to Northmail.\nYou have 30 days.\n\nKind regards';
    const side = (outcome: 'pass' | 'fail', actual: string) =>
      sideOf([{ outcome, actual, scores: [score(outcome)] }]);
    await shown(
      resultOf({
        conclusion: 'failure',
        suites: [
          suiteOf(
            's',
            [
              referenceOf('a', 'fell', {
                base: side('pass', answer),
                head: side('fail', 'No idea, sorry to say'),
              }),
            ],
            { verdict: 'regressed' },
          ),
        ],
      }),
      'light',
      860,
    );
    const cell = page.locator('tr', { hasText: 'Northmail' }).locator('td').first();
    expect(await cell.innerText()).toBe(answer);
    const oneLine = page.locator('tr', { hasText: 'No idea' }).locator('td').first();
    const [tall, low] = await Promise.all([cell.boundingBox(), oneLine.boundingBox()]);
    expect(tall?.height).toBeGreaterThan(2 * (low?.height ?? Infinity));
  });

  test.each(LOOKS)(
    'the comment in %s at %i pixels fits half a screen for a green run',
    async (theme, width) => {
      await shown(green(), theme, width);
      const comment = await page.locator('.comment').boundingBox();
      expect(comment?.height).toBeLessThan(SCREEN[width === 390 ? 390 : 860] / 2);
    },
  );

  test.each([
    ['hostile texts', hostile],
    ['an open question', neutral],
  ] as const)('the comment with %s is not wider than a phone', async (_what, build) => {
    await shown(build(), 'dark', 390);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});
