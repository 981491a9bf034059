import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { chromiumPath } from '../../scripts/chromium.ts';
import { deadLinks } from '../../scripts/site.ts';
import { ROOT } from '../contract/source-graph.ts';
import { axeFindings } from '../stand-ins/axe.ts';
import { openTestBrowser, openWindow } from '../stand-ins/browser.ts';
import { listen } from '../stand-ins/loopback.ts';
import { temporaryFolder } from '../stand-ins/repository.ts';

const SITE = join(ROOT, 'build/site');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

test('links to missing pages, anchors and pictures are named with their page', () => {
  const folder = temporaryFolder('site');
  mkdirSync(join(folder, 'docs'));
  writeFileSync(
    join(folder, 'index.html'),
    [
      '<h1 id="top">A</h1><img src="/base/a.png"><source srcset="b.png">',
      '<a href="/base/docs/b.html#there">1</a><a href="/base/docs/b#here">2</a><a href="#top">3</a>',
      '<a href="/base/docs/c.html">4</a><a href="https://example.com/x">5</a><a href="/base/">6</a>',
    ].join(''),
  );
  writeFileSync(
    join(folder, 'docs/b.html'),
    '<h2 id="there">B</h2><a href="../index.html#no">1</a>',
  );
  writeFileSync(join(folder, 'b.png'), '');
  expect(deadLinks(folder, '/base/')).toEqual([
    'docs/b.html: ../index.html#no',
    'index.html: /base/a.png',
    'index.html: /base/docs/b#here',
    'index.html: /base/docs/c.html',
  ]);
});

/** Words of the answers to the questions in site/index.md, in their order. */
const ANSWERS = [
  'npx evaldiff init',
  'write its name, and set the key',
  'prompts/refunds.yaml',
  'choice_scores',
  'Require status checks to pass',
  'Change the line, and try it',
  'up to five tries per test did not settle it',
  '4 points or less could go unnoticed',
  'add that label to a pull request',
  'head passes again without this change',
  '$20',
  'neutral check',
];

// `npm run site` builds it; that takes packages of its own.
const whenBuilt = existsSync(SITE) && chromiumPath !== undefined ? describe : describe.skip;

whenBuilt('the site', () => {
  const opened = async () => {
    const { url, close } = await listen(
      createServer(({ url = '/' }, response) => {
        const [path = ''] = url.split('?');
        const file = join(SITE, path.endsWith('/') ? `${path}index.html` : path);
        const found = existsSync(file);
        response.writeHead(found ? 200 : 404, { 'content-type': TYPES[extname(file)] ?? '' });
        response.end(found ? readFileSync(file) : '');
      }),
    );
    const browser = await openTestBrowser();
    return {
      url,
      browser,
      async [Symbol.asyncDispose]() {
        await browser.close();
        await close();
      },
    };
  };

  test('is accessible, and fits a phone', async () => {
    await using site = await opened();
    for (const path of ['', 'verdicts.html', 'metrics.html', 'action.html'])
      for (const [width, colorScheme] of [
        [1280, 'dark'],
        [390, 'light'],
      ] as const) {
        const page = await openWindow(site.browser, {
          viewport: { width, height: 844 },
          colorScheme,
        });
        await page.goto(`${site.url}/${path}`);
        const wider = await page.evaluate<number>(
          'document.documentElement.scrollWidth - innerWidth',
        );
        expect([path, width, wider, await axeFindings(page)]).toEqual([path, width, 0, []]);
        await page.close();
      }
  });

  test("finds a setting by its name, and has the demo's report", async () => {
    await using site = await opened();
    const page = await openWindow(site.browser);
    await page.goto(`${site.url}/`);
    const search = page.locator('#localsearch-input');
    // The page knows the key only after its script has started.
    while (!(await search.isVisible())) {
      await page.keyboard.press('Control+k');
      await page.evaluate('new Promise(requestAnimationFrame)');
    }
    await search.fill('on_inconclusive');
    await page.locator('.results a[href$="/verdicts.html#the-rules-for-passing"]').waitFor();
    await page.goto(`${site.url}/demo/report.html`);
    expect(await page.locator('h1, h2').first().textContent()).toContain('Regressed');
  });

  test('answers each question of its first page on the first screen', async () => {
    await using site = await opened();
    const questions = readFileSync(join(ROOT, 'site/index.md'), 'utf8');
    const links = [...questions.matchAll(/\]\(docs\/([\w-]+)\.md(#[\w-]+)?\)/g)];
    expect(links).toHaveLength(ANSWERS.length);
    const page = await openWindow(site.browser, { viewport: { width: 860, height: 800 } });
    for (const [index, [, name = '', anchor = '']] of links.entries()) {
      await page.goto(`${site.url}/${name}.html${anchor}`);
      const parts = page.locator('.vp-doc :is(p, li, td, pre)');
      const answer = parts.filter({ hasText: ANSWERS[index] ?? 'no answer' }).first();
      await answer.waitFor();
      const { y = -1, height = 0 } = (await answer.boundingBox()) ?? {};
      expect([name, anchor, y >= 0 && y + Math.min(height, 100) <= 800]).toEqual([
        name,
        anchor,
        true,
      ]);
    }
  });

  test('lists every page of docs/ beside each page', () => {
    const page = readFileSync(join(SITE, 'verdicts.html'), 'utf8');
    const names = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
    const missing = names.filter(
      (name) => !page.includes(`href="/${name.replace('.md', '.html')}"`),
    );
    expect(missing).toEqual([]);
  });
});
