/**
 * Measures four tasks in Chromium, in the page of `evaldiff dev` and in that of `promptfoo view`:
 * the actions (a click, a key or a typed word) and the time from the first action until the page
 * shows what was asked. Both pages show the same two models, tests and answers.
 *
 *   npx node benchmarks/viewer.ts
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumPath } from '../scripts/chromium.ts';
import { spread, table } from './measure/markdown.ts';
import { EVALDIFF, plainEnvironment } from './measure/process.ts';
import { createProject, removeProject, writeFiles, type Files } from './measure/project.ts';
import { installPromptfoo, PROMPTFOO_ALONE } from './measure/promptfoo.ts';
import { startServer } from './measure/server.ts';

const TESTS = Array.from({ length: 60 }, (_, at) => at + 1);
const ROUNDS = 5;
const MOST_MS = 60_000;
const MODELS = ['model-1', 'model-2'];

/** An answer that is wrong, and a word that only wrong answers contain. */
const WRONG = 'Parcel 33 came back; ask the glaze desk.';
const WORD = 'glaze';

const promptSaying = (words: string): Files => ({
  'prompts/orders.yaml': `name: orders\nmodel: one\ndefaults: [tests/orders]\nvariables: [{ name: n }]\nmessages: [{ role: user, content: "${words} {n}" }]\n`,
});

const filesFor = (url: string): Files => ({
  'evaldiff.yaml': `n_tries: 1\nmodels:\n${['one', 'two'].map((name, at) => `  ${name}: { model: ${MODELS[at] ?? ''}, provider: openai, endpoint: local, price: { input: 0, output: 0 } }\n`).join('')}`,
  'prompts/tests/orders.yaml': `metrics: [{ name: has, uses: contains }]\nreferences:\n${TESTS.map((n) => `  - { id: order-${String(n)}, input: { n: ${String(n)} }, expected: Refund for order ${String(n)} }\n`).join('')}`,
  ...promptSaying('Answer order'),
  'promptfooconfig.yaml': [
    'prompts: ["Answer briefly order {{n}}"]',
    'providers:',
    ...MODELS.map(
      (model) =>
        `  - { id: "openai:chat:${model}", label: ${model}, config: { apiBaseUrl: "${url}", apiKey: key } }`,
    ),
    'tests:',
    ...TESTS.map(
      (n) =>
        `  - { vars: { n: "${String(n)}" }, assert: [{ type: contains, value: Refund for order ${String(n)} }] }`,
    ),
    '',
  ].join('\n'),
});

interface Task {
  name: string;
  /** Each action is a step; the task is done when `isDone` is true. */
  actions: readonly ((page: Page) => Promise<unknown>)[];
  isDone(page: Page): Promise<unknown>;
}

/** Waits until each of these texts stands inside the window. */
const inSight =
  (...texts: string[]) =>
  (page: Page): Promise<unknown> =>
    page.waitForFunction(
      `(${JSON.stringify(texts)}).every((words) => {
        const found = document.evaluate(
          '//text()[contains(string(..), ' + JSON.stringify(words) + ')]/..',
          document.body, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
        return Array.from({ length: found.snapshotLength }, (_, at) => found.snapshotItem(at)).some(
          (element) => {
            const { top, bottom, height } = element.getBoundingClientRect();
            return height > 0 && top >= 0 && bottom <= innerHeight;
          });
      })`,
      undefined,
      { timeout: MOST_MS, polling: 10 },
    );

const click = (selector: string) => (page: Page) => page.locator(selector).first().click();
/** In promptfoo's page, a whole click waits for a navigation that does not end. */
const clickOnly = (selector: string) => (page: Page) =>
  page.locator(selector).first().dispatchEvent('click');
const press = (key: string) => (page: Page) => page.keyboard.press(key);
const type = (words: string) => (page: Page) => page.keyboard.type(words);
const NAMES = [
  'read a failed answer and why',
  'find every answer with a word',
  'compare two models on one test',
  'accept an answer',
] as const;

function tasksOfEvaldiff(folder: string): Task[] {
  const [read, find, compare, accept] = NAMES;
  return [
    { name: read, actions: [], isDone: inSight('has: ', 'desk.') },
    { name: find, actions: [press('/'), type(WORD)], isDone: (page) => shows(page, 6) },
    {
      name: compare,
      actions: [click('nav a:text("Compare")'), press('/'), type('order-33')],
      isDone: (page) => shows(page, 1),
    },
    {
      name: accept,
      actions: [click('.case > summary'), press('a'), click('form button:text("Write")')],
      isDone: async () => {
        const file = join(folder, 'prompts/tests/orders.yaml');
        while (!readFileSync(file, 'utf8').includes('desk')) await nextTurn();
      },
    },
  ];
}

const shows = (page: Page, tests: number): Promise<unknown> =>
  page.waitForFunction(
    `document.querySelector('output')?.textContent.startsWith('${String(tests)} of ')`,
    undefined,
    { timeout: MOST_MS, polling: 10 },
  );

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function tasksOfPromptfoo(): Task[] {
  const [read, find, compare, accept] = NAMES;
  const rows = (count: number) => (page: Page) =>
    page.waitForFunction(
      `document.body.innerText.includes('to ${String(count)} of ${String(count)}')`,
      undefined,
      { timeout: MOST_MS, polling: 10 },
    );
  const failures = clickOnly('button:text("Failures")');
  const search = (page: Page) => page.locator('input[placeholder^="Search"]').first().focus();
  const rate = async (page: Page) => {
    const stored = page.waitForResponse((reply) => reply.url().endsWith('/rating'));
    await clickOnly('[aria-label="Mark test passed"]')(page);
    await stored;
  };
  return [
    { name: read, actions: [failures], isDone: inSight('Expected output to contain', 'desk.') },
    { name: find, actions: [search, type(WORD)], isDone: rows(3) },
    { name: compare, actions: [search, type('Parcel 33')], isDone: inSight(WRONG) },
    {
      name: accept,
      actions: [failures, rate],
      isDone: (page) => page.waitForTimeout(0),
    },
  ];
}

interface Seen {
  seconds: number[];
  actions: number;
}

async function timed(browser: Browser, open: (page: Page) => Promise<unknown>, task: Task) {
  // The page's security policy blocks Playwright's polling.
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    bypassCSP: true,
  });
  const page = await context.newPage();
  await open(page);
  const begun = performance.now();
  for (const act of task.actions) await act(page);
  await task.isDone(page).catch(async (error: unknown) => {
    const shown = await page.evaluate<string>('document.body.innerText');
    throw new Error(`${task.name}: the page shows ${shown.slice(0, 2_000)}`, { cause: error });
  });
  const seconds = (performance.now() - begun) / 1000;
  await context.close();
  return seconds;
}

async function seen(
  browser: Browser,
  tasks: readonly Task[],
  { open, reset }: { open(page: Page): Promise<unknown>; reset(): void },
): Promise<Map<string, Seen>> {
  const found = new Map<string, Seen>();
  for (const task of tasks) {
    const seconds: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      seconds.push(await timed(browser, open, task));
      reset();
    }
    found.set(task.name, { seconds, actions: task.actions.length });
    process.stderr.write(`${task.name}: ${seconds.map((each) => each.toFixed(2)).join(', ')}\n`);
  }
  return found;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The address that a started program prints. */
function printedAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const address = /http:\S+/.exec(text)?.[0];
      if (address !== undefined) resolve(address);
    });
    child.once('close', () => {
      reject(new Error('the page did not start'));
    });
  });
}

async function evaldiffSeen(browser: Browser, folder: string, url: string) {
  const child = spawn(
    process.execPath,
    [EVALDIFF, 'dev', '--store', `${folder}.sqlite`, 'model=one,two'],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...plainEnvironment(), EVALDIFF_ENDPOINTS: `local=${url} key=KEY`, KEY: 'key' },
    },
  );
  try {
    const address = await printedAddress(child);
    const tests = readFileSync(join(folder, 'prompts/tests/orders.yaml'), 'utf8');
    const open = async (page: Page) => {
      await page.goto(address);
      await page.waitForFunction(
        `document.querySelector('h1')?.textContent.includes('Regressed') && document.querySelector('.state').textContent === 'up to date'`,
        undefined,
        { timeout: MOST_MS, polling: 10 },
      );
    };
    const page = await browser.newPage({ bypassCSP: true });
    await page.goto(address);
    writeFiles(folder, promptSaying('Answer briefly order'));
    await open(page);
    await page.close();
    return await seen(browser, tasksOfEvaldiff(folder), {
      open,
      reset: () => writeFiles(folder, { 'prompts/tests/orders.yaml': tests }),
    });
  } finally {
    child.kill();
  }
}

async function promptfooSeen(browser: Browser, folder: string, script: string) {
  const env = {
    ...plainEnvironment(),
    ...PROMPTFOO_ALONE,
    PROMPTFOO_CONFIG_DIR: join(folder, 'home'),
  };
  const run = (...args: string[]) => [script, ...args];
  // It exits with 100 if a test fails.
  try {
    execFileSync(process.execPath, run('eval', '--no-cache', '--no-table'), {
      cwd: folder,
      env,
      stdio: 'ignore',
    });
  } catch (error) {
    if ((error as { status?: number }).status !== 100) throw error;
  }
  const port = String(await freePort());
  const child = spawn(process.execPath, run('view', '--port', port, '--no'), {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const address = await printedAddress(child);
    const open = async (page: Page) => {
      await page.goto(`${address}/eval`, { waitUntil: 'networkidle' });
      await page.waitForFunction(`document.body.innerText.includes('of 60 results')`, undefined, {
        timeout: MOST_MS,
        polling: 10,
      });
    };
    return await seen(browser, tasksOfPromptfoo(), { open, reset: () => undefined });
  } finally {
    child.kill();
  }
}

if (chromiumPath === undefined) throw new Error('no Chromium was found; name one in CHROMIUM');
const installed = installPromptfoo();
const server = await startServer('support', 0);
const folder = createProject(filesFor(server.url));
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
try {
  const ours = await evaldiffSeen(browser, folder, server.url);
  const theirs = await promptfooSeen(browser, folder, installed.script);
  const cells = (of: Seen | undefined): string[] => [
    String(of?.actions ?? NaN),
    spread(of?.seconds ?? []),
  ];
  process.stdout.write(
    `Two models answer ${String(TESTS.length)} tests, three of them wrongly. An action is a click, a key or a typed word; the time runs from the first action
until the page shows what was asked, after the page has loaded; ${String(ROUNDS)} rounds. evaldiff writes an accepted answer to the tests file; promptfoo
${installed.version} marks it as passed in its own database.

${table(
  ['task', 'evaldiff: actions', 'seconds', 'promptfoo: actions', 'seconds'],
  NAMES.map((name) => [name, ...cells(ours.get(name)), ...cells(theirs.get(name))]),
)}\n`,
  );
} finally {
  await browser.close();
  server.stop();
  removeProject(folder);
}
