import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { matricesOf } from '../../../../src/features/workbench/workbench-rows.ts';
import { boardOf } from '../../../../src/features/workbench/workbench.ts';
import { axeFindings } from '../../../stand-ins/axe.ts';
import { inBrowser, openTestBrowser, openWindow } from '../../../stand-ins/browser.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { hostileTexts } from '../../../stand-ins/hostile-text.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { REPORTS } from '../../../stand-ins/reports.ts';
import { fixtureEnvironment, temporaryFolder } from '../../../stand-ins/repository.ts';
import { openWorkbench, type OpenWorkbench } from '../../../stand-ins/workbench.ts';
import { withKinds } from '../../../unit/report/kinds.ts';

const CLI = fileURLToPath(new URL('../../../../src/cli.ts', import.meta.url));

const PROMPT_FILE = 'prompts/ask.yaml';
const TEST_FILE = 'prompts/tests/ask.yaml';

const TESTS = `# what customers ask
metrics: [{ name: same, uses: exact_match }]
references:
  - { id: returns, input: { q: "How long?" }, expected: "30 days" } # asked daily
  - id: carrier
    input: { q: "Who?" }
    tags: [critical]
    expected: Northmail
`;

// Without a price, so that calls do not wait for the first answer of their model.
const MODEL = 'provider: openai, endpoint: local';

const FILES = {
  'evaldiff.yaml': `n_tries: 2\nmodels:\n  m: { model: model-1, ${MODEL} }\n  other: { model: model-2, ${MODEL} }\n`,
  [PROMPT_FILE]:
    'name: ask\nmodel: m\ndefaults: [tests/ask]\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "Answer: {q}" }]\n',
  [TEST_FILE]: TESTS,
};

const HOSTILE = Object.values(hostileTexts).join('\n').toWellFormed();

/** The model answers correctly unless the prompt says how to answer. */
const answers: Script = ({ messages }) => {
  const text = JSON.stringify(messages);
  const right = text.includes('Who') ? 'Northmail' : '30 days';
  if (text.includes('Hostile')) return { text: HOSTILE };
  if (text.includes('Slowly') && !text.includes('Who')) return new Promise(() => undefined);
  return { text: text.includes('Reply') ? 'no idea' : right };
};

describe('evaldiff dev', () => {
  test('names the port that is in use and exits', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const port = String((other.address() as AddressInfo).port);
    const { code, err } = await commandIn(temporaryFolder('port'), ['dev', '--port', port]);
    expect([code, err]).toEqual([
      2,
      `--port: ${port} is in use or not allowed; choose another, or omit it for any free port\n`,
    ]);
    other.close();
  });
});

inBrowser('the workbench in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openTestBrowser();
  });
  afterAll(() => browser.close());

  const complaints: string[] = [];

  async function windowOf(url: string) {
    const page = await openWindow(browser, { viewport: { width: 1400, height: 900 } });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('dialog', (dialog) => {
      complaints.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto(url);
    return page;
  }

  const says = (page: Page, selector: string, words: string | RegExp) =>
    page.locator(selector, { hasText: words }).first().waitFor();

  /** The reply to an action that the page sends. */
  async function replyTo(page: Page, work: () => Promise<void>): Promise<unknown> {
    const answered = page.waitForResponse((response) => response.url().endsWith('/act'));
    await work();
    return (await answered).json();
  }

  const cell = (page: Page, row: string, column: string) =>
    page.locator('.ref', { hasText: row }).locator(`[data-cell="${column}"]`);

  describe('the workbench', () => {
    let bench: OpenWorkbench;
    let page: Page;
    beforeAll(async () => {
      bench = await openWorkbench({ files: FILES, answer: answers });
      page = await windowOf(bench.url);
    });
    afterAll(() => bench.close());

    beforeEach(async () => {
      await says(page, 'h1', 'Nothing affected');
      await says(page, '#state', 'up to date');
    });
    afterEach(async () => {
      jest.restoreAllMocks();
      syncBuiltinESMExports();
      await page.keyboard.press('Escape');
      while ((await bench.board()).undo) await bench.act({ kind: 'undo' });
      for (const [path, text] of Object.entries(FILES)) {
        if (bench.file(path) !== text) writeFileSync(join(bench.directory, path), text);
      }
      expect(complaints.splice(0)).toEqual([]);
    });

    const edit = (from: string, to: string) => bench.edit(PROMPT_FILE, from, to);

    /** Edits the prompt so that every answer is wrong, and opens the first reference's cell. */
    async function openReturns() {
      edit('Answer:', 'Reply:');
      await says(page, 'h1', 'Regressed');
      await cell(page, 'returns', 'head m').click();
      await page.locator('[data-kind=accept][data-cell="head m"]').first().waitFor();
    }

    test('serves only requests with its address and host name, and accepts actions only from its page', async () => {
      const { host, origin } = new URL(bench.url);
      const json = { 'content-type': 'application/json' };
      const status = async (...request: Parameters<typeof bench.asked>) =>
        (await bench.asked(...request)).status;
      expect(await status('')).toBe(200);
      expect(await status('/')).toBe(404);
      expect(await status('/wrong-token/')).toBe(404);
      expect(await status('', { host: 'evil.example' })).toBe(404);
      expect(await status('act', json, 'POST')).toBe(403);
      expect(await status('act', { ...json, origin: 'http://evil.example' }, 'POST')).toBe(403);
      expect(await status('act', { origin }, 'POST')).toBe(403);
      expect(await status('act', { ...json, origin, host }, 'POST')).toBe(200);
      const { headers } = await bench.asked('board');
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect((await bench.asked('')).headers['content-security-policy']).toContain(
        "default-src 'none'",
      );
    });

    test('shows, after each edit and in every window, the verdict that the pull request would get', async () => {
      const second = await windowOf(bench.url);
      edit('Answer:', 'Reply:');
      await says(page, 'h1', 'Regressed');
      await says(second, 'h1', 'Regressed');
      await second.close();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await says(page, '#detail .base mark', 'Answer');
      await says(page, '#detail .head td', 'no idea');
    });

    test('shows answers as they arrive and discards them after the next edit', async () => {
      await page.evaluate(
        `window.seen = []; new MutationObserver(() => { const old = document.getElementById('old'); if (!old.hidden) window.seen.push(document.querySelector('h1').textContent); }).observe(document.getElementById('old'), { attributes: true })`,
      );
      edit('Answer:', 'Slowly:');
      await says(page, 'h1', 'No verdict yet');
      await says(page, '.ref:has-text("carrier") [data-cell="head m"]', '2/2');
      expect(await cell(page, 'returns', 'head m').textContent()).toBe('–');
      await says(page, '#state', /\d of 8 answers/);
      edit('Slowly:', 'Reply:');
      await says(page, 'h1', 'Regressed');
      // Whenever the headline was outdated by an edit, the page said so.
      expect(await page.evaluate('window.seen')).toEqual(
        expect.arrayContaining([
          expect.stringContaining('Nothing affected'),
          expect.stringContaining('No verdict yet'),
        ]),
      );
    });

    test('can accept an answer as the expected value by keyboard, and can undo this', async () => {
      await openReturns();
      expect(await replyTo(page, () => page.keyboard.press('a'))).toMatchObject({ bad: false });
      expect(bench.file(TEST_FILE)).toBe(TESTS.replace('"30 days"', '"no idea"'));
      await says(page, '#state', /its answer is now the expected answer, in .* · up to date/);
      await page.locator('#undo:enabled').waitFor();
      await page.keyboard.press('u');
      await page.locator('#undo:disabled').waitFor();
      expect(bench.file(TEST_FILE)).toBe(TESTS);
    });

    test('marks the current reference for keyboard users and keeps the focus on the same button', async () => {
      await page.locator('.ref', { hasText: 'returns' }).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.locator('#detail button[data-form=skip]').focus();
      edit('Answer:', 'Reply:');
      await says(page, '#detail .head td', 'no idea');
      expect(await page.evaluate('document.activeElement.dataset.form')).toBe('skip');
    });

    test('runs more tries only for the selected cell of the table', async () => {
      await openReturns();
      const asked = bench.server.requests.length;
      // This reference is critical and fails, so it gets more tries than the two in the settings.
      const carrier = await cell(page, 'carrier', 'base m').textContent();
      await page.keyboard.press('m');
      await says(page, '#state', 'returns has more tries; the headline does not include them');
      await says(page, '.ref:has-text("returns") [data-cell="head m"]', '0/5');
      expect(await cell(page, 'returns', 'base m').textContent()).toContain('2/2');
      expect(bench.server.requests.length - asked).toBe(3);
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('m');
      await says(page, '.ref:has-text("returns") [data-cell="base m"]', '5/5');
      expect(await cell(page, 'carrier', 'base m').textContent()).toBe(carrier);
    });

    test('edits tags, skips and references without changing comments or order', async () => {
      const submit = async (key: string, fields: Record<string, string>) => {
        await page.locator('.ref', { hasText: 'carrier' }).click();
        await page.locator('[data-kind=close]').waitFor();
        expect(await page.locator('form:visible').count()).toBe(0);
        await page.keyboard.press(key);
        for (const [name, value] of Object.entries(fields))
          await page.locator(`#detail form:not([hidden]) [name="${name}"]`).fill(value);
        await bench.boardAfter(async () => {
          const sent = () => page.locator('#detail form:not([hidden]) button').click();
          expect(await replyTo(page, sent)).toMatchObject({ bad: false });
        });
      };
      await submit('t', { tag: 'odd' });
      await submit('s', { reason: 'the carrier changes' });
      await submit('n', { 'input:q': 'Where?', expected: 'At home' });
      expect(bench.file(TEST_FILE)).toBe(
        TESTS.replace('[critical]', '[critical, "odd"]')
          .replace('  - id: carrier', '  # skipped: the carrier changes\n  - id: carrier')
          .replace(
            'Northmail\n',
            'Northmail\n    skip: true\n  - { input: { q: "Where?" }, expected: "At home" }\n',
          ),
      );
    });

    test('opens the form requested by a key press even if the details of the selected reference load later', async () => {
      await page.locator('.ref', { hasText: 'returns' }).click();
      await page.locator('[data-kind=close]').waitFor();
      const held: (() => Promise<void>)[] = [];
      await page.route('**/detail?*', (route) => void held.push(() => route.continue()));
      const form = page.locator('#detail form[data-kind=add]');
      const choose = async (id: string) => {
        const asked = page.waitForRequest('**/detail?*');
        await page.locator('.ref', { hasText: id }).click();
        await asked;
      };
      await choose('carrier');
      await page.keyboard.press('n');
      await held.shift()?.();
      await form.waitFor();
      expect(await page.locator('#detail').textContent()).toContain('Northmail');
      await form.locator('[name=expected]').fill('At home');
      await choose('carrier');
      await held.shift()?.();
      // A later request has finished, so the page has handled the held one.
      await page.evaluate(`fetch('board').then((answer) => answer.text())`);
      await page.unroute('**/detail?*');
      expect(await form.locator('[name=expected]').inputValue()).toBe('At home');
    });

    test('writes simultaneous actions of two windows without losing either', async () => {
      const second = await windowOf(bench.url);
      await second.locator('.ref').first().waitFor();
      const tags = (tag: string, id: string) => bench.act({ kind: 'tag', tag }, id);
      // Sent at once: each action waits for the refresh after the previous one.
      const replies = await Promise.all([
        tags('a', 'returns'),
        tags('c', 'returns'),
        tags('b', 'carrier'),
      ]);
      expect(replies.map(({ bad }) => bad)).toEqual([false, false, false]);
      expect(bench.file(TEST_FILE)).toBe(
        TESTS.replace('"30 days" }', '"30 days", tags: ["a", "c"] }').replace(
          '[critical]',
          '[critical, "b"]',
        ),
      );
      for (const each of [page, second]) await says(each, '.ref .chip', /^a$/);
      await second.close();
    });

    test.each([
      [
        'that is laid out so that more would change',
        (text: string) =>
          text.replace('"30 days"', '&days "30 days"').replace('Northmail', '*days'),
        (text: string) => text,
        "the file's layout cannot be kept",
      ],
      [
        'that another program changed meanwhile',
        (text: string) => text,
        (text: string) => text.replace('returns', 'sending'),
        /changed since it was read|no longer at this place/,
      ],
    ])('does not change a file %s and gives the reason', async (_, before, meanwhile, why) => {
      const path = join(bench.directory, TEST_FILE);
      await bench.boardAfter(() => writeFileSync(path, before(`${TESTS}# more\n`)));
      edit('Answer:', 'Reply:');
      await says(page, '.ref:has-text("returns") [data-cell="head m"]', '0/2');
      await page.locator('.ref', { hasText: 'returns' }).click();
      await page.locator('[data-kind=accept][data-cell="head m"]').waitFor();
      const now = meanwhile(before(`${TESTS}# more\n`));
      writeFileSync(path, now);
      const reply = await replyTo(page, () =>
        page.evaluate(`document.querySelector('[data-kind=accept][data-cell="head m"]').click()`),
      );
      expect(reply).toEqual({ said: expect.stringMatching(why), bad: true });
      expect(bench.file(TEST_FILE)).toBe(now);
    });

    test('reports a full disk, loses nothing, and writes and undoes once there is space', async () => {
      await openReturns();
      const folder = join(bench.directory, 'prompts/tests');
      const before = readdirSync(folder);
      // Simulates a full disk for our file alone: part of it is written, then writing fails.
      const fill = () => {
        const write = files.writeFile;
        jest.spyOn(files, 'writeFile').mockImplementation(async (path, data, options) => {
          if (!String(path).includes('.evaldiff-new-')) return write(path, data, options);
          await write(path, String(data).slice(0, 20));
          throw Object.assign(new Error('ENOSPC: no space left on device, write'), {
            code: 'ENOSPC',
          });
        });
        syncBuiltinESMExports();
      };
      const free = () => {
        jest.restoreAllMocks();
        syncBuiltinESMExports();
      };
      fill();
      expect(await replyTo(page, () => page.keyboard.press('a'))).toEqual({
        said: `${TEST_FILE}: ENOSPC: no space left on device, write; nothing was written`,
        bad: true,
      });
      expect([bench.file(TEST_FILE), readdirSync(folder)]).toEqual([TESTS, before]);
      expect(await page.locator('#undo').isDisabled()).toBe(true);
      free();
      expect(await replyTo(page, () => page.keyboard.press('a'))).toMatchObject({ bad: false });
      fill();
      expect(await bench.act({ kind: 'undo' })).toEqual({
        said: `${TEST_FILE}: ENOSPC: no space left on device, write; nothing was undone`,
        bad: true,
      });
      free();
      expect(await bench.act({ kind: 'undo' })).toMatchObject({ bad: false });
      expect(bench.file(TEST_FILE)).toBe(TESTS);
    });

    test('shows hostile answers as plain text', async () => {
      edit('Answer:', 'Hostile:');
      await says(page, '.ref', '0/2');
      await page.locator('.ref', { hasText: 'returns' }).click();
      await says(page, '#detail td', '<script>alert(1)</script>');
      expect(await page.locator('#detail img, #detail svg').count()).toBe(0);
    });

    test('filters by status, tag and words, as the HTML report does, and keeps the filter after an edit', async () => {
      const shown = page.locator('.ref:visible');
      await page.locator('select[name=tags]').selectOption('critical');
      expect(await shown.allTextContents()).toEqual([expect.stringContaining('carrier')]);
      edit('Answer:', 'Reply:');
      await says(page, 'h1', 'Regressed');
      expect(await page.locator('select[name=tags]').inputValue()).toBe('critical');
      expect(await shown.count()).toBe(1);
      await page.locator('select[name=tags]').selectOption('');
      await page.keyboard.press('/');
      await page.keyboard.type('RETURNS');
      await says(page, '#filter output', '1 of 2 shown');
      await page.keyboard.press('Escape');
      await page.locator('#choices input').first().click();
      expect(await shown.count()).toBeLessThan(2);
      await page.locator('#choices input').first().click();
      expect(await shown.count()).toBe(2);
    });

    test('filters by attribute and shows exactly the references that have it', async () => {
      const result = withKinds(12);
      const board = boardOf({
        result,
        all: null,
        reports: REPORTS,
        matrices: matricesOf(result, null),
        missing: false,
        notes: [],
        empty: [],
      });
      const common = { note: 'up to date', bad: false, old: false, spend: '', undo: false };
      await page.route('**/board', (route) => route.fulfill({ json: { ...common, ...board } }));
      await page.reload();
      const shown = page.locator('.ref:visible');
      await page.locator('select[name=kinds]').waitFor();
      for (const { name, references } of result.attributes) {
        const option = page.locator('select[name=kinds] option', { hasText: name }).first();
        await page.locator('select[name=kinds]').selectOption(await option.getAttribute('value'));
        await says(page, '#filter output', `${references.length} of 12 shown`);
        expect(await shown.count()).toBe(references.length);
      }
      await page.unroute('**/board');
      await page.reload();
    });

    test('does not overwrite a field during typing', async () => {
      await page.locator('.ref', { hasText: 'returns' }).click();
      await page.locator('[data-kind=close]').waitFor();
      await page.keyboard.press('n');
      await page.locator('[name="input:q"]').fill('half a sen');
      edit('Answer:', 'Reply:');
      await says(page, 'h1', 'Regressed');
      expect(await page.locator('[name="input:q"]').inputValue()).toBe('half a sen');
      expect(await page.locator('form:visible').count()).toBe(1);
      await page.locator('[name="input:q"]').blur();
    });

    test('has no accessibility violations in dark and light, wide and narrow', async () => {
      await openReturns();
      await page.keyboard.press('n');
      const session = await page.context().newCDPSession(page);
      await session.send('Page.setBypassCSP', { enabled: true });
      for (const width of [860, 390])
        for (const colorScheme of ['dark', 'light'] as const) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 900 });
          const found = await axeFindings(page);
          expect({ width, colorScheme, found }).toEqual({ width, colorScheme, found: [] });
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(
            true,
          );
        }
      await page.setViewportSize({ width: 1400, height: 900 });
      // Otherwise the next reload requests an icon, which the page's policy forbids.
      await session.send('Page.setBypassCSP', { enabled: false });
      await page.locator('[name="input:q"]').blur();
    });
  });

  test("the workbench has a column per model, runs each cell separately and saves labelled answers as a rubric's examples", async () => {
    const rubric =
      '# how we speak\npolite:\n  prompt: "Is it polite? {completion}"\n  choice_scores: { "Yes": 1, "No": 0 } # two\n';
    const bench = await openWorkbench({
      args: ['model=m,other'],
      answer: ({ messages }) => {
        const text = JSON.stringify(messages);
        return {
          text: text.includes('polite') ? 'No' : text.includes('Who') ? 'no clue' : 'no idea',
        };
      },
      files: {
        ...FILES,
        'evaldiff.yaml': `${FILES['evaldiff.yaml']}grader: { model: m }\n`,
        [TEST_FILE]: TESTS.replace(
          '{ name: same, uses: exact_match }',
          '{ name: polite, rubric: polite, threshold: 1 }',
        ),
        'rubrics/polite.yaml': rubric,
      },
    });
    const page = await windowOf(bench.url);
    bench.edit(PROMPT_FILE, 'Answer:', 'Reply:');
    await says(page, '.ref:has-text("returns") [data-cell="head other"]', '0/2');
    expect(await page.locator('.top').first().innerText()).toMatch(
      /reference\s+base\s+working tree\s+base, other\s+other/,
    );
    await cell(page, 'returns', 'head other').click();
    await says(page, '#detail h2', 'ask, other');
    await page.keyboard.press('m');
    await says(page, '.ref:has-text("returns") [data-cell="head other"]', '0/5');
    expect(await cell(page, 'returns', 'head m').textContent()).toContain('0/2');
    const label = async (reference: string, as: string) => {
      await page.keyboard.press('Escape');
      await page.locator('.ref', { hasText: reference }).click();
      await page.locator('[data-form=label][data-cell="head other"]').click();
      await page.locator('form:not([hidden]) [name=label]').selectOption(as);
      await bench.boardAfter(async () => {
        const sent = () => page.locator('#detail form:not([hidden]) button').click();
        expect(await replyTo(page, sent)).toEqual({
          said: `an example of polite is labelled ${as}, in rubrics/polite.yaml`,
          bad: false,
        });
      });
    };
    await label('returns', 'No');
    // The grader graded this one No too; a person who disagrees labels it Yes.
    await label('carrier', 'Yes');
    expect(bench.file('rubrics/polite.yaml')).toBe(
      `${rubric}  examples: [{ content: "no idea", expected: "No" }, { content: "no clue", expected: "Yes" }]\n`,
    );
    await page.close();
    await bench.close();
  });

  test('the workbench works without git, and its page shows when the server process was killed', async () => {
    const directory = temporaryFolder('no-git');
    for (const [path, text] of Object.entries(FILES)) {
      await files.mkdir(join(directory, path, '..'), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    const child = spawn(process.execPath, ['--no-warnings', CLI, 'dev'], {
      cwd: directory,
      env: { ...fixtureEnvironment(), EVALDIFF_ENDPOINTS: 'local=http://127.0.0.1:9/v1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await new Promise<string>((resolve) =>
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const found = /http:\S+/.exec(text)?.[0];
        if (found !== undefined) resolve(found);
      }),
    );
    const page = await windowOf(url);
    await says(page, '.note', 'Only the working tree, without a comparison');
    await says(page, '.ref', 'returns');
    child.kill('SIGKILL');
    await says(page, '#state.bad', 'The workbench has ended');
    await page.keyboard.press('u');
    await says(page, '#state.bad', 'start evaldiff dev again');
    expect(await page.locator('.ref').count()).toBe(2);
    await page.close();
    complaints.length = 0;
  });
});
