/**
 * Measures the bundled workbench in Chromium with a long list: the time from an edit of the prompt,
 * whose answers are stored, until the page shows the result, and the times of scrolling and
 * filtering.
 *
 *   npx node benchmarks/workbench.ts [references] [rounds]
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { chromium, type Browser, type Page } from 'playwright-core';
import { chromiumPath } from '../scripts/chromium.ts';
import { spread, table } from './measure/markdown.ts';
import { EVALDIFF, plainEnvironment } from './measure/process.ts';
import { createProject, removeProject, writeFiles } from './measure/project.ts';
import { startServer } from './measure/server.ts';

const [most = 2_000, rounds = 2] = process.argv.slice(2).map(Number);

const promptSaying = (words: string): Record<string, string> => ({
  'prompts/add.yaml': `name: add\nmodel: one\ndefaults: [tests/add]\nvariables: [{ name: n }]\nmessages: [{ role: user, content: "${words} {n}" }]\n`,
});

function projectOf(references: number, url: string): string {
  const rows = Array.from(
    { length: references },
    (_, n) =>
      `  - { id: number-${String(n)}, input: { n: ${String(n)} }, expected: "${String(n + 1)}", tags: [${n % 3 === 0 ? 'third' : 'other'}] }\n`,
  );
  const model = `provider: openai, endpoint: local, price: { input: 0, output: 0 }`;
  return createProject({
    'evaldiff.yaml': `n_tries: 1\nmodels:\n  one: { model: model-1, ${model} }\n  two: { model: model-2, ${model} }\n`,
    'prompts/tests/add.yaml': `metrics: [{ name: same, uses: exact_match }]\nreferences:\n${rows.join('')}`,
    ...promptSaying('One more than'),
    '.url': url,
  });
}

/** Timeout of every wait, in seconds. */
const MOST_SECONDS = 90;

/** Starts the workbench in a separate process and returns its address. */
async function open(
  folder: string,
  url: string,
): Promise<{ child: ChildProcess; address: string }> {
  const child = spawn(
    process.execPath,
    [EVALDIFF, 'dev', '--store', `${folder}.sqlite`, '--max-calls', '1000000', 'model=one,two'],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...plainEnvironment(), EVALDIFF_ENDPOINTS: `local=${url} key=KEY`, KEY: 'key' },
    },
  );
  const begun = new Promise<string | undefined>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const address = /http:\S+/.exec(text)?.[0];
      if (address !== undefined) resolve(address);
    });
    child.once('close', () => {
      resolve(undefined);
    });
    setTimeout(resolve, MOST_SECONDS * 1000, undefined).unref();
  });
  const address = await begun;
  if (address !== undefined) return { child, address };
  child.kill();
  throw new Error(`evaldiff dev printed no address within ${String(MOST_SECONDS)} s`);
}

/** Waits until the page shows this headline and is up to date. */
async function until(page: Page, verdict: string): Promise<void> {
  const said = `(document.querySelector('h1')?.textContent ?? 'no headline') + ' · ' + document.querySelector('.state').textContent`;
  await page
    .waitForFunction(
      `document.querySelector('h1')?.textContent.includes(${JSON.stringify(verdict)}) && document.querySelector('.state').textContent === 'up to date'`,
      undefined,
      { timeout: MOST_SECONDS * 1000, polling: 10 },
    )
    .catch(async (error: unknown) => {
      throw new Error(
        `the page did not show "${verdict}" within ${String(MOST_SECONDS)} s; it shows: ${String(await page.evaluate(said))}`,
        { cause: error },
      );
    });
}

/** Milliseconds from an edit until the page shows its verdict. */
async function edited(page: Page, folder: string, words: string, verdict: string): Promise<number> {
  const begun = performance.now();
  writeFiles(folder, promptSaying(words));
  await until(page, verdict);
  return performance.now() - begun;
}

/**
 * Scrolls the page from top to bottom, one window at a time. Returns the milliseconds of each
 * frame, and the number of tasks over 50 ms.
 */
const SCROLL = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const times = [];
  let long = 0;
  const observer = new PerformanceObserver((list) => { long += list.getEntries().length; });
  observer.observe({ entryTypes: ['longtask'] });
  // Read the height once, because reading it makes the browser lay out the whole page.
  const windows = Math.ceil(document.documentElement.scrollHeight / innerHeight);
  for (let at = 1; at < windows; at += 1) {
    const begun = performance.now();
    scrollBy(0, innerHeight);
    await frame();
    await frame();
    times.push((performance.now() - begun) / 2);
  }
  long += observer.takeRecords().length;
  observer.disconnect();
  scrollTo(0, 0);
  return { times, long };
})()`;

/** Milliseconds from each typed letter or chosen tag to the new layout. */
const FILTER = `(async () => {
  const search = document.querySelector('input[type=search]'), times = [];
  const change = async (element, value) => {
    const begun = performance.now();
    element.value = value;
    element.dispatchEvent(new Event(element.type === 'search' ? 'input' : 'change', { bubbles: true }));
    await new Promise((resolve) => requestAnimationFrame(resolve));
    void document.body.offsetHeight;
    times.push(performance.now() - begun);
  };
  for (const words of ['n', 'nu', 'number-1', 'number-19', 'number-1', '']) await change(search, words);
  const tags = document.querySelector('select[name=tag]');
  for (const tag of ['third', 'other', '']) await change(tags, tag);
  return times;
})()`;

/** The table row for one length of the list. */
async function lineOf(references: number, browser: Browser, url: string): Promise<string[]> {
  const folder = projectOf(references, url);
  const { child, address } = await open(folder, url);
  try {
    // The page's security policy blocks Playwright's polling.
    const context = await browser.newContext({
      viewport: { width: 1400, height: 900 },
      bypassCSP: true,
    });
    const page = await context.newPage();
    await page.goto(address);
    await until(page, 'Nothing affected');
    const asked = await edited(page, folder, 'The number after', 'No regression');
    const edits: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      edits.push(await edited(page, folder, 'One more than', 'Nothing affected'));
      edits.push(await edited(page, folder, 'The number after', 'No regression'));
    }
    const firsts: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const begun = performance.now();
      await page.goto(address);
      await page
        .locator('.case')
        .first()
        .waitFor({ timeout: MOST_SECONDS * 1000 });
      firsts.push(performance.now() - begun);
    }
    const { times, long } = (await page.evaluate(SCROLL)) as { times: number[]; long: number };
    const filtered = (await page.evaluate(FILTER)) as number[];
    await context.close();
    return [
      `${references.toLocaleString('en-US')} × 4`,
      spread([asked / 1000]),
      spread(edits.map((ms) => ms / 1000)),
      spread(firsts.map((ms) => ms / 1000)),
      spread(times),
      String(long),
      spread(filtered),
    ];
  } finally {
    child.kill();
    removeProject(folder);
  }
}

if (chromiumPath === undefined) throw new Error('no Chromium was found; name one in CHROMIUM');
const server = await startServer('successor', 0);
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
const lines: string[][] = [];
try {
  for (const references of [Math.ceil(most / 40), most])
    lines.push(await lineOf(references, browser, server.url));
} finally {
  await browser.close();
  server.stop();
}
process.stdout.write(
  `The workbench shows the given number of references in Chromium, with 4 columns each: base and the working tree, for two models.

- Asked: the time from saving an edited prompt until the page shows the verdict. A server on loopback answers at once.
- Edit: the same time for a prompt whose answers are stored; ${String(2 * rounds)} edits.
- Opening: the time until the rows are on the page.
- Scrolling: the time of one frame, while the page scrolls by one window height at a time. Long tasks take over 50 ms.
- Filtering: the time from a typed letter or a chosen tag until the page has its new layout.

${table(['references', 'asked, s', 'edit, s', 'opening, s', 'scrolling, ms a frame', 'long tasks', 'filtering, ms'], lines)}\n`,
);
