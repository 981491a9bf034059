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
import { axeFindings } from '../../../stand-ins/axe.ts';
import { inBrowser, openTestBrowser, openWindow } from '../../../stand-ins/browser.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { hostileTexts } from '../../../stand-ins/hostile-text.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { fixtureEnvironment, temporaryFolder } from '../../../stand-ins/repository.ts';
import { openWorkbench, type OpenWorkbench } from '../../../stand-ins/workbench.ts';
import * as planted from '../coverage/planted.ts';

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
    const page = await openWindow(browser, { viewport: { width: 1280, height: 900 } });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('request', (request) => {
      if (!request.url().startsWith(url)) complaints.push(request.url());
    });
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

  const row = (page: Page, words: string) => page.locator('.case', { hasText: words });
  const marks = (page: Page, words: string) => row(page, words).locator('.dots');
  const write = (page: Page) =>
    replyTo(page, () => page.getByRole('button', { name: 'Write' }).first().click());

  describe('the workbench', () => {
    let bench: OpenWorkbench;
    let page: Page;
    beforeAll(async () => {
      bench = await openWorkbench({ files: FILES, answer: answers });
      page = await windowOf(bench.url);
    });
    afterAll(async () => {
      await page.close();
      await bench.close();
    });

    beforeEach(async () => {
      await says(page, 'h1', 'Nothing affected');
      await says(page, '.state', 'up to date');
    });
    afterEach(async () => {
      jest.restoreAllMocks();
      syncBuiltinESMExports();
      while ((await bench.seen()).undo !== null) await bench.act({ kind: 'undo' });
      for (const [path, text] of Object.entries(FILES)) {
        if (bench.file(path) !== text) writeFileSync(join(bench.directory, path), text);
      }
      // Closes all rows.
      await page.getByRole('button', { name: 'Close all' }).click();
      expect(complaints.splice(0)).toEqual([]);
    });

    const edit = (from: string, to: string) => bench.edit(PROMPT_FILE, from, to);

    /** Edits the prompt so that every answer is wrong, and selects the first test. */
    async function breakAnswers(id = 'returns') {
      edit('Answer:', 'Reply:');
      await says(page, 'h1', 'Regressed');
      await says(page, '.state', 'up to date');
      await row(page, id).locator('> summary').focus();
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
      const { headers } = await bench.asked('view');
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      const policy = (await bench.asked('')).headers['content-security-policy'];
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^;]*; script-src 'sha256-/);
      expect(policy).toContain("frame-ancestors 'none'");
    });

    test('shows, after each edit and in every window, the verdict that the pull request would get', async () => {
      const second = await windowOf(bench.url);
      edit('Answer:', 'Reply:');
      await says(page, 'h1', 'Regressed');
      await says(second, 'h1', 'Regressed');
      await second.close();
      await says(page, '.diff', 'Reply: {q}');
      await row(page, 'returns').locator('> summary').click();
      await says(page, '.transcript .head', 'no idea');
      await page.getByText('Prompt as sent').click();
      await says(page, '.panel details .base mark', 'Answer');
    });

    test('shows answers as they arrive and discards them after the next edit', async () => {
      edit('Answer:', 'Slowly:');
      await says(page, 'h1', 'No verdict yet');
      await says(page, '.case:has-text("carrier") .dots', '2/2');
      await says(page, '.case:has-text("returns") .chip', 'not asked yet');
      await says(page, '.state', /\d of 8 answers/);
      edit('Slowly:', 'Reply:');
      await says(page, 'h1', 'Regressed');
    });

    test('keeps the last valid state while a file is broken, with the error and its line on top', async () => {
      await breakAnswers();
      writeFileSync(
        join(bench.directory, TEST_FILE),
        TESTS.replace('tags: [critical]', 'tags: [critical'),
      );
      await says(page, '[role=alert] li', /^prompts\/tests\/ask\.yaml:\d+: is not valid YAML/);
      await says(page, '.state.bad', 'the last valid state is shown');
      expect(await page.locator('h1').innerText()).toContain('Regressed');
      expect(await page.locator('.case').count()).toBe(2);
      writeFileSync(join(bench.directory, TEST_FILE), TESTS);
      await page.locator('[role=alert]').waitFor({ state: 'detached' });
    });

    test('can accept an answer as the expected value by keyboard, and can undo this', async () => {
      await breakAnswers();
      await page.keyboard.press('a');
      await page.getByLabel('Expected text').waitFor();
      expect(await replyTo(page, () => page.keyboard.press('Enter'))).toMatchObject({ bad: false });
      expect(bench.file(TEST_FILE)).toBe(TESTS.replace('"30 days"', '"no idea"'));
      await says(page, '.state', /its answer is now the expected answer, in .* · up to date/);
      await page.keyboard.press('u');
      await says(page, '.state', /undone: .* · up to date/);
      expect(bench.file(TEST_FILE)).toBe(TESTS);
    });

    test('makes more tries of a test on request', async () => {
      await breakAnswers();
      const asked = bench.server.requests.length;
      const carrier = await marks(page, 'carrier').innerText();
      await page.keyboard.press('m');
      await says(page, '.case:has-text("returns") .dots', '0/5');
      expect(await marks(page, 'returns').innerText()).toContain('2/2');
      expect(bench.server.requests.length - asked).toBe(3);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'more on both sides' }).click();
      await says(page, '.case:has-text("returns") .dots', '5/5');
      expect(await marks(page, 'carrier').innerText()).toBe(carrier);
    });

    test('edits tags, skips, comments and tests without changing anything else', async () => {
      await row(page, 'carrier').locator('> summary').focus();
      // A written form leaves the focus on its test, so the next key applies to it.
      const submit = async (key: string, fields: Record<string, string>) => {
        await page.keyboard.press(key);
        for (const [name, value] of Object.entries(fields))
          await page.locator(`form [name="${name}"]`).fill(value);
        await bench.seenAfter(async () => {
          expect(await write(page)).toMatchObject({ bad: false });
        });
        await page.locator('form').waitFor({ state: 'detached' });
      };
      await submit('t', { tag: 'odd' });
      await submit('c', { text: 'ask Ada' });
      await submit('s', { reason: 'the carrier changes' });
      await submit('n', { 'input:q': 'Where?', expected: 'At home' });
      expect(bench.file(TEST_FILE)).toBe(
        TESTS.replace('[critical]', '[critical, "odd"]')
          .replace(
            '  - id: carrier',
            '  # ask Ada\n  # skipped: the carrier changes\n  - id: carrier',
          )
          .replace(
            'Northmail\n',
            'Northmail\n    skip: true\n  - { input: { q: "Where?" }, expected: "At home" }\n',
          ),
      );
    });

    test('writes simultaneous actions of two windows without losing either', async () => {
      const second = await windowOf(bench.url);
      await second.locator('.case').first().waitFor();
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
      for (const each of [page, second]) await says(each, '.case .chip', /^a$/);
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
        /changed since it was read|no longer/,
      ],
    ])(
      'does not change a file %s, gives the reason and keeps the form',
      async (_, before, meanwhile, why) => {
        const path = join(bench.directory, TEST_FILE);
        await bench.seenAfter(() => writeFileSync(path, before(`${TESTS}# more\n`)));
        edit('Answer:', 'Reply:');
        await says(page, '.case:has-text("returns") .dots', '0/2');
        await says(page, '.state', 'up to date');
        await row(page, 'returns').locator('> summary').focus();
        await page.keyboard.press('a');
        await page.getByLabel('Expected text').fill('mine');
        const now = meanwhile(before(`${TESTS}# more\n`));
        writeFileSync(path, now);
        // Sent at once, before the page has the new file.
        const reply = await replyTo(page, () => page.keyboard.press('Control+Enter'));
        expect(reply).toEqual({ said: expect.stringMatching(why), bad: true });
        expect(bench.file(TEST_FILE)).toBe(now);
        expect(await page.getByLabel('Expected text').inputValue()).toBe('mine');
        await page.keyboard.press('Escape');
      },
    );

    test('reports a full disk, loses nothing, and writes and undoes once there is space', async () => {
      await breakAnswers();
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
      await page.keyboard.press('a');
      expect(await write(page)).toEqual({
        said: `${TEST_FILE}: ENOSPC: no space left on device, write; nothing was written`,
        bad: true,
      });
      expect([bench.file(TEST_FILE), readdirSync(folder)]).toEqual([TESTS, before]);
      expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true);
      free();
      expect(await write(page)).toMatchObject({ bad: false });
      fill();
      expect(await bench.act({ kind: 'undo' })).toEqual({
        said: `${TEST_FILE}: ENOSPC: no space left on device, write; nothing was undone`,
        bad: true,
      });
      free();
      expect(await bench.act({ kind: 'undo' })).toMatchObject({ bad: false });
      expect(bench.file(TEST_FILE)).toBe(TESTS);
    });

    test('shows hostile answers as plain text, in forms too', async () => {
      edit('Answer:', 'Hostile:');
      await says(page, '.case', '0/2');
      await says(page, '.state', 'up to date');
      await row(page, 'returns').locator('> summary').focus();
      await page.keyboard.press('a');
      await says(page, '.transcript .head', '<script>alert(1)</script>');
      expect(await page.locator('main :is(img, iframe, script, object, video)').count()).toBe(0);
      const shown = (await page.locator('#root').textContent()) ?? '';
      expect(/[\u200b\u202e\ufeff\p{Cs}]/u.test(shown)).toBe(false);
    });

    test('keeps filter, focus, typed text and the place of a row when an edit reorders the tests', async () => {
      await page.locator('select[name=tag]').selectOption('critical');
      await says(page, 'output', '1 of 2 shown');
      await row(page, 'carrier').locator('> summary').focus();
      await page.keyboard.press('n');
      await page.getByLabel('q', { exact: true }).fill('half a sen');
      const field = () => page.locator('[name="input:q"]');
      const before = await field().boundingBox();
      edit('Answer:', 'Reply:');
      await says(page, 'h1', 'Regressed');
      await says(page, '.state', 'up to date');
      await page.locator('select[name=tag]').selectOption('');
      await field().focus();
      edit('Reply:', 'Answer:');
      await says(page, 'h1', 'Nothing affected');
      await page.keyboard.type('tence');
      expect(await field().inputValue()).toBe('half a sentence');
      expect(before).not.toBeNull();
      await page.keyboard.press('Escape');
    });

    test('edits a prompt: its unsaved answers are shown, and nothing is lost if the file changes meanwhile', async () => {
      await row(page, 'returns').locator('> summary').focus();
      await page.keyboard.press('e');
      const editor = page.getByLabel(PROMPT_FILE);
      const text = await editor.inputValue();
      expect(text).toBe(FILES[PROMPT_FILE]);
      const mine = text.replace('Answer:', 'Reply:');
      await editor.fill(mine);
      await page.getByRole('button', { name: 'Try it unsaved' }).click();
      await says(page, 'h1', 'Regressed');
      await says(page, '.verdict', `unsaved text of ${PROMPT_FILE}`);
      await says(page, '.transcript .head', 'no idea');
      expect(bench.file(PROMPT_FILE)).toBe(text);
      // Another program changes the file.
      const theirs = text.replace('name: ask', 'name: ask # theirs');
      writeFileSync(join(bench.directory, PROMPT_FILE), theirs);
      await says(page, '[role=alert]', 'The file has changed on disk');
      await says(page, '.fields pre', '# theirs');
      expect(await editor.inputValue()).toBe(mine);
      await says(page, '.state', 'up to date');
      const reply = await replyTo(page, () =>
        page.getByRole('button', { name: 'Overwrite the file' }).click(),
      );
      expect(reply).toEqual({ said: `the prompt is saved, in ${PROMPT_FILE}`, bad: false });
      expect(bench.file(PROMPT_FILE)).toBe(mine);
      await bench.seenWhen(({ draft, note }) => draft === null && note === 'up to date');
      await bench.act({ kind: 'undo' });
      expect(bench.file(PROMPT_FILE)).toBe(theirs);
    });

    test('has no accessibility violations in dark and light, wide and narrow', async () => {
      await breakAnswers();
      await page.keyboard.press('n');
      await page.locator('form').waitFor();
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
      await page.setViewportSize({ width: 1280, height: 900 });
      // Otherwise the next reload requests an icon, which the page's policy forbids.
      await session.send('Page.setBypassCSP', { enabled: false });
    });
  });

  test("the workbench has a row per model, runs each separately and saves rated answers as a rubric's examples", async () => {
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
    await bench.seenAfter(() => bench.edit(PROMPT_FILE, 'Answer:', 'Reply:'));
    await says(page, '.case:has-text("returns"):has-text("other") .dots', '0/2');
    const other = (id: string) => row(page, 'other').filter({ hasText: id });
    await other('returns').locator('> summary').focus();
    await page.keyboard.press('m');
    await says(page, '.case:has-text("returns"):has-text("other") .dots', '0/5');
    expect(
      await row(page, 'returns').filter({ hasNotText: 'other' }).locator('.dots').innerText(),
    ).not.toContain('0/5');
    const rate = async (id: string, label: string) => {
      const summary = other(id).locator('> summary');
      await summary.click();
      await other(id).getByRole('button', { name: "Rate head's answer" }).click();
      await page.getByLabel('Rubric and label').selectOption({ label: `polite: ${label}` });
      await bench.seenAfter(async () => {
        expect(await write(page)).toEqual({
          said: `an example of polite is labelled ${label}, in rubrics/polite.yaml`,
          bad: false,
        });
      });
      await summary.click();
    };
    await rate('returns', 'No');
    // The grader graded this one No too; a person who disagrees labels it Yes.
    await rate('carrier', 'Yes');
    expect(bench.file('rubrics/polite.yaml')).toBe(
      `${rubric}  examples: [{ content: "no idea", expected: "No" }, { content: "no clue", expected: "Yes" }]\n`,
    );
    await page.close();
    await bench.close();
    expect(complaints.splice(0)).toEqual([]);
  });

  test('the workbench is enough for a day: edit, break, mend, search, accept, rate, write to a table, undo', async () => {
    const table =
      'id,q,expected,tags\nreturns,"How long, roughly?",30 days,asked\ncarrier,Who?,Northmail,"asked, critical"\n';
    const bench = await openWorkbench({
      answer: answers,
      files: {
        ...FILES,
        [TEST_FILE]:
          'metrics: [{ name: has, uses: contains }]\nreferences_from: { file: data/asked.csv }\n',
        'data/asked.csv': table,
      },
    });
    const page = await windowOf(bench.url);
    const csv = () => bench.file('data/asked.csv');
    await says(page, '.state', 'up to date');
    expect(await page.locator('.case').count()).toBe(2);
    // Edit: both tests break.
    bench.edit(PROMPT_FILE, 'Answer:', 'Reply:');
    await says(page, 'h1', 'Regressed');
    // Break the file and mend it.
    bench.edit(PROMPT_FILE, 'variables: [', 'variables: ');
    await says(page, '[role=alert] li', 'prompts/ask.yaml:');
    expect(await page.locator('.case').count()).toBe(2);
    bench.edit(PROMPT_FILE, 'variables: ', 'variables: [');
    await page.locator('[role=alert]').waitFor({ state: 'detached' });
    await says(page, '.state', 'up to date');
    // Search a word of an answer.
    await page.keyboard.press('/');
    await page.getByLabel('Find in tests').fill('northmail');
    await says(page, 'output', '1 of 2 shown');
    await page.getByLabel('Find in tests').fill('no idea');
    await says(page, 'output', '2 of 2 shown');
    // Accept a part of an answer into the table.
    await row(page, 'returns').locator('> summary').focus();
    await page.keyboard.press('a');
    await page.getByLabel('has looks for it').fill('no, idea');
    await bench.seenAfter(() => write(page));
    const accepted = table.replace('30 days', '"no, idea"');
    expect(csv()).toBe(accepted);
    // Tag the other test, then take it back.
    await row(page, 'carrier').locator('> summary').focus();
    await page.keyboard.press('t');
    await page.getByLabel('Tag', { exact: true }).fill('odd');
    await bench.seenAfter(() => write(page));
    expect(csv()).toBe(accepted.replace('critical"', 'critical, odd"'));
    await bench.seenAfter(() =>
      page
        .locator('h1')
        .click()
        .then(() => page.keyboard.press('u')),
    );
    expect(csv()).toBe(accepted);
    // Add a test.
    await row(page, 'carrier').locator('> summary').focus();
    await page.keyboard.press('n');
    await page.locator('[name="input:q"]').fill('Where, exactly?');
    await page.locator('[name=expected]').fill('At home');
    await bench.seenAfter(() => write(page));
    expect(csv()).toBe(`${accepted},"Where, exactly?",At home,\n`);
    await page.close();
    const { err } = await bench.stop();
    expect(err).not.toContain('Error');
    await bench.close();
    expect(complaints.splice(0)).toEqual([]);
  });

  test('the workbench shows which line no test holds, says the price of a test for it, and writes the test', async () => {
    const bench = await openWorkbench({
      files: planted.shopFiles(planted.GRADER),
      answer: planted.draftingModel(planted.TEST_DRAFTS),
    });
    const page = await windowOf(bench.url);
    await page.getByRole('link', { name: 'Lines' }).click();
    const tests = 'prompts/tests/shop.yaml';
    const before = bench.file(tests);
    const press = (key: string) => replyTo(page, () => page.keyboard.press(key));
    await says(page, '.state', 'up to date');
    expect(await press('l')).toEqual({
      said: expect.stringMatching(
        /^This makes 24 calls for the first answers, up to 192 calls without some of the lines; .*\. Press again to ask\.$/,
      ),
      bad: false,
    });
    expect(bench.server.requests).toHaveLength(0);
    expect(await press('l')).toMatchObject({ bad: false });
    const line = page.locator('tr', { hasText: 'Sign every answer as Ada.' });
    await line.getByText('untested').waitFor();
    expect(await page.locator('[data-key=d]').count()).toBe(1);
    // The answers of the search are kept, so only the test's own calls are announced.
    expect(await press('d')).toMatchObject({
      said: expect.stringMatching(
        / up to 26 calls without some of the lines; .* 24 answers stored/,
      ),
    });
    const asked = bench.server.requests.length;
    await line.getByRole('button', { name: 'Ask now (d)' }).focus();
    await page.keyboard.press('d');
    await line.getByText('passes 4 of 4 times with the line').waitFor();
    expect(bench.server.requests.length - asked).toBeLessThanOrEqual(26);
    const session = await page.context().newCDPSession(page);
    await session.send('Page.setBypassCSP', { enabled: true });
    expect(await axeFindings(page)).toEqual([]);
    await session.send('Page.setBypassCSP', { enabled: false });
    expect(bench.file(tests)).toBe(before);
    await bench.seenAfter(() => press('w'));
    const added = '  - { input: { question: "Who are you?" }, expected: "Ada" }';
    expect(bench.file(tests)).toBe(`${before}${added}\n`);
    // The tests have changed, so the page hides the lines.
    await line.waitFor({ state: 'detached' });
    await bench.seenAfter(() => press('u'));
    expect(bench.file(tests)).toBe(before);
    await line.getByText('untested').waitFor();
    // Another text hides the lines, too.
    const prompt = '["prompts/shop.yaml","shop"]';
    const text = bench.file(planted.FILE).replace('Be polite.', 'Be brief.');
    expect(await bench.act({ kind: 'draft', prompt, text })).toMatchObject({ bad: false });
    await line.waitFor({ state: 'detached' });
    expect(await bench.act({ kind: 'discard' })).toMatchObject({ bad: false });
    await line.getByText('untested').waitFor();
    bench.edit(planted.FILE, 'Be polite.', 'Be kind.');
    await line.waitFor({ state: 'detached' });
    bench.edit('evaldiff.yaml', planted.GRADER, '');
    await says(page, '.state', 'up to date');
    const refused = { kind: 'cover', prompt, line: 'Sign every answer as Ada.', isAgreed: false };
    expect(await bench.act(refused)).toEqual({
      said: 'evaldiff.yaml: A drafted test needs a grader; set grader: { model: … }',
      bad: true,
    });
    await page.close();
    await bench.close();
    expect(complaints.splice(0)).toEqual([]);
  });

  test('the page alone leads from an empty folder to a red difference and back to green', async () => {
    const bench = await openWorkbench({
      answer: ({ messages }) => {
        const asked = JSON.stringify(messages);
        if (asked.includes('parcel?')) return { text: 'Northmail brings it.' };
        return { text: asked.includes('30 days') ? 'Within 30 days.' : 'As long as you like.' };
      },
      files: {},
      git: false,
      env: { OPENAI_API_KEY: 'key-1' },
    });
    const page = await windowOf(bench.url);
    const file = 'prompts/support.yaml';
    await page.getByRole('button', { name: 'Write an example' }).click();
    await says(page, '.case', 'returns');
    await says(page, '.state', 'up to date');
    const written = bench.file(file);
    await row(page, 'returns').locator('> summary').focus();
    await page.keyboard.press('e');
    const editor = page.getByLabel(file);
    await editor.fill(written.replace('  Returns are possible within 30 days.\n', ''));
    await page.getByRole('button', { name: 'Try it unsaved' }).click();
    await says(page, 'h1', 'Regressed: support');
    await says(page, 'main', `${file}:`);
    await says(page, '.soft', 'Base is the saved text');
    await editor.fill(written.replace('in at most two sentences', 'in one sentence'));
    await page.getByRole('button', { name: 'Try it unsaved' }).click();
    await says(page, 'h1', 'No change found');
    await page.close();
    await bench.close();
    expect(complaints.splice(0)).toEqual([]);
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
    await says(page, 'p', 'Only the working tree, without a comparison');
    await says(page, '.case', 'returns');
    child.kill('SIGKILL');
    await says(page, '.state.bad', 'evaldiff dev has ended');
    await page.keyboard.press('u');
    await says(page, '.state.bad', 'start it again');
    expect(await page.locator('.case').count()).toBe(2);
    await page.close();
    complaints.length = 0;
  });
});
