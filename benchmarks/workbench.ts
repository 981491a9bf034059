/**
 * The workbench with a long list: from an edit of the prompt, whose answers are stored, until the
 * page shows it; and how the page scrolls and filters. In Chromium, on the bundle. Run: npx node
 * benchmarks/workbench.ts [references] [rounds]. Asserts nothing.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { chromium, type Page } from 'playwright-core';
import { chromiumPath } from '../scripts/chromium.ts';
import { spread, table } from './measure/markdown.ts';
import { EVALDIFF } from './measure/process.ts';
import { createProject, removeProject, writeFiles } from './measure/project.ts';
import { startServer } from './measure/server.ts';

const [most = 2_000, rounds = 5] = process.argv.slice(2).map(Number);

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

/** The workbench in a process of its own, and its address. */
function open(folder: string, url: string): Promise<{ child: ChildProcess; address: string }> {
  const child = spawn(
    process.execPath,
    [EVALDIFF, 'dev', '--store', `${folder}.sqlite`, '--max-calls', '1000000', 'model=one,two'],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, EVALDIFF_ENDPOINTS: `local=${url} key=KEY`, KEY: 'key' },
    },
  );
  return new Promise((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const address = /http:\S+/.exec(text)?.[0];
      if (address !== undefined) resolve({ child, address });
    });
  });
}

/** Milliseconds from an edit until the page shows its verdict. */
async function edited(page: Page, folder: string, words: string, verdict: string): Promise<number> {
  const begun = performance.now();
  writeFiles(folder, promptSaying(words));
  await page.waitForFunction(
    `document.querySelector('h1')?.textContent.includes(${JSON.stringify(verdict)}) && document.getElementById('old').hidden && document.getElementById('state').textContent === 'up to date'`,
    undefined,
    { timeout: 600_000, polling: 10 },
  );
  return performance.now() - begun;
}

/** Milliseconds of each frame while the page is scrolled from top to bottom, a window at a time. */
const SCROLL = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const times = [];
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
    const begun = performance.now();
    scrollTo(0, y);
    await frame();
    await frame();
    times.push((performance.now() - begun) / 2);
  }
  scrollTo(0, 0);
  return times;
})()`;

/** Milliseconds from each letter or choice until the page is laid out anew. */
const FILTER = `(async () => {
  const search = document.querySelector('input[type=search]'), times = [];
  const change = (element, value) => {
    const begun = performance.now();
    element.value = value;
    element.dispatchEvent(new Event('input', { bubbles: true }));
    void document.body.offsetHeight;
    times.push(performance.now() - begun);
  };
  for (const words of ['n', 'nu', 'number-1', 'number-19', 'number-1', '']) change(search, words);
  const tags = document.querySelector('select[name=tags]');
  for (const tag of ['third', 'other', '']) change(tags, tag);
  return times;
})()`;

if (chromiumPath === undefined) throw new Error('no Chromium was found; name one in CHROMIUM');
const server = await startServer('successor', 0);
const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
const lines: string[][] = [];
for (const references of [Math.ceil(most / 40), most]) {
  const folder = projectOf(references, server.url);
  const { child, address } = await open(folder, server.url);
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await page.goto(address);
  const first = await edited(page, folder, 'The number after', 'No regression');
  const edits: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    edits.push(await edited(page, folder, 'One more than', 'Nothing affected'));
    edits.push(await edited(page, folder, 'The number after', 'No regression'));
  }
  const scrolled = (await page.evaluate(SCROLL)) as number[];
  const filtered = (await page.evaluate(FILTER)) as number[];
  lines.push([
    `${references.toLocaleString('en-US')} × 4`,
    spread([first / 1000]),
    spread(edits.map((ms) => ms / 1000)),
    spread(scrolled),
    spread(filtered),
  ]);
  child.kill();
  await page.close();
  removeProject(folder);
}
await browser.close();
server.stop();
process.stdout.write(
  `References × columns (base and working tree of two models). First: all answers asked of a server on loopback that answers at once. Edit: from saving the prompt, whose answers are\nstored, until the page has the verdict; ${String(rounds)} there and back. Scrolling: a frame, a window's height further each. Filtering: a letter or a tag, until the page is laid out anew.\nMedian, in brackets the range.\n\n${table(['', 'first, s', 'edit, s', 'scrolling, ms a frame', 'filtering, ms'], lines)}\n`,
);
