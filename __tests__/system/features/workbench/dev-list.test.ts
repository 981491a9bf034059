import type { Browser, Page } from 'playwright-core';
import { serveWorkbench, type Workbench } from '../../../../src/features/workbench/server.ts';
import { matricesOf } from '../../../../src/features/workbench/workbench-rows.ts';
import {
  boardOf,
  type Board,
  type BoardInput,
} from '../../../../src/features/workbench/workbench.ts';
import type { SuiteResult } from '../../../../src/kernel/result/suite-result.ts';
import { axeFindings } from '../../../stand-ins/axe.ts';
import { inBrowser, openTestBrowser, openWindow } from '../../../stand-ins/browser.ts';
import { REPORTS } from '../../../stand-ins/reports.ts';
import { referenceOf, resultOf, sideOf, suiteOf } from '../../../unit/report/results.ts';

const MOST_ROWS = 260;

/** One prompt with two models, with regressions in these references. */
function suitesOf(
  count: number,
  { name = 'add', regressed = [] }: { name?: string; regressed?: readonly number[] } = {},
) {
  return ['model-1', 'model-2'].map((model) =>
    suiteOf(
      name,
      Array.from({ length: count }, (_, at) => {
        const broken = regressed.includes(at);
        const side = (outcome: 'pass' | 'fail') => sideOf([{ outcome, actual: `answer ${at}` }]);
        return referenceOf(`number-${at}`, broken ? 'regressed' : 'unchanged', {
          tags: [at % 2 === 0 ? 'even' : 'odd'],
          base: side('pass'),
          head: side(broken ? 'fail' : 'pass'),
        });
      }),
      { variant: { model, parameters: {} } },
    ),
  );
}

inBrowser("the workbench's long list in a browser", () => {
  let browser: Browser;
  let workbench: Workbench;
  let page: Page;
  let board: object = {};
  let notes = 0;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await openTestBrowser();
    workbench = await serveWorkbench(0, {
      board: () => board,
      detail: (key) => `<p>Detail of ${key.replaceAll(/[^\w-]+/g, ' ')}</p><button>Close</button>`,
      act: () => Promise.resolve({ said: 'done', bad: false }),
    });
    // Shared by all tests, because opening a page takes far longer than filling it.
    page = await openWindow(browser);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => complaints.push(message.text()));
  });
  afterAll(async () => {
    await workbench.close();
    await browser.close();
  });

  const boardWith = (suites: SuiteResult[], empty: BoardInput['empty'] = []) => {
    const result = resultOf({ suites });
    const matrices = matricesOf(result, null);
    return boardOf({
      result,
      all: null,
      reports: REPORTS,
      matrices,
      missing: false,
      notes: [],
      empty,
    });
  };
  const long = boardWith(suitesOf(2_000));
  const give = (next: Board) => {
    notes += 1;
    const note = `board ${notes}`;
    board = { ...{ note, bad: false, old: false, spend: '', undo: false }, ...next };
    return note;
  };
  /** Shows this board and waits until the page is drawn. */
  const becomes = async (...given: Parameters<typeof boardWith>) => {
    const note = give(boardWith(...given));
    workbench.tell('board', {});
    await page.locator('#state', { hasText: note }).waitFor();
  };
  /** Resolves at the end of the frame in which the condition becomes true in the page. */
  const until = (condition: string) =>
    page.evaluate(
      `new Promise((done) => { const look = () => (${condition} ? done() : requestAnimationFrame(look)); look(); })`,
    );
  /** Resolves once nothing has moved for some frames. */
  const settled = () =>
    until(
      `(window.still = window.at === (window.at = scrollY + ' ' + document.documentElement.scrollHeight) ? (window.still ?? 0) + 1 : 0) > 5`,
    );
  const ask = <T>(of: string): Promise<T> => page.evaluate(of);
  const rowsInPage = () => page.locator('.ref').count();
  const row = (at: number) => page.locator(`.ref[data-key$='"number-${at}"]']`);
  const focused = (): Promise<string | undefined> =>
    ask(`document.activeElement.dataset.key?.match(/number-\\d+/)[0]`);
  const filled =
    '[0.3, 0.6, 0.9].every((share) => document.elementFromPoint(200, innerHeight * share)?.closest(".ref"))';

  beforeEach(async () => {
    give(long);
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(workbench.url);
    await row(0).waitFor();
  });
  afterEach(async () => {
    await page.goto('about:blank');
    expect(complaints.splice(0)).toEqual([]);
  });

  test('the workbench renders only rows near the visible area and shows the total number of rows', async () => {
    const height = await ask<number>('document.documentElement.scrollHeight');
    expect(height).toBeGreaterThan(50_000);
    for (const share of [0.25, 0.9, 0.5, 1, 0]) {
      await page.evaluate(`scrollTo(0, ${share * height})`);
      if (share > 0) await until(filled);
      expect(await rowsInPage()).toBeLessThan(MOST_ROWS);
    }
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('2001');
    expect(await row(0).getAttribute('aria-rowindex')).toBe('2');
  });

  test('the workbench keeps a row selected by keyboard in view, whatever the row heights', async () => {
    await page.setViewportSize({ width: 390, height: 900 });
    // As in a browser without scroll anchoring.
    await page.evaluate(`document.documentElement.style.overflowAnchor = 'none'`);
    const chosen = async (at: number) => {
      await until(`document.activeElement.dataset.key?.includes('"number-${at}"')`);
      const box = await row(at).boundingBox();
      expect(box?.y).toBeGreaterThanOrEqual(
        await ask<number>(`document.querySelector('header').getBoundingClientRect().bottom`),
      );
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(900);
      expect(await page.locator('.ref.on').count()).toBe(1);
      expect(await row(at).getAttribute('aria-rowindex')).toBe(String(at + 2));
    };
    await page.keyboard.press('j');
    await chosen(0);
    await page.keyboard.press('End');
    await chosen(1_999);
    await page.keyboard.press('k');
    await page.keyboard.press('ArrowUp');
    await chosen(1_997);
    for (let at = 0; at < 30; at += 1) await page.keyboard.press('k');
    await chosen(1_967);
    await page.keyboard.press('Enter');
    await page.locator('#detail', { hasText: 'number-1967' }).waitFor();
    await page.keyboard.press('Escape');
    await chosen(1_967);
    await page.keyboard.press('Home');
    await chosen(0);
    await until(`document.querySelectorAll('.ref').length < ${MOST_ROWS}`);
  });

  test('the workbench keeps the selected row reachable while scrolling away from it', async () => {
    await row(3).click();
    await page.keyboard.press('Enter');
    await until(`document.activeElement.matches('#detail button')`);
    await page.evaluate('scrollTo(0, 40000)');
    await until(filled);
    await page.keyboard.press('Escape');
    expect(await focused()).toBe('number-3');
    await page.evaluate('scrollTo(0, 40000)');
    await until(filled);
    await page.keyboard.press('j');
    await until(`document.activeElement.dataset.key?.includes('"number-4"')`);
    expect((await row(4).boundingBox())?.y).toBeGreaterThan(40);
  });

  test('the workbench finds and opens a row that was not rendered before', async () => {
    await page.keyboard.press('/');
    await page.keyboard.type('NUMBER-1990');
    await page.locator('output', { hasText: '1 of 2000 shown' }).waitFor();
    expect(await rowsInPage()).toBe(1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('#detail', { hasText: 'number-1990' }).waitFor();
    await page.locator('input[type=search]').fill('');
    await page.locator('select[name=tags]').selectOption('odd');
    await page.locator('output', { hasText: '1000 of 2000 shown' }).waitFor();
    expect(await rowsInPage()).toBeLessThan(MOST_ROWS);
    expect(await row(1).getAttribute('aria-rowindex')).toBe('2');
  });

  test('the workbench redraws only what changed and keeps scroll position and focus', async () => {
    await page.evaluate('scrollTo(0, 30000)');
    await until(filled);
    const middle = await ask<string>(
      `document.elementFromPoint(200, innerHeight / 2).closest('.ref').dataset.key.match(/\\d+/)[0]`,
    );
    const at = Number(middle);
    await row(at).click();
    await page.keyboard.press('Escape');
    // Otherwise rows that scrolling renders late would count as drawn by the new board.
    await settled();
    const before = await row(at).boundingBox();
    await page.evaluate(`for (const one of document.querySelectorAll('.ref')) one.old = true`);
    const inPage = await rowsInPage();
    const suites = suitesOf(2_000);
    const [changed] = suites[0]!.references.filter(({ id }) => id === `number-${at + 2}`);
    changed!.tags = ['changed'];
    await becomes(suites);
    await row(at + 2)
      .getByText('changed', { exact: true })
      .waitFor();
    expect(
      await ask(`[...document.querySelectorAll('.ref')].filter((one) => !one.old).length`),
    ).toBe(1);
    expect(await rowsInPage()).toBe(inPage);
    expect(await row(at).boundingBox()).toEqual(before);
    expect(await focused()).toBe(`number-${at}`);
  });

  test('the workbench keeps the selected row where it is on the screen when new results reorder the rows', async () => {
    await page.evaluate('scrollTo(0, 30000)');
    await until(filled);
    const at = Number(
      await ask<string>(
        `document.elementFromPoint(200, innerHeight / 2).closest('.ref').dataset.key.match(/\\d+/)[0]`,
      ),
    );
    await row(at).click();
    await page.locator('#detail', { hasText: `number-${at}` }).waitFor();
    await settled();
    const before = await row(at - 1).boundingBox();
    await becomes(suitesOf(2_000, { regressed: [at] }));
    await until(`document.querySelector('.ref.on')?.ariaRowIndex === '2'`);
    expect(await focused()).toBe(`number-${at}`);
    await settled();
    const after = await row(at - 1).boundingBox();
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(2);
    expect(await page.locator('.ref[tabindex="0"]').count()).toBe(1);
    await until(filled);
    await page.keyboard.press('j');
    await until(`document.activeElement.dataset.key?.includes('"number-0"')`);
  });

  test('the workbench keeps text that is being typed into a form when it redraws', async () => {
    const prompt = (name: string) => ({ key: name, name, variables: ['who'] });
    await becomes(suitesOf(2), [prompt('one')]);
    const field = page.locator('form[data-prompt=one] [name="input:who"]');
    await field.fill('half a na');
    await becomes(suitesOf(2, { regressed: [1] }), [prompt('none'), prompt('one')]);
    await page.locator('h1', { hasText: 'No regression' }).waitFor({ state: 'detached' });
    expect(await page.locator('#firsts form').count()).toBe(2);
    expect(await field.inputValue()).toBe('half a na');
    await page.keyboard.type('me');
    expect(await field.inputValue()).toBe('half a name');
  });

  test('the workbench lists prompts with regressions first and removes deleted prompts', async () => {
    const names = (): Promise<string[]> =>
      page
        .locator('table, [role=table]')
        .evaluateAll((all) => all.map((element) => element.ariaLabel ?? ''));
    const [one, two, three] = ['one', 'two', 'three'].map((name) => ({ name }));
    await becomes([...suitesOf(3, one), ...suitesOf(30, two), ...suitesOf(3, three)]);
    expect(await names()).toEqual(['one', 'two', 'three']);
    await until(`document.querySelectorAll('.ref').length === 36`);
    await becomes([...suitesOf(30, two), ...suitesOf(3, { ...three, regressed: [1] })]);
    expect(await names()).toEqual(['three', 'two']);
    await until(`document.querySelectorAll('.ref').length === 33`);
    await page.keyboard.press('Home');
    await until(`document.activeElement.dataset.key?.includes('"three","number-1"')`);
    await page.locator('select[name=suite]').selectOption('two');
    await page.locator('output', { hasText: '30 of 33 shown' }).waitFor();
  });

  test.each([
    [1400, 'light'],
    [390, 'dark'],
  ] as const)(
    'the workbench has no accessibility violations, %i pixels wide and %s',
    async (width, colorScheme) => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.evaluate('scrollTo(0, 20000)');
      await until(filled);
      const session = await page.context().newCDPSession(page);
      await session.send('Page.setBypassCSP', { enabled: true });
      expect(await axeFindings(page)).toEqual([]);
      await session.send('Page.setBypassCSP', { enabled: false });
      expect(await ask('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    },
  );
});
