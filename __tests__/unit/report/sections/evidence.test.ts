import type { ReferenceResult } from '../../../../src/kernel/result/reference-result.ts';
import type { ScoringResult } from '../../../../src/kernel/result/scoring-result.ts';
import { failures } from '../../../../src/report/sections/failures.ts';
import { ENDED_IN_ERROR } from '../../../../src/wording/notices.ts';
import { renderGithub, withoutFolds } from '../../../stand-ins/github-markdown.ts';
import { inTerminal, REPORTS, renderComment, entriesOf } from '../../../stand-ins/reports.ts';
import {
  changeOf,
  referenceOf,
  regression,
  resultOf,
  score,
  sideOf,
  suiteOf,
  passed,
  failed,
} from '../results.ts';

function fallen(
  id: string,
  metric: string,
  reason: string | null,
  changes: Partial<ReferenceResult> = {},
): ReferenceResult {
  return referenceOf(id, 'fell', {
    base: passed('x'),
    head: sideOf([
      { outcome: 'fail', actual: 'y', scores: [score('fail', metric, false, reason)] },
    ]),
    ...changes,
  });
}

const red = (...references: ReferenceResult[]) =>
  resultOf({
    conclusion: 'failure',
    n_tries: 1,
    suites: [suiteOf('s', references, { verdict: 'regressed' })],
  });

const grouped = (...references: ReferenceResult[]) =>
  failures(entriesOf(red(...references), 'fell', 'regressed'), REPORTS).map(
    ({ metric, reason, entries }) =>
      `${String(metric)} (${String(reason)}): ${entries.map(({ reference }) => reference.id).join(' ')}`,
  );

describe('references with similar failures', () => {
  test('are grouped by metric and reason, then by metric alone', () =>
    expect(
      grouped(
        fallen('a', 'fact', 'lacks "30 days"'),
        fallen('b', 'fact', 'lacks "14 days"'),
        fallen('c', 'fact', 'lacks "30 days"'),
        fallen('d', 'polite', 'rude'),
        fallen('e', 'fact', 'is empty'),
      ),
    ).toEqual(['fact (lacks "30 days"): a c', 'fact (null): b e', 'polite (rude): d']));

  test('are not grouped across suites', () => {
    const one = suiteOf('s', [fallen('a', 'fact', 'r')], { verdict: 'regressed' });
    const other = suiteOf('t', [fallen('b', 'fact', 'r')], { verdict: 'regressed' });
    expect(failures(entriesOf(resultOf({ suites: [one, other] }), 'fell'), REPORTS)).toHaveLength(
      2,
    );
  });

  test('are grouped by their error if they have no answer', () => {
    const failing = (id: string, error: string) =>
      referenceOf(id, 'error', {
        head: {
          ...sideOf([{ outcome: 'error', actual: '' }]),
          tries: sideOf([{ outcome: 'error', actual: '' }]).tries.map((result) => ({
            ...result,
            error,
          })),
        },
      });
    const suite = suiteOf('s', [failing('a', '401'), failing('b', '500'), failing('c', '401')]);
    expect(
      failures(entriesOf(resultOf({ suites: [suite] }), 'error'), REPORTS).map(
        ({ reason, entries }) => [reason, entries.length],
      ),
    ).toEqual([
      ['401', 2],
      ['500', 1],
    ]);
  });
});

describe('the worst reference', () => {
  test("is expanded with both answers and the reason for head's failure, even with one try each", () => {
    const { html, text } = renderGithub(
      renderComment(
        red(fallen('a', 'fact', 'lacks "30 days"'), fallen('b', 'fact', 'lacks "30 days"')),
      ),
    );
    const open = withoutFolds(html);
    for (const words of ['What it did:', 'Base ✅', 'Head ❌', 'lacks &quot;30 days&quot;'])
      expect(open).toContain(words);
    expect(text).toContain(
      'What it did: a (prompts/tests/capitals.yaml:12), 1 of 1 → 0 of 1 passed; 1 more similar',
    );
  });

  test('is named by its first words if it has no id', () => {
    const input = { ticket: ' ', question: 'I was given a scarf, can I still have a refund?' };
    const shown = (id: string) =>
      renderGithub(renderComment(red(fallen(id, 'fact', null, { input })))).text;
    expect(shown('960ccec3b8')).toContain(
      'What it did: I was given a scarf, can I still have a refund? (prompts/tests/capitals.yaml:12) – 960ccec3b8, 1 of 1',
    );
    expect(shown('960ccec3b8-2')).toContain(
      '(prompts/tests/capitals.yaml:12) – 960ccec3b8-2, 1 of 1',
    );
    expect(shown('gift')).toContain('What it did: gift (prompts/tests/capitals.yaml:12), 1 of 1');
  });

  test('keeps the line breaks of its answers', () => {
    const answer = 'Dear customer,\n\nbring it back.\nYours';
    const reference = fallen('a', 'fact', null, {
      head: sideOf([{ outcome: 'fail', actual: answer, scores: [score('fail', 'fact')] }]),
    });
    const { html, code } = renderGithub(renderComment(red(reference)));
    expect(code).toContain(answer);
    expect(html).not.toMatch(/<code>[^<]*<br/);
  });
});

describe('a metric that dropped while another rose', () => {
  const tries = (polite: 'pass' | 'fail', fact: 'pass' | 'fail', answer: string) =>
    sideOf(
      [0, 1].map((index) => ({
        outcome: 'fail',
        actual: `${answer} ${index}`,
        scores: [
          score(polite, 'polite', polite === 'pass', polite === 'fail' ? 'rude' : null),
          score(fact, 'fact', fact === 'pass', fact === 'fail' ? 'lacks 30 days' : null),
        ],
      })),
    );
  const hidden = (id: string, head: 'pass' | 'fail') =>
    referenceOf(id, 'unchanged', {
      base: tries('fail', 'pass', 'before'),
      head: tries('pass', head, 'after'),
    });
  const [row] = regression().suites;
  const suite = suiteOf('s', [hidden('a', 'pass'), hidden('b', 'fail')], {
    verdict: 'regressed',
    reason: { ...row!.reason!, references: [], metrics: ['fact'] },
  });

  test('is shown with an answer that it passes on base and one that it fails on head', () => {
    const shown = renderGithub(renderComment(resultOf({ conclusion: 'failure', suites: [suite] })));
    expect(shown.text).toContain(
      'What fell most: b (prompts/tests/capitals.yaml:12), fact passes 2 of 2 → 0 of 2',
    );
    const open = withoutFolds(shown.html);
    for (const words of ['before', 'after', 'lacks 30 days']) expect(open).toContain(words);
  });
});

describe('a scoring change', () => {
  const split: ScoringResult = {
    ...regression().scoring[0]!,
    path: 'prompts/s.yaml',
    name: 's',
    because: [{ key: 'metrics.opening', file: 'prompts/tests/s.yaml' }],
    flipped: [
      { id: 'a', from: 'fail', to: 'pass' },
      { id: 'b', from: 'pass', to: 'fail' },
    ],
    same_answers: { unit: 'answers', judged: 12, pass_fail: 1, fail_pass: 4, p: 0.4, kappa: null },
  };
  const suite = suiteOf(
    's',
    ['a', 'b'].map((id) =>
      referenceOf(id, 'unchanged', {
        base: sideOf([{ outcome: id === 'a' ? 'pass' : 'fail', actual: `answer ${id}` }]),
        head: sideOf([{ outcome: id === 'a' ? 'pass' : 'fail', actual: `answer ${id}` }]),
      }),
    ),
  );
  const result = resultOf({
    suites: [suite],
    scoring: [split],
    changes: [
      changeOf('prompts/tests/s.yaml', 's', 2, 0, [{ sign: 'added', text: 'ignore_case: true' }]),
      { file: 'prompts/s.yaml', base_file: null, suites: ['s'], more: 3, hunks: [] },
    ],
  });

  test('is shown with its lines and a reference whose result it changed, even if nothing got worse', () => {
    const { html, text } = renderGithub(renderComment(result));
    const open = withoutFolds(html);
    expect(open).toContain('+ ignore_case: true');
    expect(open).not.toContain('prompts/s.yaml');
    expect(text).toContain(
      'What it did: of the same 12 answers in s, 1 pass → fail, 4 fail → pass in 2 tests: b, a',
    );
    expect(open).toContain('answer b');
    expect(text).toMatch(/Base's scoringpass\s*Head's scoringfail, exact_match/);
  });

  test("adds base's pass rate under base's scoring to the suite's table row", () => {
    const { rates } = split;
    const of = (base_base: number) =>
      renderGithub(
        renderComment(
          resultOf({
            suites: [suite, { ...suite, name: 't', path: 'prompts/t.yaml' }],
            scoring: [{ ...split, rates: { ...rates, base_base, base_head: 0.5 } }],
          }),
        ),
      ).text;
    expect(of(0.25)).toContain('base under its own scoring 25.0 %');
    expect(of(0.5)).not.toContain('under its own scoring');
  });
});

describe('errors', () => {
  const inError = (id: string, message: string) => {
    const side = sideOf([{ outcome: 'error', actual: '' }]);
    return referenceOf(id, 'error', {
      base: { ...side, tries: side.tries.map((each) => ({ ...each, error: message })) },
      head: { ...side, tries: side.tries.map((each) => ({ ...each, error: message })) },
    });
  };
  const refused = 'openai: 401, the server rejected the key';
  const result = resultOf({
    conclusion: 'error',
    outcome: { kind: 'not-judged' },
    reasons: [
      { code: 'errors', errors: 12, of: 12 },
      { code: 'words', text: refused },
    ],
    suites: [
      suiteOf('s', [
        ...['a', 'b', 'c', 'd', 'e'].map((id) => inError(id, refused)),
        inError('f', 'openai: 500, the server failed: request req_1'),
        inError('g', 'openai: 500, the server failed: request req_2'),
      ]),
    ],
  });

  test('that ended the run are listed once per cause in the first block, with count and place', () => {
    const lines = inTerminal(result, 200).split('\n');
    const at = (id: string) => `${id} (prompts/tests/capitals.yaml:12)`;
    expect(lines.slice(4, 6)).toEqual([
      `- 10 × ${refused} (${['a', 'b', 'c'].map(at).join(', ')} and 2 more)`,
      `- 4 × openai: 500, the server failed: request req_1 (${['f', 'g'].map(at).join(', ')})`,
    ]);
    expect(lines.filter((line) => line.includes('401'))).toHaveLength(1);
    expect(lines.join('\n')).not.toContain('Other references');
  });

  test('are shown as one sentence if they all have the same cause', () => {
    const [share, words] = result.reasons;
    const one = {
      ...result,
      reasons: [words!, share!],
      suites: [suiteOf('s', [inError('a', refused)])],
    };
    const told = inTerminal(one, 200);
    expect(told.split('\n').slice(0, 3)).toEqual(['! Not judged', '', `${refused}.`]);
    expect(told.match(/401/g)).toHaveLength(1);
    expect(told).toContain('12 of 12 tries ended in an error, so nothing was judged');
  });

  test('are not repeated among the notices, and the changed lines are shown expanded', () => {
    const notice = (message: string, line: number) => ({
      kind: 'error' as const,
      place: { file: 'prompts/tests/capitals.yaml', line },
      message,
    });
    const words = inTerminal(
      {
        ...result,
        notices: [
          ...[12, 13].map((line) => notice(refused, line)),
          notice(`s: 7 references ${ENDED_IN_ERROR}: a, b, c, d, e, f, g`, 12),
          ...[20, 21, 22].map((line) => notice('is not among them', line)),
        ],
        changes: [
          changeOf('prompts/s.yaml', 's', 4, 0, [{ sign: 'added', text: 'For {customer}' }]),
        ],
      },
      200,
    );
    expect(words.match(/401/g)).toHaveLength(1);
    expect(words).not.toContain(ENDED_IN_ERROR);
    expect(words).toContain(
      'in error: 3 × is not among them (first at prompts/tests/capitals.yaml:20)',
    );
    expect(words).toMatch(/What changed: prompts\/s\.yaml:4\n+ *\+ For \{customer\}/);
  });

  test('of refused answers are counted as fails and not called errors', () => {
    const filtered = failed('');
    const side = {
      ...filtered,
      tries: filtered.tries.map((each) => ({ ...each, parts: null, error: 'filtered' })),
    };
    const suite = suiteOf('s', [referenceOf('a', 'unchanged', { base: side, head: side })]);
    const words = inTerminal(resultOf({ suites: [suite] }), 200);
    expect(words).toContain('2 answers were refused and count as fails:\n\n- 2 × filtered');
    expect(words).not.toContain('ended in an error');
  });

  test('are expanded if head has no answer to a reference, otherwise collapsed', () => {
    const shown = (reference: ReferenceResult) =>
      renderComment(
        resultOf({ suites: [suiteOf('s', [reference], { verdict: 'unchanged' })] }),
      ).split('<details>');
    const silent = inError('a', refused);
    expect(shown(silent)[0]).toContain(`2 × \`${refused}\``);

    const answered = passed('x');
    const once = { ...answered, tries: [...answered.tries, ...(silent.head?.tries ?? [])] };
    const [open, , folded] = shown(referenceOf('a', 'unchanged', { base: answered, head: once }));
    expect(open).not.toContain('401');
    expect(folded).toContain(`1 × <code>${refused}</code>`);
  });

  test('with the same message in a file are one item with all their places', () => {
    const problem = (line: number) => ({
      place: { file: 'data/a.csv', line },
      message: 'has no column label',
    });
    const body = renderComment(
      resultOf({ conclusion: 'error', problems: [1, 2, 3, 4, 5].map(problem) }),
    );
    expect(body.split('\n').filter((line) => line.startsWith('- '))).toEqual([
      '- `data/a.csv:1`: has no column label (also at `data/a.csv:2`, `data/a.csv:3` and 2 more)',
    ]);
  });
});
