import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumPath } from '../../../scripts/chromium.ts';
import { beginIn, localEndpoint, type Said } from '../../stand-ins/command-line.ts';
import { hostileTexts } from '../../stand-ins/hostile-text.ts';
import { startModelServer, type ModelServer, type Script } from '../../stand-ins/models/server.ts';
import {
  createRepository,
  removeTemporaryFolders,
  temporaryFolder,
} from '../../stand-ins/repository.ts';

const inBrowser = chromiumPath === undefined ? describe.skip : describe;

jest.setTimeout(120_000);
afterAll(removeTemporaryFolders);

const TESTS = `# what customers ask
metrics: [{ name: same, uses: exact_match }]
references:
  - { id: returns, input: { q: "How long?" }, expected: "30 days" } # asked daily
  - id: carrier
    input: { q: "Who?" }
    expected: Northmail
`;

const FILES = {
  'evaldiff.yaml':
    'n_tries: 2\nmodels:\n  m: { provider: openai, endpoint: local, model: model-1, price: { input: 1, output: 1 } }\n',
  'prompts/ask.yaml':
    'name: ask\nmodel: m\ndefaults: [tests/ask]\nvariables: [{ name: q }]\nmessages: [{ role: user, content: "Answer: {q}" }]\n',
  'prompts/tests/ask.yaml': TESTS,
};

const TEST_FILE = 'prompts/tests/ask.yaml';

interface Open {
  directory: string;
  url: string;
  server: ModelServer;
  stop(): Promise<Said>;
}

let running: Open | null = null;

const right: Script = ({ messages }) => {
  const text = JSON.stringify(messages);
  return {
    text: text.includes('Reply') ? 'no idea' : text.includes('Who') ? 'Northmail' : '30 days',
  };
};

/** `evaldiff dev` in process, on a real repository, against a model server on loopback. */
async function dev(
  args: readonly string[] = [],
  {
    answer = right,
    files = FILES,
    git = true,
  }: { answer?: Script; files?: Record<string, string>; git?: boolean } = {},
): Promise<Open> {
  const server = await startModelServer({ answer });
  const repository = createRepository();
  repository.write(files);
  if (git) repository.commit('begin');
  const directory = git ? repository.directory : temporaryFolder('no-git');
  if (!git)
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(directory, path, '..'), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
  const begun = beginIn(directory, ['dev', ...args], { env: localEndpoint(server) });
  const url = await Promise.race([
    begun.said('workbench: http').then((said) => /http:\S+/.exec(said)?.[0] ?? ''),
    begun.ended.then(({ code, err }) => `ended with ${String(code)}: ${err}`),
  ]);
  running = { directory, url, server, ...begun };
  return running;
}

async function close(): Promise<void> {
  if (running === null) return;
  await running.stop();
  await running.server.close();
  running = null;
}

const edit = (from: string, to: string, path = 'prompts/ask.yaml'): void => {
  const file = join(running?.directory ?? '', path);
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
};

const fileNow = (path = TEST_FILE): string =>
  readFileSync(join(running?.directory ?? '', path), 'utf8');

/** Status of a request as a browser, or somebody else, would send it. */
function asked(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]> }> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, running?.url), { method, headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? '{"kind":"raise"}' : undefined);
  });
}

afterEach(async () => {
  jest.restoreAllMocks();
  syncBuiltinESMExports();
  await close();
});

/** Opens the reference whose answer the edit changed, until that answer can be accepted. */
async function openReturns(page: Page): Promise<void> {
  await page.locator('.ref', { hasText: 'returns' }).click();
  await page.locator('[data-kind=accept]').first().waitFor();
}

describe('evaldiff dev', () => {
  test('is served to who knows its address, under its own name, and takes actions from its page alone', async () => {
    const { url } = await dev();
    const { host, origin } = new URL(url);
    expect((await asked('')).status).toBe(200);
    expect((await asked('/')).status).toBe(404);
    expect((await asked('/wrong-token/')).status).toBe(404);
    expect((await asked('', { host: 'evil.example' })).status).toBe(404);
    const json = { 'content-type': 'application/json' };
    expect((await asked('act', json, 'POST')).status).toBe(403);
    expect((await asked('act', { ...json, origin: 'http://evil.example' }, 'POST')).status).toBe(
      403,
    );
    expect((await asked('act', { origin }, 'POST')).status).toBe(403);
    expect((await asked('act', { ...json, origin, host }, 'POST')).status).toBe(200);
    const { headers } = await asked('board');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect((await asked('')).headers['content-security-policy']).toContain("default-src 'none'");
  });

  test('says which port is taken, and ends', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const { url } = await dev(['--port', String(port)]);
    expect(url).toBe(
      `ended with 2: --port: ${String(port)} is taken, or may not be used; name another, or leave it out for any that is free\n`,
    );
    other.close();
  });
});

inBrowser('the workbench in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: chromiumPath ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    });
  });
  afterAll(() => browser.close());

  async function opened(): Promise<{ page: Page; complaints: string[] }> {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('dialog', (dialog) => {
      complaints.push(dialog.message());
      void dialog.dismiss();
    });
    await page.goto(running?.url ?? '');
    return { page, complaints };
  }

  const says = (page: Page, selector: string, words: string | RegExp): Promise<void> =>
    page.locator(selector, { hasText: words }).first().waitFor({ timeout: 60_000 });

  test('shows the verdict that the pull request would get, after each edit, in every window', async () => {
    await dev();
    const { page, complaints } = await opened();
    await says(page, 'h1', 'Nothing affected');
    const second = await opened();
    edit('Answer:', 'Reply:');
    await says(page, 'h1', 'Regressed');
    await says(second.page, 'h1', 'Regressed');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await says(page, '#detail .base mark', 'Answer');
    await says(page, '#detail .head pre', 'no idea');
    edit('Reply:', 'Answer:');
    await says(page, 'h1', 'Nothing affected');
    expect([complaints, second.complaints]).toEqual([[], []]);
  });

  test('is worked by the keyboard: accepts an answer, tags, skips, adds, and takes the last one back', async () => {
    await dev();
    const { page } = await opened();
    await says(page, '#state', 'up to date');
    edit('Answer:', 'Reply:');
    await says(page, 'h1', 'Regressed');
    await openReturns(page);
    await page.keyboard.press('a');
    await page.locator('#undo:enabled').waitFor();
    expect(fileNow()).toBe(TESTS.replace('"30 days"', '"no idea"'));
    await page.keyboard.press('u');
    await page.locator('#undo:disabled').waitFor();
    expect(fileNow()).toBe(TESTS);
  });

  test('tags, skips with a reason and adds beside what is there, comments and order kept', async () => {
    await dev();
    const { page } = await opened();
    await says(page, '#state', 'up to date');
    const submit = async (key: string, fields: Record<string, string>): Promise<void> => {
      await page.locator('.ref', { hasText: 'carrier' }).click();
      await page.locator('[data-kind=close]').waitFor();
      expect(await page.locator('form:visible').count()).toBe(0);
      await page.keyboard.press(key);
      for (const [name, value] of Object.entries(fields))
        await page.locator(`form:not([hidden]) [name="${name}"]`).fill(value);
      const answered = page.waitForResponse((one) => one.url().endsWith('/act'));
      await page.locator('form:not([hidden]) button').click();
      const drawn = page.waitForResponse((one) => one.url().endsWith('/board'));
      expect(await (await answered).json()).toMatchObject({ bad: false });
      await drawn;
    };
    await submit('t', { tag: 'critical' });
    await submit('s', { reason: 'the carrier changes' });
    await submit('n', { 'input:q': 'Where?', expected: 'At home' });
    expect(fileNow()).toBe(
      TESTS.replace('  - id: carrier', '  # skipped: the carrier changes\n  - id: carrier').replace(
        'Northmail\n',
        'Northmail\n    tags: ["critical"]\n    skip: true\n  - { input: { q: "Where?" }, expected: "At home" }\n',
      ),
    );
  });

  test.each([
    [
      'that is laid out so that more would change',
      TESTS.replace('"30 days"', '&days "30 days"').replace('Northmail', '*days'),
      (text: string) => text,
      'cannot be written back',
    ],
    [
      'that another program changed meanwhile',
      TESTS,
      (text: string) => text.replace('returns', 'sending'),
      /another reference stands|not there any more/,
    ],
  ])('leaves a file alone %s, and says so', async (_, text, meanwhile, why) => {
    await dev([], { files: { ...FILES, [TEST_FILE]: text } });
    const { page } = await opened();
    await says(page, '#state', 'up to date');
    edit('Answer:', 'Reply:');
    await says(page, '.ref', '0/2');
    await openReturns(page);
    writeFileSync(join(running?.directory ?? '', TEST_FILE), meanwhile(text));
    const answered = page.waitForResponse((one) => one.url().endsWith('/act'));
    await page.evaluate("document.querySelector('[data-kind=accept]').click()");
    expect(await (await answered).json()).toEqual({
      said: expect.stringMatching(why),
      bad: true,
    });
    expect(fileNow()).toBe(meanwhile(text));
  });

  test('says that the disk is full, loses nothing, and writes when there is room again', async () => {
    await dev();
    const { page } = await opened();
    await says(page, '#state', 'up to date');
    edit('Answer:', 'Reply:');
    await says(page, '.ref', '0/2');
    await openReturns(page);
    const folder = join(running?.directory ?? '', 'prompts/tests');
    const before = readdirSync(folder);
    // What a full disk does: some of a file is written, then no more. Ours alone, so that the look goes on.
    const write = files.writeFile;
    const full = jest.spyOn(files, 'writeFile').mockImplementation(async (path, data, options) => {
      if (!String(path).includes('.evaldiff-new-')) return write(path, data, options);
      await write(path, String(data).slice(0, 20));
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    });
    syncBuiltinESMExports();
    const answered = page.waitForResponse((one) => one.url().endsWith('/act'));
    await page.keyboard.press('a');
    expect(await (await answered).json()).toEqual({
      said: `${TEST_FILE}: ENOSPC: no space left on device, write; nothing is written`,
      bad: true,
    });
    expect([fileNow(), readdirSync(folder)]).toEqual([TESTS, before]);
    expect(await page.locator('#undo').isDisabled()).toBe(true);
    full.mockRestore();
    syncBuiltinESMExports();
    await page.keyboard.press('a');
    await page.locator('#undo:enabled').waitFor();
    expect(fileNow()).toBe(TESTS.replace('"30 days"', '"no idea"'));
  });

  test("labels an answer as a rubric's example, and adds a further one where its grader disagreed", async () => {
    const rubric =
      '# how we speak\npolite:\n  prompt: "Is it polite? {completion}"\n  choice_scores: { "Yes": 1, "No": 0 } # two\n';
    await dev([], {
      answer: (sent) =>
        JSON.stringify(sent.messages).includes('polite') ? { text: 'No' } : right(sent),
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
    const { page } = await opened();
    await says(page, '#state', 'up to date');
    edit('Answer:', 'Reply:');
    await says(page, '.ref', '0/2');
    const label = async (reference: string, as: string): Promise<void> => {
      await page.locator('.ref', { hasText: reference }).click();
      await says(page, '#detail h2', reference);
      await page.locator('[data-form=label]').click();
      await page.locator('form:not([hidden]) [name=label]').selectOption(as);
      const answered = page.waitForResponse((one) => one.url().endsWith('/act'));
      const drawn = page.waitForResponse((one) => one.url().endsWith('/board'));
      await page.locator('form:not([hidden]) button').click();
      expect(await (await answered).json()).toEqual({
        said: `an example of polite is labelled ${as}, in rubrics/polite.yaml`,
        bad: false,
      });
      await drawn;
    };
    await label('returns', 'No');
    // The grader said No of this one too: a person who disagrees labels it Yes.
    await says(page, '#detail .chip', 'fail');
    await label('carrier', 'Yes');
    const [, examples = ''] = fileNow('rubrics/polite.yaml').split('# two\n');
    expect(fileNow('rubrics/polite.yaml').startsWith(rubric)).toBe(true);
    expect(examples).toBe(
      '  examples: [{ content: "no idea", expected: "No" }, { content: "no idea", expected: "Yes" }]\n',
    );
    await page.keyboard.press('Escape');
    await page.locator('#undo').click();
    await page.locator('#undo').click();
    await page.locator('#undo:disabled').waitFor();
    expect(fileNow('rubrics/polite.yaml')).toBe(rubric);
  });

  test('shows hostile answers as the text they are', async () => {
    const text = Object.values(hostileTexts).join('\n').toWellFormed();
    await dev([], { answer: () => ({ text }) });
    const { page, complaints } = await opened();
    edit('Answer:', 'Reply:');
    await says(page, '.ref', '0/2');
    await page.locator('.ref', { hasText: 'returns' }).click();
    await says(page, '#detail pre', '<script>alert(1)</script>');
    expect([complaints, await page.locator('#detail img, #detail svg').count()]).toEqual([[], 0]);
  });

  test('spends no more than its limit, says so, and goes on when it is raised', async () => {
    await dev(['--max-cost', '0.000001']);
    const { page } = await opened();
    edit('Answer:', 'Reply:');
    await says(page, '#state.bad', /max-cost|Nothing was sent/);
    await says(page, '#spend', '$0.00');
    expect(running?.server.requests.length).toBe(0);
    await page.locator('#raise').click();
    await says(page, 'h1', 'Regressed');
  });

  test('works without a git repository on the files alone', async () => {
    await dev([], { git: false });
    const { page } = await opened();
    await says(page, '.note', 'Only the files as they are, with nothing to compare them with');
    await says(page, '.ref', 'returns');
  });

  test('says that it has ended when its process is gone', async () => {
    await dev();
    const { page } = await opened();
    await says(page, '#state', 'up to date');
    await close();
    await says(page, '#state.bad', 'The workbench has ended');
  });

  test.each([
    ['dark', 860],
    ['light', 860],
    ['dark', 390],
    ['light', 390],
  ] as const)('has nothing that axe finds, %s at %d pixels', async (colorScheme, width) => {
    await dev();
    const { page } = await opened();
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    edit('Answer:', 'Reply:');
    await says(page, 'h1', 'Regressed');
    await page.locator('.ref').first().click();
    await page.locator('#detail .body').waitFor();
    await page.keyboard.press('n');
    await page
      .context()
      .newCDPSession(page)
      .then((session) => session.send('Page.setBypassCSP', { enabled: true }));
    const source = readFileSync(
      createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
      'utf8',
    );
    const found = await page.evaluate(
      `${source}; axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes.map(({ html }) => html.slice(0, 120)).join(' ')))`,
    );
    expect(found).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  test('draws nothing over what somebody is writing, whatever changes meanwhile', async () => {
    await dev();
    const { page } = await opened();
    await says(page, '#state', 'up to date');
    await page.locator('.ref', { hasText: 'returns' }).click();
    await page.locator('[data-kind=close]').waitFor();
    await page.keyboard.press('n');
    await page.locator('[name="input:q"]').fill('half a sen');
    edit('Answer:', 'Reply:');
    await says(page, 'h1', 'Regressed');
    expect(await page.locator('[name="input:q"]').inputValue()).toBe('half a sen');
    expect(await page.locator('form:visible').count()).toBe(1);
  });
});
