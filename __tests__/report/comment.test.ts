import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { COMMENT_LIMIT, renderComment } from '../../src/report/comment.ts';
import { goldens } from './results.ts';

const marker = '<!-- evaldiff:capitals -->';
const links = { run: 'https://github.com/acme/support/actions/runs/123', place: (file: string, line: number) => `https://github.com/acme/support/blob/9e8d7c6/${encodeURIComponent(file).replaceAll('%2F', '/')}${line > 0 ? `#L${String(line)}` : ''}` };

describe('the golden comments', () => {
  // To update: UPDATE_GOLDENS=1 npm test -- __tests__/report/comment, then read the difference.
  test.each(Object.entries(goldens))('%s is rendered as in fixtures/comments', (name, build) => {
    const body = renderComment(build(), { marker, links });
    const file = `fixtures/comments/${name}.md`;
    if (process.env['UPDATE_GOLDENS'] === '1') {
      mkdirSync('fixtures/comments', { recursive: true });
      writeFileSync(file, body);
    }
    expect(existsSync(file)).toBe(true);
    expect(body).toBe(readFileSync(file, 'utf8'));
    expect(body.length).toBeLessThanOrEqual(COMMENT_LIMIT);
  });
});
