/**
 * Builds the site into build/site: the pages of docs/ and benchmarks/ by VitePress, and the demo's
 * report. Fails if a link of a built page leads nowhere. Run `npm ci --prefix site` first.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filePathsBelow } from './entries-below.ts';
import { runDemo } from './pull-request.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const pages = join(root, 'site/pages');
const out = join(root, 'build/site');
const base = process.env['SITE_BASE'] ?? '/';

/** Links of the built pages whose file or anchor does not exist, as `page: link`. */
export function deadLinks(folder: string, base: string): string[] {
  const files = new Set(filePathsBelow(folder));
  const anchors = new Map<string, Set<string>>();
  const pagesOf = [...files].filter((path) => path.endsWith('.html') && path !== '404.html');
  const text = (path: string) => readFileSync(join(folder, path), 'utf8');
  for (const path of pagesOf)
    anchors.set(path, new Set([...text(path).matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)));
  return pagesOf.flatMap((path) =>
    [...text(path).matchAll(/<(?:a|img|source)[^>]* (?:href|src|srcset)="([^"]+)"/g)].flatMap(
      ([, link = '']) => {
        const url = new URL(link, new URL(`${base}${path}`, 'http://site.invalid'));
        if (url.hostname !== 'site.invalid') return [];
        const target = decodeURIComponent(url.pathname).slice(base.length);
        const file = [target, `${target}.html`, `${target}index.html`].find((each) =>
          files.has(each),
        );
        const id = decodeURIComponent(url.hash.slice(1));
        const found = file !== undefined && (id === '' || anchors.get(file)?.has(id) === true);
        return found ? [] : [`${path}: ${link}`];
      },
    ),
  );
}

async function build(): Promise<void> {
  for (const folder of [pages, out]) rmSync(folder, { recursive: true, force: true });
  for (const path of ['docs', 'benchmarks', 'SECURITY.md'])
    cpSync(join(root, path), join(pages, path), {
      recursive: true,
      filter: (from) => !/\.\w+$/.test(from) || from.endsWith('.md'),
    });
  cpSync(join(root, 'site/index.md'), join(pages, 'index.md'));
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: join(root, 'site'), stdio: 'inherit' });
  cpSync(join(root, 'docs/images'), join(out, 'images'), { recursive: true });
  const demo = await runDemo(() => undefined);
  mkdirSync(join(out, 'demo'));
  cpSync(join(demo.reports, 'report.html'), join(out, 'demo/report.html'));
  rmSync(demo.folder, { recursive: true, force: true });
  const dead = deadLinks(out, base);
  if (dead.length > 0) throw new Error(`these links lead nowhere:\n${dead.join('\n')}`);
}

if (import.meta.main) await build();
