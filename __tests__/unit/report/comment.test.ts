import type { Reason } from '../../../src/kernel/result/reason.ts';
import type { SuiteResult } from '../../../src/kernel/result/suite-result.ts';
import { COMMENT_LIMIT } from '../../../src/report/comment.ts';
import { markdownOf } from '../../../src/report/markdown.ts';
import { COMMENT_LEVELS } from '../../../src/report/sections/detail.ts';

import { NO_LINKS, type Links } from '../../../src/report/sections/document.ts';
import { SECTION_NAMES } from '../../../src/report/sections/index.ts';
import { COMMENT_ELEMENTS, renderGithub, withoutFolds } from '../../stand-ins/github-markdown.ts';
import { inTerminal, renderComment, sectionBlocks } from '../../stand-ins/reports.ts';
import { expectGolden } from './golden.ts';
import {
  enormous,
  goldens,
  green,
  hostile,
  referenceOf,
  regression,
  resultOf,
  suiteOf,
  passed,
  failed,
} from './results.ts';

const marker = '<!-- evaldiff:capitals -->';
const REPOSITORY = 'https://github.com/acme/support';
const links: Links = {
  report: null,
  run: `${REPOSITORY}/actions/runs/123`,
  place: (file, line) =>
    `${REPOSITORY}/blob/9e8d7c6/${file.split('/').map(encodeURIComponent).join('/')}${line > 0 ? `#L${line}` : ''}`,
};
const ALLOWED = new Set([...COMMENT_ELEMENTS, 'pre']);

describe('the golden comments', () => {
  test.each(Object.entries(goldens))('%s matches its file in fixtures/comments', (name, build) => {
    expectGolden(name, renderComment(build(), { marker, links }));
  });
});

test.each([
  ['', 'empty'],
  ['\n \n', 'only white space'],
])('the answer %j is shown as: %s', (answer, words) => {
  const head = failed(answer);
  for (const before of ['A long answer of base.', answer]) {
    const base = passed(before);
    const reference = referenceOf('r', 'regressed', { base, head });
    const result = resultOf({ suites: [suiteOf('p', [reference], { verdict: 'regressed' })] });
    expect(renderComment(result, { marker, links })).toContain(`<i>${words}</i>`);
    expect(inTerminal(result)).toContain(`(${words})`);
  }
});

describe('a comment', () => {
  const body = renderComment(regression(), { marker, links });

  test('shows verdict, changed lines and the worst test, and collapses the rest except the footer', () => {
    const top = withoutFolds(renderGithub(body).html, '<details/>')
      .replace(/<table>[^]*?<\/table>/g, '<table/>')
      .replace(/<pre>[^]*?<\/pre>/g, '<pre/>');
    expect(
      top
        .replace(/<(p|h3|ul)>[^]*?<\/\1>/g, '<$1/>')
        .replace(/(<details\/>\s*)+/g, '<details/> ')
        .replace(/\s+/g, ' ')
        .trim(),
    ).toBe(`${marker} <h3/> <ul/> <p/> <pre/> <p/> <table/> <p/> <details/> <p/>`);
  });

  test('collapses each section under one summary line, in the order of the report', () => {
    const summaries = (text: string) =>
      [...text.matchAll(/<summary>(.*?)<\/summary>/g)].map(([, words]) => words);
    const folds = SECTION_NAMES.map((name) =>
      summaries(markdownOf(sectionBlocks(regression(), COMMENT_LEVELS[0], [name]), links)),
    ).filter(({ length }) => length > 0);
    expect(summaries(body)).toEqual(folds.flat());
    expect(folds).toEqual(folds.map(([first]) => [first]));
    expect(summaries(body)).toEqual(
      expect.arrayContaining([
        '3 suites: 1 regressed',
        '3 more tests broke',
        'Attributes: 1 regressed · 1 insight',
        'Scoring · Grader agreement with labelled examples, 1 rubric',
        'Tests by status: 1 unclear, 1 flaky, 1 improved',
        'How sure is this?',
        '3 notices: removed, in error, settings',
      ]),
    );
  });

  test('is short if nothing got worse: headline, sentence, collapsed sections, footer', () => {
    const quiet = suiteOf('capitals', [
      referenceOf('a', 'unchanged', { base: passed('x'), head: passed('y') }),
    ]);
    const top = (...suites: SuiteResult[]) =>
      withoutFolds(
        renderGithub(
          renderComment(resultOf({ suites, changes: regression().changes ?? [] }), { marker }),
        ).html,
        '<details/>',
      ).match(/(?<=<)(h3|p|table|details|pre)(?=[/>])/g);
    expect(top(quiet)).toEqual(['h3', 'p', 'details', 'details', 'p']);
    expect(top(quiet, { ...quiet, name: 'math', path: 'prompts/math.yaml' })).toEqual([
      'h3',
      'p',
      'details',
      'details',
      'p',
    ]);
  });

  test('ends with calls, cost and commits', () => {
    expect(body.trimEnd().split('\n').at(-1)).toBe(
      '<sub>148 calls · $0.12 · `1f6a9c0…9e8d7c6` · ' +
        `[run](<${REPOSITORY}/actions/runs/123>)</sub>`,
    );
    expect(renderComment(green(), { marker })).toContain('cost unknown');
    const elsewhere = {
      ...green(),
      head: { sha: 'worktree' },
      local_options: "-C 'my shop' --code host",
    };
    expect(renderComment(elsewhere, { marker })).toContain(
      'npx evaldiff diff --base 1f6a9c0 -C &#39;my shop&#39; --code host<',
    );
    expect(body).toContain('148 model calls, 8 reused · 31,408 tokens in, 4,127 out');
    const { usage } = regression();
    expect(
      renderComment({ ...regression(), usage: { ...usage, saved_usd: 0.05 } }, { marker }),
    ).toContain('(answers $0.08, grades $0.04) · $0.05 saved by reuse');
    expect(
      renderComment({ ...regression(), usage: { ...usage, saved_usd: null } }, { marker }),
    ).not.toContain('saved');
  });

  test('names the path of the report if there is no link', () => {
    const here = { run: null, report: null, place: null, reportFile: 'out/report.html' };
    const short = renderComment(regression(), { marker, links: here });
    expect(short.trimEnd().split('\n').at(-1)).toMatch(/^<sub>report: `out\/report\.html` · /);
  });

  test("does not repeat reasons that a suite's verdict already states, but shows all others", () => {
    const floor: Reason = { code: 'below-floor', suite: 'capitals', rate: 0.824, floor: 0.9 };
    const result = { ...regression(), reasons: [...regression().reasons, floor] };
    const lines = renderComment(result, { marker })
      .replace(/<details>[^]*?<\/details>/g, '')
      .split('\n')
      .filter((line) => line.startsWith('- ') && !line.startsWith('-  '));
    expect(lines.slice(2)).toEqual(['- capitals: pass rate 82 % is below `min_pass_rate` 90 %']);
  });
});

describe('hostile text', () => {
  const levels = COMMENT_LEVELS.map((level, index): [number, typeof level] => [index, level]);

  test.each(levels)('stays inside its element at detail level %i', (_index, level) => {
    const rendered = renderGithub(markdownOf(sectionBlocks(hostile(), level), links));
    expect(rendered.elements.filter((name) => !ALLOWED.has(name))).toEqual([]);
    expect(rendered.links.filter((url) => !url.startsWith(`${REPOSITORY}/`))).toEqual([]);
    expect([...rendered.images, ...rendered.comments, ...rendered.references]).toEqual([]);
    expect(rendered.outside).not.toMatch(/evil\.example|APPROVED\b.*<|alert\(1\)/);
    expect(rendered.text).not.toMatch(/[\p{Cs}\p{Bidi_Control}\u200b\u200d\ufeff]/u);
  });

  test("leaves only evaldiff's own marker in a whole comment", () => {
    const body = renderComment(hostile(), { marker: '<!-- evaldiff -->', links });
    expect(body.indexOf('<!--')).toBe(0);
    expect(body.lastIndexOf('<!--')).toBe(0);
    expect(renderGithub(body).comments).toEqual([' evaldiff ']);
  });

  test('cannot turn a path into a link', () => {
    const trap: Links = {
      report: null,
      run: 'javascript:alert(1)',
      place: (file) => `https://github.com/x/${file}`,
    };
    const rendered = renderGithub(markdownOf(sectionBlocks(hostile(), COMMENT_LEVELS[0]), trap));
    expect(rendered.links.filter((url) => !url.startsWith('https://github.com/x/'))).toEqual([]);
    expect(rendered.elements.filter((name) => !ALLOWED.has(name))).toEqual([]);
  });
});

describe('the size limit', () => {
  const balanced = (body: string) => {
    for (const name of ['details', 'table', 'tr', 'td', 'code', 'summary', 'p', 'ul', 'sub']) {
      expect(body.split(`<${name}>`).length + body.split(`<${name} `).length - 1).toBe(
        body.split(`</${name}>`).length,
      );
    }
  };

  test.each([-1, 0, 1])(
    'cuts a comment only if necessary, at %i characters from its full size',
    (extra) => {
      const full = renderComment(regression(), { marker });
      const body = renderComment(regression(), { marker, limit: full.length + extra });
      expect(body.length).toBeLessThanOrEqual(full.length + extra);
      expect(body === full).toBe(extra >= 0);
      expect(body.includes("to fit GitHub's size limit")).toBe(extra < 0);
    },
  );

  test('shows the worst of two thousand failures and counts the rest', () => {
    const body = renderComment(enormous(), { marker });
    expect(body.length).toBeLessThanOrEqual(COMMENT_LIMIT);
    expect(body).toContain('1,999 more tests broke');
    expect(body).toMatch(/and 1,\d{3} more\./);
    balanced(body);
  });

  test('reduces detail step by step, and each step is shorter and says so', () => {
    const result = { ...regression(), suites: [...regression().suites, ...enormous(400).suites] };
    const seen = COMMENT_LEVELS.map(
      (level) => `${marker}\n${markdownOf(sectionBlocks(result, level), NO_LINKS)}\n`,
    );
    expect(seen.map(({ length }) => length)).toEqual(
      seen.map(({ length }) => length).toSorted((a, b) => b - a),
    );
    seen.forEach((body, index) => {
      const said = COMMENT_LEVELS[index]!.sizeNote;
      expect(renderComment(result, { marker, limit: body.length })).toBe(body);
      expect(renderComment(result, { marker, limit: body.length - 1 })).not.toBe(body);
      if (said !== null) expect(renderGithub(body).text).toContain(said);
      balanced(body);
    });
  });

  test.each([0, 1, 20, 60, 200, 500, 1000])(
    'is never exceeded at %i characters, and the marker stays first',
    (limit) => {
      for (const result of [hostile(), regression()]) {
        const body = renderComment(result, { marker, limit });
        expect(body.length).toBeLessThanOrEqual(limit);
        expect(body.slice(0, marker.length)).toBe(limit > marker.length ? marker : body);
      }
    },
  );

  test('cuts an answer of 5 MB and states its length', () => {
    const huge = '💥'.repeat(2_500_000);
    const reference = referenceOf('boom', 'regressed', {
      base: passed('short'),
      head: failed(huge),
    });
    const body = renderComment(
      resultOf({
        conclusion: 'failure',
        suites: [suiteOf('s', [reference], { verdict: 'regressed' })],
      }),
      { marker },
    );
    expect(body.isWellFormed()).toBe(true);
    expect(body).toContain(`<code>${'💥'.repeat(500)}</code> <i>(2,499,500 more characters)</i>`);
  });
});
