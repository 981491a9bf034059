import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import {
  keyOf,
  pictureFile,
  pictureKey,
  steadyComment,
  THEMES,
  withKey,
} from '../../../scripts/comment-page.ts';
import { runDemo, type DemoOutcome } from '../../../src/commands/demo.ts';
import { renderGithub } from '../../stand-ins/github-markdown.ts';
import { ROOT } from './runner.ts';

jest.setTimeout(120_000);

let demo: DemoOutcome;
beforeAll(async () => {
  demo = await runDemo(() => undefined);
});
afterAll(() => {
  rmSync(demo.folder, { recursive: true, force: true });
});

describe("the README's picture of the comment", () => {
  test.each(THEMES)(
    "is made of the demo's present comment (%s); `npx node scripts/comment-picture.ts` makes it anew",
    (theme) => {
      const png = readFileSync(join(ROOT, pictureFile(theme)));
      expect(keyOf(png)).toBe(pictureKey(demo.comment, theme));
      expect(png.length).toBeLessThan(300_000);
    },
  );

  test('is another one when a word of the comment changes, and the same whatever port the demo had', () => {
    const [light] = THEMES;
    expect(pictureKey(`${demo.comment} .`, light)).not.toBe(pictureKey(demo.comment, light));
    expect(steadyComment('[run](<http://127.0.0.1:1/a>)')).toBe(
      steadyComment('[run](<http://127.0.0.1:65535/a>)'),
    );
    expect(keyOf(withKey(Buffer.alloc(24), 'a key'))).toBe('a key');
    expect(keyOf(Buffer.alloc(24))).toBeNull();
  });

  test("is shown by the README in both themes, below the comment's own first line", () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const shown = [...readme.matchAll(/(?:src|srcset)="(docs\/images\/[^"]+)"/g)].map(
      ([, path]) => path,
    );
    expect([...shown].sort()).toEqual(THEMES.map(pictureFile).sort());
    expect(shown.every((path) => existsSync(join(ROOT, path ?? '')))).toBe(true);
    const [, first = ''] = demo.comment.split('\n');
    const quoted = readme.split('\n').find((line) => line.startsWith('> ### ')) ?? '';
    expect(renderGithub(quoted.slice(2)).text).toBe(renderGithub(first).text);
  });
});
