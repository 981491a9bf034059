import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { THEMES } from '../../../scripts/comment-page.ts';
import {
  keyOf,
  PICTURE_NAMES,
  PICTURES,
  pictureFile,
  pictureKey,
  shownBy,
  steady,
  withKey,
  type Shown,
} from '../../../scripts/demo-pictures.ts';
import { runDemo, type DemoOutcome } from '../../../scripts/pull-request.ts';
import { renderGithub } from '../../stand-ins/github-markdown.ts';
import { ROOT } from './runner.ts';

let demo: DemoOutcome;
let shown: Shown;
beforeAll(async () => {
  demo = await runDemo(() => undefined);
  shown = await shownBy(demo);
});
afterAll(() => {
  rmSync(demo.folder, { recursive: true, force: true });
});

function picturesIn(file: string) {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const folder = file.startsWith('docs/') ? 'docs/' : '';
  return [...text.matchAll(/(?:src|srcset)="((?:docs\/)?images\/[^"]+)"/g)]
    .map(([, path = '']) => `${folder}${path}`)
    .sort();
}

const both = (...names: (typeof PICTURE_NAMES)[number][]) =>
  names.flatMap((name) => THEMES.map((theme) => pictureFile(name, theme))).sort();

test('the guide about causes shows the real output of the demo', () => {
  const [, example = ''] = /```text\n(Cause [^]*?)```/.exec(
    readFileSync(join(ROOT, 'docs/causes.md'), 'utf8'),
  )!;
  const { text } = renderGithub(shown.comment);
  expect(text).toContain(example.trim().replaceAll('\n', ' '));
});

describe('the pictures of the demo', () => {
  test.each(PICTURE_NAMES.flatMap((name) => THEMES.map((theme) => [name, theme] as const)))(
    'the %s in %s matches the current demo; `npx node scripts/pictures.ts` updates it',
    (name, theme) => {
      const png = readFileSync(join(ROOT, pictureFile(name, theme)));
      expect(keyOf(png)).toBe(pictureKey(name, shown, theme));
      expect(png.length).toBeLessThan(PICTURES[name].mostBytes);
    },
  );

  test('change when a word that they show changes', () => {
    const [light] = THEMES;
    const { comment, report, workbench } = shown;
    const changed: Shown = {
      comment: `${comment} .`,
      report: report.replace('</h1>', '.</h1>'),
      workbench: `${workbench}.`,
    };
    for (const name of PICTURE_NAMES)
      expect(pictureKey(name, changed, light)).not.toBe(pictureKey(name, shown, light));
    const below = { ...shown, report: report.replace('id="data">', 'id="data">A') };
    expect(below.report).not.toBe(report);
    expect(pictureKey('report', below, light)).toBe(pictureKey('report', shown, light));
  });

  test('do not depend on the port of the demo or the time of an answer', () => {
    expect(steady('[run](<http://127.0.0.1:1/a>) "latency_ms": 3')).toBe(
      steady('[run](<http://127.0.0.1:65535/a>) "latency_ms": 210.5'),
    );
    expect(keyOf(withKey(Buffer.alloc(24), 'a key'))).toBe('a key');
    expect(keyOf(Buffer.alloc(24))).toBeNull();
  });

  test("appear in light and dark: in the README below the comment's first line, and in two guides", () => {
    expect(picturesIn('README.md')).toEqual(both('comment'));
    expect(picturesIn('docs/comment.md')).toEqual(both('report'));
    expect(picturesIn('docs/workbench.md')).toEqual(both('workbench'));
    expect(both(...PICTURE_NAMES).every((path) => existsSync(join(ROOT, path)))).toBe(true);
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const [, first = ''] = demo.comment.split('\n');
    const quoted = readme.split('\n').find((line) => line.startsWith('> ### ')) ?? '';
    expect(renderGithub(quoted.slice(2)).text).toBe(renderGithub(first).text);
  });
});
