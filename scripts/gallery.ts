/**
 * Runs pull requests of every kind as a runner runs the action, two at a time. Takes screenshots of
 * their comments and reports at two widths in both themes; `index.html` shows them all. Prints the
 * number of visible words and figures, jargon, and everything that is too wide for a narrow
 * screen. Needs Chromium for pictures.
 *
 *   node scripts/gallery.ts FOLDER [NAME] [--no-pictures]
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { openBrowser } from './chromium.ts';
import { commentPage, THEMES } from './comment-page.ts';
import { SITUATIONS, type Situation } from './gallery/situations.ts';
import {
  figuresIn,
  notPlainIn,
  numbersIn,
  unfolded,
  visibleText,
  wordsIn,
} from './gallery/visible.ts';
import { runPullRequest } from './pull-request.ts';

const WIDTHS = [860, 390];

/** In pixels. */
const PAGE_HEIGHT = 2600;

/** In milliseconds; long pages are slow on a busy machine. */
const TIMEOUT = 120_000;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const action = join(root, 'src', 'action.ts');

function folderOf({ base, head }: Situation): string {
  const folder = mkdtempSync(join(tmpdir(), 'evaldiff-gallery-'));
  for (const [side, files] of Object.entries({ base, head }))
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, side, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  return folder;
}

const fileName = (name: string): string => name.replace(/[^a-z0-9]+/g, '-');

/** Finds tables of a comment that scroll sideways, including those in folds. */
const SCROLLED = `
for (const fold of document.querySelectorAll('details')) fold.open = true;
[...document.querySelectorAll('table')]
  .filter((table) => table.scrollWidth > table.clientWidth)
  .map((table) => '"' + table.textContent.replace(/\\s+/g, ' ').trim().slice(0, 40) + '"')`;

/** Takes a situation's screenshots. Returns everything that is too wide for a narrow screen. */
async function photograph(browser: Browser, to: string, name: string): Promise<string> {
  const scrolled = new Set<string>();
  const comment = readFileSync(join(to, `${fileName(name)}.md`), 'utf8');
  for (const theme of THEMES)
    for (const width of WIDTHS) {
      const page = await browser.newPage({ viewport: { width, height: 60 }, colorScheme: theme });
      const shoot = (what: string, fullPage: boolean): Promise<Buffer> =>
        page.screenshot({
          path: join(to, `${fileName(name)}-${what}-${String(width)}-${theme}.png`),
          fullPage,
          timeout: TIMEOUT,
        });
      await page.setContent(commentPage(comment, theme));
      await shoot('comment', true);
      for (const table of await page.evaluate<string[]>(SCROLLED))
        scrolled.add(`; wider than ${String(width)} pixels: table ${table}`);
      // Only the top of a long page is captured.
      await page.setViewportSize({ width, height: PAGE_HEIGHT });
      await page.goto(pathToFileURL(join(to, `${fileName(name)}.html`)).href);
      await shoot('page', false);
      await page.close();
    }
  return [...scrolled].join('');
}

/** Shows all pictures in the folder, with a row for each situation and surface. */
function writeIndex(to: string, names: readonly string[]): void {
  const looks = WIDTHS.flatMap((width) => THEMES.map((theme) => `${String(width)}-${theme}`));
  const cell = (name: string, what: string, look: string): string => {
    const file = `${fileName(name)}-${what}-${look}.png`;
    return existsSync(join(to, file))
      ? `<td><a href="${file}"><img src="${file}" alt="${name}, ${what}, ${look}" loading="lazy"></a></td>`
      : '<td>–</td>';
  };
  const row = (name: string, what: string, kept: string): string =>
    `<tr><th scope="row"><a href="${fileName(name)}.${kept}">${what}</a></th>${looks.map((look) => cell(name, what, look)).join('')}</tr>`;
  const sections = names.map(
    (name) =>
      `<h2 id="${fileName(name)}">${name}</h2>
<table><thead><tr><td></td>${looks.map((look) => `<th scope="col">${look.replace('-', ' px, ')}</th>`).join('')}</tr></thead>
<tbody>${row(name, 'comment', 'md')}${row(name, 'page', 'html')}</tbody></table>
<p><a href="${fileName(name)}.log">log</a> · <a href="${fileName(name)}.json">result.json</a></p>`,
  );
  writeFileSync(
    join(to, 'index.html'),
    `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>evaldiff, in every situation</title>
<style>body{font:15px/1.5 system-ui;margin:20px}nav a{margin-right:14px}td,th{vertical-align:top;padding:4px;text-align:left}img{max-width:420px;max-height:700px;border:1px solid #999}</style>
<h1>${String(names.length)} situations</h1>
<nav>${names.map((name) => `<a href="#${fileName(name)}">${name}</a>`).join('')}</nav>
${sections.join('\n')}
</html>
`,
  );
}

async function run(situation: Situation, to: string): Promise<void> {
  const { name, fork, description } = situation;
  const fixture = folderOf(situation);
  let log = '';
  const { comment, reports, folder } = await runPullRequest(
    { fixture, action, fork, description },
    (text) => {
      log += text;
    },
  );
  writeFileSync(join(to, `${fileName(name)}.md`), comment);
  writeFileSync(join(to, `${fileName(name)}.log`), log);
  cpSync(join(reports, 'report.html'), join(to, `${fileName(name)}.html`));
  cpSync(join(reports, 'result.json'), join(to, `${fileName(name)}.json`));
  for (const done of [folder, fixture]) rmSync(done, { recursive: true, force: true });
}

const {
  values: { 'no-pictures': noPictures },
  positionals: [folder, only = ''],
} = parseArgs({ allowPositionals: true, options: { 'no-pictures': { type: 'boolean' } } });
if (folder === undefined) throw new Error('name a folder for the pictures');
const to = resolve(folder);
mkdirSync(to, { recursive: true });
const browser = noPictures === true ? null : await openBrowser();
const waiting = SITUATIONS.filter(({ name }) => name.includes(only));
if (waiting.length === 0) throw new Error(`no situation is named "${only}"`);

/** Counts what is visible before folds are opened, and the jargon in the whole comment. */
function measuresOf(to: string, name: string): string {
  const comment = readFileSync(join(to, `${fileName(name)}.md`), 'utf8');
  const text = visibleText(comment);
  const found = [...new Set([...notPlainIn(unfolded(comment)), ...figuresIn(text)])].join(', ');
  return `${String(wordsIn(text))} words, ${String(numbersIn(text))} numbers${found === '' ? '' : `; not plain: ${found}`}`;
}

async function runWaiting(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    await run(next, to);
    const scrolled = browser === null ? '' : await photograph(browser, to, next.name);
    process.stdout.write(`${next.name}: ${measuresOf(to, next.name)}${scrolled}\n`);
  }
}

try {
  await Promise.all([runWaiting(), runWaiting()]);
} finally {
  await browser?.close();
}
writeIndex(
  to,
  SITUATIONS.map(({ name }) => name),
);
