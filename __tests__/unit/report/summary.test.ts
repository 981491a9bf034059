import {
  CHECK_SUMMARY_LIMIT,
  CHECK_TITLE_LIMIT,
  checkTitle,
  JOB_SUMMARY_LIMIT,
} from '../../../src/report/comment.ts';
import { checkSummary, renderSummary } from '../../stand-ins/reports.ts';
import { enormous, hostile, nothingAffected, regression, resultOf } from './results.ts';

const size = (text: string) => Buffer.byteLength(text);

describe('checkTitle', () => {
  test.each([254, 255, 256])("of %i characters is cut only above GitHub's limit", (length) => {
    const title = checkTitle(resultOf({ title: 'x'.repeat(length) }));
    expect(title).toBe(length <= CHECK_TITLE_LIMIT ? 'x'.repeat(length) : `${'x'.repeat(254)}…`);
  });

  test('is one line, never empty, and never splits a character', () => {
    expect(checkTitle(resultOf({ title: 'a\nb\u0007' }))).toBe('a\\u{a}b\\u{7}');
    expect(checkTitle(resultOf({ title: ' ' }))).toBe('Nothing affected');
    expect(checkTitle(resultOf({ title: '😀'.repeat(200) })).isWellFormed()).toBe(true);
    expect(checkTitle(nothingAffected())).toBe(
      'No prompt, rubric or test changed: nothing to run.',
    );
  });
});

describe.each([
  ['the check', checkSummary, CHECK_SUMMARY_LIMIT],
  ['the job', renderSummary, JOB_SUMMARY_LIMIT],
])('the summary of %s', (_name, render, limit) => {
  test.each([
    ['two thousand failures', enormous],
    ['hostile text', hostile],
    ['an ordinary result', regression],
  ])('for %s fits into the size limit, which is in bytes', (_what, build) => {
    const bytes = size(render(build()));
    expect(bytes).toBeLessThanOrEqual(limit);
    expect(bytes).toBeGreaterThan(0);
  });

  test.each([-1, 0, 1])(
    'with a limit %+i bytes from its full size is cut only if necessary, and says so',
    (extra) => {
      const full = render(regression());
      const shown = render(regression(), size(full) + extra);
      expect(size(shown)).toBeLessThanOrEqual(size(full) + extra);
      expect(shown === full).toBe(extra >= 0);
      expect(shown).toMatch(extra >= 0 ? /^### ❌ Regressed: / : /to fit GitHub's size limit/);
    },
  );

  test('never exceeds any limit', () => {
    for (const small of [0, 3, 40, 300, 2_000])
      expect(size(render(hostile(), small))).toBeLessThanOrEqual(small);
  });
});
