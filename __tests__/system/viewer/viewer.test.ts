import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { renderHistoryHtml } from '../../../../src/features/history/report.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { axeFindings } from '../../../stand-ins/axe.ts';
import { inBrowser, openTestBrowser, openWindow } from '../../../stand-ins/browser.ts';
import { renderHtml } from '../../../stand-ins/reports.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';
import { sweepOfModels, withKinds } from '../../../unit/report/kinds.ts';
import {
  hostile,
  nothingAffected,
  referenceOf,
  regression,
  resultOf,
  sideOf,
  suiteOf,
} from '../../../unit/report/results.ts';

interface Look {
  scheme?: 'light' | 'dark';
  width?: number;
}

inBrowser('the HTML report in a browser', () => {
  let browser: Browser;
  // Shared by all tests, because opening a window is slow.
  let page: Page;
  const folder = temporaryFolder('html');
  let address: string;
  /** Console messages, errors, dialogs and requests of the page. */
  const complaints: string[] = [];

  beforeAll(async () => {
    address = pathToFileURL(join(folder, 'report.html')).href;
    browser = await openTestBrowser();
    page = await openWindow(browser);
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => {
      complaints.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('request', (request) => {
      if (request.url() !== address) complaints.push(request.url());
    });
  });
  afterAll(() => browser.close());

  async function openHtml(html: string, { scheme = 'light', width = 1400 }: Look = {}) {
    writeFileSync(join(folder, 'report.html'), html);
    // Late messages of the previous page do not count.
    await page.goto('about:blank');
    complaints.length = 0;
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: scheme });
    await page.goto(address);
  }

  const open = async (result: Result, look?: Look): Promise<void> =>
    openHtml(await renderHtml(result), look);

  const shownIds = (): Promise<string[]> =>
    page.locator('details.case:visible > summary code').allTextContents();

  test.each([
    ['a regression', regression],
    ['hostile text', hostile],
    ['nothing affected', nothingAffected],
    ['attributes', withKinds],
    ['a sweep', sweepOfModels],
  ] as const)(
    'a page with %s violates no content policy and loads no external file',
    async (_what, build) => {
      await open(build());
      expect(complaints).toEqual([]);
      expect(await page.locator('h1').count()).toBe(1);
      // The style applies: without it the page would be as wide as the window.
      expect((await page.locator('main').boundingBox())?.width).toBe(1120);
    },
  );

  test('the page filters by status and by text, and counts the references shown', async () => {
    await open(regression());
    const says = page.locator('#filter output');
    expect(await says.textContent()).toBe('26 of 26 shown');
    await page.locator('#filter input[value=unchanged]').uncheck();
    expect(await says.textContent()).toBe('7 of 26 shown');
    await page.locator('#filter input[type=search]').fill('ottawa');
    expect(await shownIds()).toEqual(['canada']);
    await page.locator('#filter input[type=search]').fill('no such words');
    expect(await says.textContent()).toBe('0 of 26 shown');
  });

  test("the page can show only references that base's and head's scoring judge differently", async () => {
    await open(regression());
    const choice = page.locator('#filter select[name=scoring]');
    expect(await choice.locator('option').allTextContents()).toEqual([
      'Any scoring',
      'judged differently (1)',
    ]);
    await choice.selectOption('flipped');
    expect(await shownIds()).toEqual(['invoice']);
  });

  test('the page opens and closes all references that are shown', async () => {
    await open(regression());
    await page.locator('#filter input[value=unchanged]').uncheck();
    await page.getByRole('button', { name: 'Open all' }).click();
    expect(await page.locator('details.case[open]').count()).toBe(7);
    expect(await page.getByText('The capital of Australia is').first().isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Close all' }).click();
    expect(await page.locator('details.case[open]').count()).toBe(0);
  });

  test('the page filters by an attribute, together with the status', async () => {
    const result = withKinds();
    await open(result);
    const says = page.locator('#filter output');
    const [first] = result.attributes;
    await page
      .locator('#filter select[name=kinds]')
      .selectOption({ label: `Refunds and returns (${String(first!.references.length)})` });
    expect(await says.textContent()).toBe('20 of 60 shown');
    expect((await shownIds()).sort()).toEqual([...first!.references].sort());
    await page.locator('#filter input[value=unchanged]').uncheck();
    expect(await says.textContent()).toBe('8 of 60 shown');
    await page.locator('#filter select[name=kinds]').selectOption('');
    expect(await says.textContent()).toBe('11 of 60 shown');
  });

  test('the page shows the references of a clicked attribute and opens a reference that an insight links to', async () => {
    await open(withKinds());
    await page.getByText('Show its 20 tests').click();
    expect(await page.locator('#filter output').textContent()).toBe('20 of 60 shown');
    expect(
      await page.locator('#references').evaluate((element) => element.getBoundingClientRect().top),
    ).toBeLessThan(300);
    await page.locator('#filter select[name=kinds]').selectOption({ index: 4 });
    expect(await shownIds()).not.toContain('mail-013');
    await page.locator('.insights a', { hasText: 'mail-013' }).click();
    const target = page.locator('details.case', { hasText: 'mail-013' }).first();
    expect(await target.getAttribute('open')).not.toBeNull();
    expect(await target.isVisible()).toBe(true);
    // The filter that hid it is reset.
    expect(await page.locator('#filter output').textContent()).toBe('60 of 60 shown');
    expect(complaints).toEqual([]);
  });

  /** Every tenth reference is broken, and no two answers are equal. */
  function many(number: number): Result {
    const references = Array.from({ length: number }, (_, at) => {
      const actual = `answer number ${String(at)} about ${(at * 7919).toString(36)}`;
      const broken = at % 10 === 0;
      const side = (outcome: 'pass' | 'fail') =>
        sideOf([
          { outcome, actual },
          { outcome, actual },
        ]);
      return referenceOf(`case-${String(at)}`, broken ? 'regressed' : 'unchanged', {
        input: { question: `question ${String(at)}` },
        tags: [at % 2 === 0 ? 'even' : 'odd'],
        base: side('pass'),
        head: side(broken ? 'fail' : 'pass'),
      });
    });
    return resultOf({ conclusion: 'failure', suites: [suiteOf('big', references)] });
  }

  // Playwright's waitForFunction evaluates its text in the page, which the page's policy forbids.
  const until = (condition: string): Promise<unknown> =>
    page.evaluate(
      `new Promise((done) => {
        const look = () => (${condition} ? done(null) : requestAnimationFrame(look));
        look();
      })`,
    );

  test('the page prints all rows by its own print button, and warns of missing rows if the browser prints it', async () => {
    await open(many(250));
    await page.getByText('250 of 250 shown').waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    const left = page.getByText('more rows are printed by the button Print');
    expect(await left.isVisible()).toBe(true);
    await page.emulateMedia({ media: 'screen' });
    expect(await left.isVisible()).toBe(false);

    await page.evaluate(
      `window.print = () => {
        dispatchEvent(new Event('beforeprint'));
        document.title = document.querySelectorAll('details.case').length + ' rows, rest hidden: ' + document.getElementById('rest').hidden;
        dispatchEvent(new Event('afterprint'));
      }`,
    );
    await page.getByRole('button', { name: 'Print' }).click();
    await until(`document.title === '250 rows, rest hidden: true'`);
    // Rows far from the window are removed again.
    await until(`document.querySelectorAll('details.case').length < 250`);
  });

  describe('a page with ten thousand references', () => {
    let html: string;
    beforeAll(async () => {
      html = await renderHtml(many(10_000));
      await openHtml(html);
      await page.getByText('10,000 of 10,000 shown').waitFor();
    });
    const elements = (): Promise<number> => page.locator('*').count();
    const openRow = (id: string) => page.locator(`details.case[open]`, { hasText: id });

    test('stays below 3 MB and renders only the rows near the window', async () => {
      expect(Buffer.byteLength(html)).toBeLessThan(3_000_000);
      expect(await elements()).toBeLessThan(10_000);
      for (const at of [0.25, 0.5, 0.75, 1]) {
        await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight * ${String(at)})`);
        await until(
          `[...document.querySelectorAll('details.case')].some((one) => {
            const { top } = one.getBoundingClientRect();
            return top > 0 && top < innerHeight;
          })`,
        );
      }
      expect(await elements()).toBeLessThan(12_000);
      expect(complaints).toEqual([]);
    });

    test('finds text in rows that are not rendered yet, and filters by tag', async () => {
      await page.locator('#filter input[type=search]').fill('number 9991 about');
      await page.getByText('1 of 10,000 shown', { exact: true }).waitFor();
      // Waits for the row, because the count appears before the row is drawn.
      await page.locator('details.case > summary', { hasText: 'case-9991' }).waitFor();
      expect(await shownIds()).toEqual(['case-9991']);
      await page.locator('#filter input[type=search]').fill('');
      await page.locator('#filter select[name=tags]').selectOption('even');
      await page.getByText('5,000 of 10,000 shown').waitFor();
      await page.locator('#filter select[name=tags]').selectOption('');
    });

    test('opens the row that its address names, and the header does not cover that row', async () => {
      await page.evaluate(`location.hash = '#r7004'`);
      await openRow('case-7003').waitFor();
      await until(`Math.abs(document.getElementById('r7004').getBoundingClientRect().top) < 40`);
      const summary = page.locator('#r7004 > summary');
      expect(
        await summary.evaluate((element) => {
          const { left, top } = element.getBoundingClientRect();
          return element.contains(element.ownerDocument.elementFromPoint(left + 30, top + 10));
        }),
      ).toBe(true);
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await openRow('case-7004').waitFor();
      await page.keyboard.press('Escape');
      await openRow('case-7004').waitFor({ state: 'detached' });
      await page.keyboard.press('/');
      expect(await page.evaluate('document.activeElement.type')).toBe('search');
    });
  });

  test.each([
    ['a regression', regression],
    ['hostile text', hostile],
    ['attributes', withKinds],
    ['a sweep', sweepOfModels],
  ] as const)(
    'a page with %s has no accessibility violations and fits a phone with everything open',
    async (_, build) => {
      await open(build(), { width: 390 });
      await page.getByRole('button', { name: 'Open all' }).click();
      expect(await axeFindings(page)).toEqual([]);
      await page.locator('details').evaluateAll((all) => {
        for (const element of all) element.setAttribute('open', '');
      });
      const tables = page.locator('.wide');
      expect(await tables.count()).toBeGreaterThan(0);
      expect(
        await tables.evaluateAll((all) =>
          all
            .filter((element) => element.scrollWidth > element.clientWidth)
            .map((element) => [
              element.textContent.slice(0, 40),
              element.scrollWidth,
              element.clientWidth,
            ]),
        ),
      ).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
    },
  );

  test.each(['light', 'dark'] as const)(
    'the page does not use pass and fail colours for base and head in %s',
    async (scheme) => {
      await open(regression(), { scheme });
      await page.getByRole('button', { name: 'Open all' }).click();
      expect(await axeFindings(page)).toEqual([]);
      const sides = await page.evaluate<string[]>(`[
        ...document.querySelectorAll(
          ':is(.base, .head) :is(td, pre, mark), pre.diff :is(.added, .removed)',
        ),
      ].flatMap((element) => {
        const { borderLeftColor, backgroundColor, textDecorationColor } = getComputedStyle(element);
        return [borderLeftColor, backgroundColor, textDecorationColor];
      })`);
      const verdicts = await page.evaluate<string[]>(`['bad', 'good'].flatMap((name) =>
        [name, name + 'bg'].map((variable) => {
          const probe = document.body.appendChild(document.createElement('i'));
          probe.style.color = 'var(--' + variable + ')';
          const { color } = getComputedStyle(probe);
          probe.remove();
          return color;
        }))`);
      expect(new Set(verdicts).size).toBe(4);
      expect(new Set(sides).size).toBeGreaterThan(3);
      expect(sides.filter((colour) => verdicts.includes(colour))).toEqual([]);
    },
  );

  const history = [1, 2, 3, 5].map((day) => ({
    sha: `${String(day)}abcdef012`,
    at: `2026-03-0${String(day)}`,
    suites:
      day === 3
        ? []
        : [
            {
              path: 'p',
              name: 'capitals',
              variant: { model: 'm', parameters: {} },
              pass_rate: 0.9,
              low: 0.8,
              high: 0.95,
              references: 9,
            },
          ],
  }));
  const pages: [string, () => Promise<string>][] = [
    ['attributes', () => renderHtml(withKinds())],
    ['a sweep', () => renderHtml(sweepOfModels())],
    ['a history', () => renderHistoryHtml(history)],
  ];

  test.each(
    pages.flatMap(([what, html]) =>
      (['light', 'dark'] as const).map((scheme) => [what, scheme, html] as const),
    ),
  )('every text of %s has enough contrast in the %s scheme', async (_what, scheme, html) => {
    await openHtml(await html(), { scheme });
    const texts = await contrasts(page);
    expect(texts.length).toBeGreaterThan(10);
    expect(texts.filter(({ chart }) => chart).length).toBeGreaterThan(3);
    expect(texts.filter(({ ratio }) => !(ratio >= 4.5))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test.each(pages)('%s fits a phone without cutting off charts', async (_what, html) => {
    await openHtml(await html(), { width: 390 });
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
    expect(
      await page
        .locator('.wide')
        .evaluateAll(
          (all) => all.filter((element) => element.scrollWidth > element.clientWidth).length,
        ),
    ).toBe(0);
    for (const box of await page.locator('svg.chart').evaluateAll((all) =>
      all.map((element) => {
        const { left, right, width } = element.getBoundingClientRect();
        return { left, right, width };
      }),
    )) {
      expect(box.left).toBeGreaterThanOrEqual(0);
      expect(box.right).toBeLessThanOrEqual(390);
      // Labels are drawn for a width of 340 pixels, so a narrower chart is hard to read.
      expect(box.width).toBeGreaterThan(300);
    }
  });

  test('chart labels do not overlap or leave the chart', async () => {
    for (const result of [withKinds(), sweepOfModels()]) {
      await open(result);
      expect(
        await page.locator('svg.chart').evaluateAll((charts) =>
          charts.flatMap((chart) => {
            const frame = chart.getBoundingClientRect();
            const boxes = [...chart.querySelectorAll('text')].map((label) => ({
              words: label.textContent,
              box: label.getBoundingClientRect(),
            }));
            return boxes.flatMap(({ words, box }, at) => [
              ...(box.left < frame.left - 1 ||
              box.right > frame.right + 1 ||
              box.top < frame.top - 1 ||
              box.bottom > frame.bottom + 1
                ? [`${String(words)} leaves the chart`]
                : []),
              ...boxes
                .slice(at + 1)
                .filter(
                  ({ box: other }) =>
                    box.left < other.right &&
                    other.left < box.right &&
                    box.top < other.bottom - 2 &&
                    other.top < box.bottom - 2,
                )
                .map((other) => `${String(words)} covers ${String(other.words)}`),
            ]);
          }),
        ),
      ).toEqual([]);
    }
  });
});

/** The contrast of every visible text to its background (WCAG 2: 1 to 21). */
async function contrasts(page: Page): Promise<{ words: string; chart: boolean; ratio: number }[]> {
  return page.locator('body *').evaluateAll((all) => {
    type Node = (typeof all)[number];
    const style = (element: Node) =>
      element.ownerDocument.defaultView.getComputedStyle(element) as {
        color: string;
        fill: string;
        backgroundColor: string;
      };
    const parts = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (colour: string): number => {
      const [red = 0, green = 0, blue = 0] = parts(colour)
        .map((part) => part / 255)
        .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const behind = (element: Node | null): string => {
      if (element === null) return 'rgb(255,255,255)';
      const colour = style(element).backgroundColor;
      return parts(colour)[3] === 0 ? behind(element.parentElement) : colour;
    };
    return all.flatMap((element) => {
      const words = [...element.childNodes]
        .filter(({ nodeType }) => nodeType === 3)
        .map(({ nodeValue }) => String(nodeValue))
        .join('')
        .trim();
      if (
        words === '' ||
        element.closest('script,style,option,optgroup') !== null ||
        element.getClientRects().length === 0
      )
        return [];
      const chart = element.closest('svg') !== null;
      const [one, other] = [
        luminance(chart ? style(element).fill : style(element).color),
        luminance(behind(element)),
      ];
      return [
        {
          words,
          chart,
          ratio:
            Math.round(((Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)) * 100) / 100,
        },
      ];
    });
  });
}
