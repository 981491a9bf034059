import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { factsPart } from '../../../src/features/agents/suite/spec.ts';
import { trendOf } from '../../../src/features/history/report.ts';
import type { Result } from '../../../src/kernel/result/result.ts';
import { SCRIPT, STYLE } from '../../../src/report/viewer-files.ts';
import type { Part } from '../../../src/types/answer.ts';
import { axeFindings } from '../../stand-ins/axe.ts';
import { inBrowser, openTestBrowser, openWindow } from '../../stand-ins/browser.ts';
import { hostileTexts } from '../../stand-ins/hostile-text.ts';
import { renderHtml } from '../../stand-ins/reports.ts';
import { temporaryFolder } from '../../stand-ins/repository.ts';
import { sweepOfModels, withKinds } from '../../unit/report/kinds.ts';
import {
  changeOf,
  failed,
  hostile,
  nothingAffected,
  passed,
  referenceOf,
  regression,
  resultOf,
  score,
  sideOf,
  suiteOf,
} from '../../unit/report/results.ts';

interface Look {
  scheme?: 'light' | 'dark';
  width?: number;
  height?: number;
  hash?: string;
}

/** Every tenth test is broken, and no two answers are equal. */
function many(number: number, letters = 30): Result {
  const references = Array.from({ length: number }, (_, at) => {
    const answer = (side: string) => {
      const start = `${side} answer number ${String(at)} about `;
      let text = start;
      for (
        let seed = at * 7919 + side.length;
        text.length < letters;
        seed = (seed * 48271) % 2147483647
      )
        text += seed.toString(36);
      return text.slice(0, Math.max(letters, start.length + 6));
    };
    const broken = at % 10 === 0;
    return referenceOf(`case-${String(at)}`, broken ? 'regressed' : 'unchanged', {
      input: { question: `question ${String(at)}` },
      tags: [at % 2 === 0 ? 'even' : 'odd'],
      base: passed(answer('base')),
      head: broken ? failed(answer('head')) : passed(answer('head')),
    });
  });
  return resultOf({ conclusion: 'failure', suites: [suiteOf('big', references)] });
}

const oneTest = (changes: Parameters<typeof referenceOf>[2], of: Partial<Result> = {}): Result =>
  resultOf({ ...of, suites: [suiteOf('s', [referenceOf('one', 'regressed', changes)])] });

const answering = (parts: Part[], more: object = {}) => {
  const side = passed('x');
  return { ...side, tries: [{ ...side.tries[0]!, parts, ...more }] };
};

inBrowser('the viewer in a browser', () => {
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
      if (!request.url().startsWith(address)) complaints.push(request.url());
    });
  });
  afterAll(() => browser.close());

  async function openHtml(html: string, look: Look = {}) {
    const { scheme = 'light', width = 1280, height = 900, hash = '' } = look;
    writeFileSync(join(folder, 'report.html'), html);
    // Late messages of the previous page do not count.
    await page.goto('about:blank');
    complaints.length = 0;
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: scheme, media: 'screen' });
    await page.goto(`${address}${hash}`);
  }

  async function open(result: Result, look?: Look): Promise<void> {
    await openHtml(await renderHtml(result), look);
    await page.locator('main').waitFor();
  }

  const shownIds = (): Promise<string[]> =>
    page.locator('.case summary .face code').allTextContents();
  const says = (words: string) => page.locator('output', { hasText: words }).waitFor();
  const filterBy = (name: string, label: string) =>
    page.locator(`select[name=${name}]`).selectOption({ label });
  const openFolds = () =>
    page.locator('main details').evaluateAll((all) => {
      for (const element of all) element.setAttribute('open', '');
    });
  const textOf = (selector: string) => page.locator(selector).first().innerText();

  test.each<[string, () => Result]>([
    ['a regression', regression],
    ['hostile text', hostile],
    ['nothing affected', nothingAffected],
    ['attributes', withKinds],
    ['a sweep', sweepOfModels],
  ])('a page with %s violates no content policy and sends no request', async (_what, build) => {
    await open(build());
    for (const tab of await page.locator('nav a').all()) await tab.click();
    expect(complaints).toEqual([]);
    expect(await page.locator('h1').count()).toBe(1);
    // The style applies: without it the page would be as wide as the window.
    expect((await page.locator('main').boundingBox())?.width).toBe(1120);
  });

  test('a page shows a result.json that is dropped on it, and says what is not one', async () => {
    await open(regression());
    const drop = async (content: string) => {
      const file = `new File([${JSON.stringify(content)}], 'result.json')`;
      const moved = await page.evaluateHandle(
        `(() => { const data = new DataTransfer(); data.items.add(${file}); return data; })()`,
      );
      await page.dispatchEvent('body', 'drop', { dataTransfer: moved });
    };
    const other = {
      ...oneTest({ input: { q: '<img src=x onerror=alert(1)>' } }),
      title: 'Another run',
    };
    await drop(JSON.stringify(other));
    await page.locator('h1', { hasText: 'Another run' }).waitFor();
    expect(await shownIds()).toEqual(['one']);
    await drop('{"schema_version": 1}');
    await page.locator('.broken', { hasText: 'of another version' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('script and style have at most 70 KB, compressed', () =>
    expect(gzipSync(SCRIPT + STYLE).length).toBeLessThan(70_000));

  describe('hostile text', () => {
    test.each(Object.entries(hostileTexts))('(%s) is never live', async (_what, text) => {
      const input = { [text]: text };
      const scores = [score('fail', text, false, text)];
      await open(
        oneTest({
          input,
          expected: text,
          tags: [text],
          base: sideOf([{ outcome: 'pass', actual: `${text} before` }]),
          head: sideOf([{ outcome: 'fail', actual: `${text} after`, scores }]),
        }),
        { hash: '#test/s/one' },
      );
      await page.locator('.panel').waitFor();
      expect(complaints).toEqual([]);
      const found = await page
        .locator('#root *')
        .evaluateAll((all) =>
          all.flatMap((element) => [
            element.localName,
            ...element.getAttributeNames().filter((name: string) => name.startsWith('on')),
          ]),
        );
      for (const name of ['img', 'iframe', 'script', 'object', 'form', 'video'])
        expect(found).not.toContain(name);
      expect(found.filter((name) => name.startsWith('on'))).toEqual([]);
      const shown = (await page.locator('#root').textContent()) ?? '';
      expect(/[\u200b\u202e\ufeff\p{Cs}]|[^\P{Cc}\n\t]/u.test(shown)).toBe(false);
    });
  });

  const longCause = () =>
    Array.from({ length: 60 }, (_, at) => ({
      sign: 'added' as const,
      text: `line ${String(at)}${' of words'.repeat(20)}`,
    }));

  test.each<[string, Look, () => Result]>([
    ['1280 × 900', {}, regression],
    ['390 × 844', { width: 390, height: 844 }, regression],
    [
      '390 × 844, with many changed lines',
      { width: 390, height: 844 },
      () => {
        const { changes: _, ...result } = regression();
        const files = ['prompts/a.yaml', 'prompts/b.yaml', 'prompts/c.yaml'];
        const changes = files.map((file) => changeOf(file, 'capitals', 3, 0, longCause()));
        return { ...result, changes };
      },
    ],
  ])(
    'the first answer of a regressed test is in sight without a click at %s',
    async (_, look, build) => {
      await open(build(), look);
      const answer = page
        .locator('.answer.head', { hasText: 'The capital of Australia is' })
        .first();
      const box = await answer.boundingBox();
      expect(box!.y + box!.height).toBeLessThan(look.height ?? 900);
      expect(await answer.locator('mark').count()).toBeGreaterThan(0);
    },
  );

  test('names of files link to their lines if the result names its repository', async () => {
    await open({
      ...regression(),
      source: { url: 'https://github.example.com/acme/support', directory: '.' },
    });
    const link = page.locator('.verdict a', { hasText: 'prompts/capitals.yaml' }).first();
    expect(await link.getAttribute('href')).toMatch(
      /^https:\/\/github\.example\.com\/acme\/support\/blob\/[0-9a-f]{40}\/prompts\/capitals\.yaml#L\d+$/,
    );
    expect(await link.getAttribute('rel')).toBe('noreferrer');
  });

  test('a row shows the input, both answers, why it failed and a mark for each try', async () => {
    await open(regression());
    const row = page.locator('.case', { hasText: 'canada' }).first();
    const lines = (await row.innerText()).replace(/\s+/g, ' ');
    for (const words of [
      'regressed',
      'Canada',
      'Ottawa is the capital of Canada.',
      '✓✓✓ 3/3',
      '✓✗✗ 1/3',
    ])
      expect(lines).toContain(words);
    expect(await row.locator('.why').innerText()).toContain('exact_match: expected "Ottawa"');
    expect(await page.locator('.case').first().getAttribute('data-status')).toBe('regressed');
  });

  describe('filters', () => {
    test('choose by status, words, metric and difference, and count the tests', async () => {
      await open(regression());
      await says('26 of 26 shown');
      await page.keyboard.press('/');
      expect(await page.evaluate('document.activeElement.type')).toBe('search');
      await filterBy('status', 'flaky (1)');
      await says('1 of 26 shown');
      expect(await shownIds()).toEqual(['egypt']);
      await filterBy('status', 'Any status');
      await says('26 of 26 shown');
      await page.getByLabel('Find in tests').fill('OTTAWA');
      await says('1 of 26 shown');
      expect(await shownIds()).toEqual(['canada']);
      await page.getByLabel('Find in tests').fill('no such words');
      await says('0 of 26 shown');
      await page.getByLabel('Find in tests').fill('refuses a remedy');
      expect(await shownIds()).toEqual(['late-parcel']);
      await page.getByLabel('Find in tests').fill('');
      await filterBy('metric', 'fails is_polite (1)');
      expect(await shownIds()).toEqual(['late-parcel']);
      await filterBy('metric', 'Any metric');
      await filterBy('answers', 'different answers (7)');
      expect(await shownIds()).toContain('australia');
      expect(await shownIds()).not.toContain('hungary');
    });

    test("choose tests that base's and head's scoring judge differently", async () => {
      await open(regression());
      await filterBy('scoring', 'judged differently (1)');
      expect(await shownIds()).toEqual(['invoice']);
    });

    test("choose an attribute's tests, also from its row, and give way to a link to a test", async () => {
      const result = withKinds();
      await open(result, { hash: '#attributes' });
      await page.getByRole('button', { name: 'Show 20 tests' }).first().click();
      await says('20 of 60 shown');
      expect((await shownIds()).every((id) => result.attributes[0]!.references.includes(id))).toBe(
        true,
      );
      const { name, references } = result.suites[0]!;
      const { id } = references.find(
        (each) => !result.attributes[0]!.references.includes(each.id),
      )!;
      await page.evaluate(`location.hash = '#test/${encodeURIComponent(name)}/${id}'`);
      await page.locator('.case[open]', { hasText: id }).waitFor();
      await says('60 of 60 shown');
      expect(complaints).toEqual([]);
    });
  });

  describe('an opened test', () => {
    test('shows the answers first, then scores, expected answer, input and figures', async () => {
      const given = {
        input: { question: 'Which?' },
        expected: 'yes',
        files: [
          {
            type: 'image',
            path: 'cat.png',
            media_type: 'image/png',
            id: 'a',
            bytes: 84_000,
            side: 'base',
          },
        ] as const,
        history: { passes: 34, tries: 60, low: 0.441, high: 0.684 },
        p: 0.004,
        q: 0.02,
      };
      await open(
        oneTest({ ...given, files: [...given.files], base: passed('yes'), head: failed('no') }),
        { hash: '#test/s/one' },
      );
      const shown = (await textOf('.panel')).replace(/\s+/g, ' ');
      const order = [
        'yes',
        'no',
        'expected',
        'Which?',
        'cat.png (84 KB, on base)',
        '0.004, 0.020',
        '34 of 60',
      ];
      const places = order.map((words) => shown.indexOf(words));
      expect(places).not.toContain(-1);
      expect([...places].sort((a, b) => a - b)).toEqual(places);
    });

    test('shows any try of both sides, and one that its address names', async () => {
      await open(regression(), { hash: '#test/capitals/canada/head/1' });
      expect(await textOf('.transcript pre')).toBe('Ottawa');
      await page.getByRole('button', { name: 'Try 3: fail' }).click();
      expect(await textOf('.transcript .head pre')).toBe('Ottawa is the capital of Canada.');
      expect(await textOf('.transcript .head mark')).toContain('is the capital of Canada');
    });

    test.each<[string, Parameters<typeof oneTest>[0], string[]]>([
      [
        'JSON, indented',
        { base: passed('{"a":1,"b":[2]}'), head: failed('{"a":12345678901234567890}') },
        ['"a": 1,\n', '"a": 12345678901234567890\n'],
      ],
      [
        'Markdown and HTML as they are',
        { base: passed('# A'), head: failed('<b>*B*</b>') },
        ['# A', '<b>*B*</b>'],
      ],
      [
        'tool calls by argument',
        {
          base: answering([{ type: 'tool_call', name: 'order', arguments: '{"sku":"v","n":3}' }]),
          head: answering([{ type: 'tool_call', name: 'order', arguments: '{"sku":"v","m":3}' }]),
        },
        ['order(sku: "v", n: 3)', 'order(sku: "v", m: 3)'],
      ],
      [
        'the calls that led to an answer, and how it ended',
        {
          base: passed('x'),
          head: answering([{ type: 'text', text: 'y' }], {
            ended: 'length',
            steps: [
              { type: 'tool_call', name: 'find', arguments: '{"q":"vase"}', result: '2 found' },
            ],
          }),
        },
        ['Step 1', 'find(q: "vase")\n→ 2 found', 'ended by length'],
      ],
      [
        "an agent's files, checks and figures",
        {
          base: passed('x'),
          head: answering([
            { type: 'text', text: 'Done.' },
            { type: 'file', path: 'a.txt', diff: '+new' },
            factsPart({
              ...{ version: null, ended: 'turns', turns: 2, calls: 1, models: [], requests: '' },
              ...{ replies: { own: 1, other: 0, stored: 0 }, seconds: 3, usd: null, context: 0 },
              ...{ files: [], watched: {}, skills: [], leaks: [] },
              checks: [{ name: 'npm test', code: 1, output: 'broken' }],
            }),
          ]),
        },
        [
          'Last words',
          'Done.',
          'a.txt',
          '+new',
          'npm test',
          'exit code 1',
          '2 turns',
          'stopped at limits.turns',
        ],
      ],
      [
        'dialogues turn by turn, equal questions once',
        Object.fromEntries(
          (['base', 'head'] as const).map((side) => {
            const verdicts = [
              {
                evaluator: 'judge',
                words: { correct: 'no' as const },
                analysis: `says ${side}`,
                follow_up: null,
              },
            ];
            const turns = ['Sort it?', 'Again?'].map((question, at) => ({
              ...{ question, asked_by: at === 0 ? null : 'judge', answer: `${side} ${String(at)}` },
              ...{ verdicts, satisfied: { correct: side === 'base' } },
            }));
            const conversation = {
              outcome: side === 'base' ? 'complete' : 'max_steps',
              turns,
              turns_to: {},
            };
            return [side, answering([{ type: 'text', text: 'x' }], { conversation })];
          }),
        ),
        [
          'Question 1, the same on both sides',
          'base 0',
          'head 0',
          'Question 2, asked by judge',
          'correct met',
          'correct not met',
          'What the evaluators said',
          'complete',
          'no steps left',
        ],
      ],
    ])('shows %s', async (_what, changes, expected) => {
      await open(oneTest(changes), { hash: '#test/s/one' });
      const shown = await textOf('.panel');
      for (const words of expected) expect(shown).toContain(words);
      expect(shown.match(/Sort it\?/g)?.length ?? 1).toBe(1);
      expect(complaints).toEqual([]);
      expect(await axeFindings(page)).toEqual([]);
    });

    test('shows images of an answer', async () => {
      const image = { type: 'image', media_type: 'image/gif', digest: 'a', bytes: 42 } as const;
      const data = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7';
      await open(oneTest({ head: answering([{ ...image, data }]) }), { hash: '#test/s/one' });
      expect(await page.locator('.panel img').getAttribute('src')).toBe(
        `data:image/gif;base64,${data}`,
      );
      expect(complaints).toEqual([]);
    });

    test('shows an answer of 1 MB whole', async () => {
      const long = `${'word '.repeat(200_000)}end`;
      await open(oneTest({ base: passed('short'), head: failed(long) }), { hash: '#test/s/one' });
      expect(await page.locator('.transcript .head pre').textContent()).toBe(long);
    });
  });

  test.each<[tab: string, build: () => Result, words: string[]]>([
    [
      'suites',
      regression,
      ['capitals', '−9.8 points', '−21.2 to +1.6', '17 × 3', 'messages[0].content in'],
    ],
    [
      'suites',
      sweepOfModels,
      [
        'Variants of capitals, best first',
        '$0.31',
        'cannot distinguish',
        'cost per 1,000 calls',
        'Not drawn: 1 variant',
      ],
    ],
    [
      'attributes',
      withKinds,
      [
        '100.0 % → 60.0 %',
        '−51.2 to −28.8',
        'Refusing politely',
        'shares tests with Refunds',
        'lower is better',
        '2 insights',
        'less than expected: affinity 1 where the expected answer has 5',
      ],
    ],
    ['attributes', sweepOfModels, ['Refunds and returns', 'Pass rate']],
    ['metrics', regression, ['exact_match', 'Judged']],
    ['costs', regression, ['grades', '36', '31,408 tokens in requests']],
    [
      'more',
      () => ({ ...regression(), changes: [changeOf('p.yaml', 'capitals', 3, 0, longCause())] }),
      ['line 59', '1 pass → fail', 'Cohen', 'How sure is this?', '3 notices'],
    ],
  ])('the tab %s has its figures', async (tab, build, words) => {
    await open(build(), { hash: `#${tab}` });
    await openFolds();
    const shown = (await textOf('main')).replace(/\s+/g, ' ');
    for (const each of words) expect(shown).toContain(each);
    for (const svg of await page.locator('main svg').all())
      expect((await svg.getAttribute('aria-label'))?.length).toBeGreaterThan(3);
  });

  test('two variants are compared on the same tests, with the verdict between them', async () => {
    const result = sweepOfModels();
    await open(result, { hash: '#compare' });
    const [first, second, third] = await page
      .getByLabel('First')
      .locator('option')
      .allTextContents();
    const verdict = page.locator('section p', { hasText: 'on the same' });
    expect(await verdict.innerText()).toMatch(/ (?:worse|better|distinguishable) .* points/);
    const row = page.locator('.case').first();
    await row.locator('> summary').click();
    // The browser reports that a row has opened only after the click has ended.
    await row.locator('h3').nth(1).waitFor();
    const titles = await row.locator('h3').allTextContents();
    expect(titles.map((title) => title.split(' – ')[0])).toEqual([first, second]);
    await page.getByLabel('Second').selectOption(third!);
    expect(await verdict.innerText()).toContain(third);
    expect(await page.locator('output').innerText()).toMatch(/^(\d+) of \1 shown$/);
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  // Playwright's waitForFunction evaluates its text in the page, which the page's policy forbids.
  const until = (condition: string): Promise<unknown> =>
    page.evaluate(
      `new Promise((done) => {
        const look = () => (${condition} ? done(null) : requestAnimationFrame(look));
        look();
      })`,
    );

  test('the page prints all tests and parts', async () => {
    await open(many(250));
    expect(await page.locator('.case').count()).toBeLessThan(60);
    await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
    expect(await page.locator('.case').count()).toBe(250);
    expect(await page.locator('h2').allTextContents()).toEqual([
      'Tests',
      'Suites',
      'Metrics',
      'More',
    ]);
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    await until(`document.querySelectorAll('.case').length < 60`);
  });

  test.each<[string, (html: string) => string]>([
    ['is cut off', (html) => html.slice(0, -2_000)],
    ['is cut off before its data', (html) => html.slice(0, html.indexOf('<noscript>'))],
    ['has damaged data', (html) => html.replace(/id="data">[^<]{20}/, 'id="data">')],
  ])('a file that %s says that it is incomplete', async (_what, damage) => {
    await openHtml(damage(await renderHtml(many(50))));
    await page.getByText('This file is incomplete').waitFor();
  });

  test('without JavaScript, the page shows the comment', async () => {
    writeFileSync(join(folder, 'report.html'), await renderHtml(regression()));
    const plain = await openWindow(browser, { javaScriptEnabled: false });
    await plain.goto(address);
    expect(await plain.locator('h1').innerText()).toContain('Regressed');
    expect(await plain.locator('main').innerText()).toContain('Regressed: capitals');
    expect(await plain.locator('main').innerText()).toContain('The capital of Australia is');
    await plain.close();
  });

  describe('a page with ten thousand tests of 300 letters a side', () => {
    let html: string;
    beforeAll(async () => {
      html = await renderHtml(many(10_000, 300));
      await openHtml(html);
      await says('10,000 of 10,000 shown');
    });
    const openRow = (id: string) => page.locator('.case[open]', { hasText: id });

    test('has the whole answers in 12 MB, and renders only the rows near the window', async () => {
      expect(html.length).toBeLessThan(12_000_000);
      for (const at of [0.25, 0.5, 0.75, 1]) {
        await page.evaluate(`scrollTo(0, document.documentElement.scrollHeight * ${String(at)})`);
        await until(
          `[...document.querySelectorAll('.case')].some((row) => {
            const { top } = row.getBoundingClientRect();
            return top > 0 && top < innerHeight;
          })`,
        );
        expect(await page.locator('*').count()).toBeLessThan(1_500);
      }
      expect(complaints).toEqual([]);
    });

    test('finds text in rows that are not rendered, and filters by tag', async () => {
      await page.getByLabel('Find in tests').fill('number 9991 about');
      await says('1 of 10,000 shown');
      await page.locator('.case', { hasText: 'case-9991' }).waitFor();
      expect(await shownIds()).toEqual(['case-9991']);
      await page.getByLabel('Find in tests').fill('');
      await page.locator('select[name=tag]').selectOption('even');
      await says('5,000 of 10,000 shown');
      await page.locator('select[name=tag]').selectOption('');
    });

    test('opens the test that its address names, and is used with the keyboard', async () => {
      await page.evaluate(`location.hash = '#test/big/case-7003'`);
      await openRow('case-7003').waitFor();
      await until(`document.activeElement.localName === 'summary'`);
      await until(
        `Math.abs(document.getElementById('test/big/case-7003').getBoundingClientRect().top) < 40`,
      );
      await page.keyboard.press('ArrowDown');
      await until(`document.activeElement.textContent.includes('case-7004')`);
      await page.keyboard.press('Enter');
      await openRow('case-7004').waitFor();
      await page.keyboard.press('Escape');
      await openRow('case-7004').waitFor({ state: 'detached' });
      await page.keyboard.press('Home');
      await until(`document.activeElement.textContent.includes('case-0')`);
      await page.keyboard.press('End');
      await until(`document.activeElement.textContent.includes('case-9999')`);
      await page.keyboard.press('/');
      expect(await page.evaluate('document.activeElement.type')).toBe('search');
      await page.keyboard.press('ArrowDown');
      await until(`document.activeElement.textContent.includes('case-0')`);
    });
  });

  test.each<[string, () => Result]>([
    ['a regression', regression],
    ['hostile text', hostile],
    ['attributes', withKinds],
    ['a sweep', sweepOfModels],
  ])(
    'a page with %s is accessible and fits a phone, in every tab with everything open',
    async (_, build) => {
      await open(build(), { width: 390 });
      await page.locator('.filter summary').click();
      await page.getByRole('button', { name: 'Open all' }).click();
      for (const tab of await page.locator('nav a').all()) {
        await tab.click();
        await page.locator('main details').evaluateAll((all) => {
          for (const element of all) element.setAttribute('open', '');
        });
        expect(await axeFindings(page)).toEqual([]);
        expect(
          await page
            .locator('.wide')
            .evaluateAll((all) =>
              all
                .filter((element) => element.scrollWidth > element.clientWidth)
                .map((element) => element.textContent.slice(0, 40)),
            ),
        ).toEqual([]);
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
      }
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
    file: 'result.json',
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
  const pages: [string, () => Promise<string> | string, string][] = [
    ['attributes', () => renderHtml(withKinds()), '#attributes'],
    ['a sweep', () => renderHtml(sweepOfModels()), '#suites'],
    ['a trend', () => renderHtml(sweepOfModels(), trendOf(history)), '#trend'],
  ];

  test.each(
    pages.flatMap(([what, html, hash]) =>
      (['light', 'dark'] as const).map((scheme) => [what, scheme, html, hash] as const),
    ),
  )('every text of %s has enough contrast in the %s scheme', async (_what, scheme, html, hash) => {
    await openHtml(await html(), { scheme, hash });
    await page.locator('main').waitFor();
    const texts = await contrasts(page);
    expect(texts.length).toBeGreaterThan(5);
    expect(texts.filter(({ ratio }) => !(ratio >= 4.5))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test.each(pages)('charts of %s fit a phone', async (_what, html, hash) => {
    await openHtml(await html(), { width: 390, hash });
    await page.locator('main').waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(390);
    for (const box of await page.locator('svg').evaluateAll((all) =>
      all.map((element) => {
        const { left, right } = element.getBoundingClientRect();
        return { left, right };
      }),
    )) {
      expect(box.left).toBeGreaterThanOrEqual(0);
      expect(box.right).toBeLessThanOrEqual(390);
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
