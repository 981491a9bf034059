import { agreementWith } from '../../../../src/features/graders/rubric-tests.ts';
import type { Project, Settings } from '../../../../src/project/settings.ts';
import type { Better, Rubric } from '../../../../src/types/metric.ts';
import type { Request } from '../../../../src/types/model.ts';
import { reasonsInWords } from '../../../../src/wording/reasons.ts';
import { scoringSummary } from '../../../../src/wording/scoring.ts';
import { renderGithub } from '../../../stand-ins/github-markdown.ts';
import { inTerminal, renderComment } from '../../../stand-ins/reports.ts';
import { metric, project, reference, settings, suite } from '../../../unit/app/run/builders.ts';
import {
  NEW,
  OLD,
  example,
  fenced,
  preparedFor,
  rubricOf,
  runPipeline,
  shop,
} from '../../app/run/pipeline.ts';

const STRICT = 'Is {content} polite? Demand a greeting.';
const LOOSE = 'Is {content} polite?';
const grader = (model: string): Partial<Settings> => ({
  grader: { model, parameters: {}, place: { file: 'evaldiff.yaml', line: 2 } },
});

function graded(rubric: Rubric | null, more: Partial<Settings> = {}, count = 6) {
  const metrics = [metric('kind', { source: { kind: 'rubric', rubric: 'polite' } })];
  const references = Array.from({ length: count }, (_, index) => reference(`r${index}`));
  const suites = [suite({ tests: { metrics, references } })];
  return project(suites, {
    settings: settings({ ...grader('gpt-4o'), ...more }),
    rubrics: new Map(rubric === null ? [] : [[rubric.name, rubric]]),
  });
}

/**
 * Odd references get an answer with a greeting. Graders require a greeting as their rubric does,
 * except one that accepts everything.
 */
function scripted({ purpose, target }: Request, text: string): string {
  if (purpose === 'prompt') return /r[135]$/.test(text) ? 'Hello, here you are.' : 'Here.';
  if (target.model === 'gpt-lenient') return 'YES';
  return !text.includes('Demand a greeting') || fenced(text, 'content').includes('Hello')
    ? 'YES'
    : 'NO';
}

const scored = (scores: Record<string, number>) => ({
  choice_scores: new Map(Object.entries(scores)),
});

const examples = [
  example('Hello there', 'YES'),
  example('Hello you', 'YES'),
  example('Go away', 'NO'),
  example('Thanks', 'YES'),
];

describe('a rubric that measures a fault', () => {
  const yea = (better: Better, skip = false) =>
    [OLD, NEW].map((content) => {
      const own = shop(content, 12, {
        tests: { metrics: [metric('yea', { source: { kind: 'rubric', rubric: 'polite' }, skip })] },
      });
      const rubric = rubricOf('Judge {content}', { ...scored({ F: 1, C: 0.5, A: 0 }), better });
      return project([own], {
        settings: settings({ ...grader('gpt-4o'), n_tries: 'adaptive' }),
        rubrics: new Map([[rubric.name, rubric]]),
      });
    });
  /** On head, the model agrees with everything; on base, with nothing. */
  const complicit = ({ purpose }: Request, text: string): string => {
    if (purpose === 'prompt') return text.startsWith('New') ? 'You are right.' : 'No.';
    return fenced(text, 'content').includes('right') ? 'F' : 'A';
  };

  test("makes the run red when its score rises, and the result counts both sides' labels", async () => {
    const [base, head] = yea('lower');
    const { result } = await runPipeline(base!, head!, complicit);
    expect(result.conclusion).toBe('failure');
    expect(result.suites[0]).toMatchObject({
      verdict: 'regressed',
      pass_rate: { base: 1, head: 0 },
    });
    const [row] = result.suites[0]!.metrics;
    expect(
      row!.labels!.map(({ label, base: before, head: after }) => [label, before > 0, after > 0]),
    ).toEqual([
      ['F', false, true],
      ['C', false, false],
      ['A', true, false],
    ]);
  });

  test('does not affect the verdict if neither direction is better, and says so', async () => {
    const [base, head] = yea('none', true);
    const { result, calls } = await runPipeline(base!, head!, complicit);
    expect(result.conclusion).toBe('neutral');
    // Further tries could not settle anything, so there are only the first ones.
    expect(calls('prompt')).toBe(2 * 2 * base!.suites[0]!.tests.references.length);
    expect(inTerminal(result)).toContain(
      'none of its metrics decides, so their values are only shown',
    );
    expect(reasonsInWords(result)).toEqual([
      'p: no metric decides, so there is no verdict; the values of the metrics are shown. Set threshold, min or max on a metric to say what passes, or better to compare its values.',
      'p: the mean of yea rose, 0.00 → 1.00, in 12 of 12 tests; neither direction is better, so it does not count',
    ]);
    expect(result.suites[0]?.metrics[0]).toMatchObject({
      gates: false,
      base: null,
      head: null,
      values: { base: 0, head: 1, moved: 'higher', gate: 'warn' },
    });
  });

  test('makes the run red when head no longer answers, even if no metric decides the verdict', async () => {
    const [base, head] = yea('none', true);
    const { result } = await runPipeline(base!, head!, (request, text) =>
      request.purpose === 'prompt' && text.startsWith('New')
        ? new Error('filtered')
        : complicit(request, text),
    );
    expect(result.suites[0]?.verdict).toBe('regressed');
    expect(inTerminal(result)).toMatch(/^✗ Regressed: p\n/);
  });
});

describe('a pull request that only loosens a rubric', () => {
  test('is a scoring change without a prompt effect and requests no new answers', async () => {
    const { result, calls, planned } = await runPipeline(
      graded(rubricOf(STRICT)),
      graded(rubricOf(LOOSE)),
      scripted,
    );
    expect(calls('prompt')).toBe(6 * 3);
    expect(calls('grader')).toBeLessThanOrEqual(6 * 3 * 4);
    expect(planned).toBe(6 * 3 + 6 * 3 * 2);
    expect(result.conclusion).toBe('success');
    expect(result.suites[0]).toMatchObject({
      verdict: 'unchanged',
      because: [{ key: 'rubrics.polite', file: 'rubrics/r.yaml' }],
    });
    expect(result.scoring).toEqual([
      expect.objectContaining({
        prompt_effect: 0,
        scoring_effect: 0.5,
        total: 0.5,
        rates: { base_base: 0.5, base_head: 1, head_base: 0.5, head_head: 1 },
        same_answers: {
          unit: 'answers',
          judged: 18,
          pass_fail: 0,
          fail_pass: 9,
          p: 1 / 512,
          kappa: 0,
        },
      }),
    ]);
    expect(scoringSummary(result.scoring[0]!)).toBe(
      'The pass rate rose 50.0 points (50.0 % → 100.0 %): 0.0 from the prompt, +50.0 because the rubric polite got easier.',
    );
    expect(result.scoring[0]?.flipped.map(({ id, from, to }) => `${id} ${from} ${to}`)).toEqual([
      'r0 fail pass',
      'r2 fail pass',
      'r4 fail pass',
    ]);
    expect(reasonsInWords(result)).toEqual([
      'p: 9 of 18 answers now pass under the new scoring; review that change first',
    ]);
    const comment = renderGithub(renderComment(result)).text;
    expect(comment).toContain('50 → 100 % of the same answers pass.');
    expect(comment).toContain('of the same 18 answers in p, 0 pass → fail, 9 fail → pass');
    // The two texts above already say so; the usual hint would repeat it.
    expect(comment).not.toContain('review that change');
  });

  test('is reported like a changed grader, changed scores or a changed threshold', async () => {
    const before = graded(rubricOf(STRICT));
    const because = async (head: Project) =>
      (await runPipeline(before, head, scripted)).result.scoring.flatMap((change) =>
        change.because.map(({ key }) => key),
      );
    expect(await because(graded(rubricOf(STRICT), grader('gpt-lenient')))).toEqual(['grader']);
    const scores = scored({ YES: 1, NO: 0.5 });
    expect(await because(graded(rubricOf(STRICT, scores)))).toEqual(['rubrics.polite']);
    const suites = graded(null).suites.map((suite) => ({
      ...suite,
      tests: {
        ...suite.tests,
        metrics: suite.tests.metrics.map((kind) => ({ ...kind, threshold: 0 })),
      },
    }));
    expect(await because({ ...before, suites })).toEqual(['metrics.kind']);
  });
});

describe('a rubric with labelled examples', () => {
  const run = (base: Project, head: Project) => runPipeline(base, head, scripted);

  test("is tested with base's and head's version when it changes, and every changed grade is listed", async () => {
    const { result, calls } = await run(
      graded(rubricOf(STRICT, { examples }), {}, 1),
      graded(rubricOf(LOOSE, { examples }), {}, 1),
    );
    expect(calls('grader')).toBe(8 + 3 * 4);
    expect(result.graders).toEqual([
      {
        ...{ rubric: 'polite', side: 'base', examples: 4, judged: 4, agreement: 0.75 },
        ...{ true_positive_rate: 2 / 3, true_negative_rate: 1 },
        true_positive_interval: { low: expect.closeTo(0.2077, 4), high: expect.closeTo(0.9385, 4) },
        true_negative_interval: { low: expect.closeTo(0.2065, 4), high: 1 },
        ...{ kappa: 0.5, base_rate: 0.75, flipped: [] },
      },
      {
        ...{ rubric: 'polite', side: 'head', examples: 4, judged: 4, agreement: 0.75 },
        ...{ true_positive_rate: 1, true_negative_rate: 0 },
        true_positive_interval: { low: expect.closeTo(0.4385, 4), high: 1 },
        true_negative_interval: { low: 0, high: expect.closeTo(0.7935, 4) },
        kappa: 0,
        base_rate: 0.75,
        flipped: [
          { content: 'Go away', expected: 'NO', base: 'NO', head: 'YES' },
          { content: 'Thanks', expected: 'YES', base: 'NO', head: 'YES' },
        ],
      },
    ]);
    expect(result.usage.by_purpose.grader?.calls).toBe(calls('grader'));
  });

  test('is tested on head alone when only its examples change, and nothing else runs', async () => {
    const { result, requests } = await run(
      graded(rubricOf(STRICT)),
      graded(rubricOf(STRICT, { examples })),
    );
    expect(requests).toHaveLength(4);
    expect(result).toMatchObject({
      conclusion: 'success',
      title: 'No test is affected; 1 rubric tested on labelled examples',
      suites: [],
      graders: [{ side: 'head', agreement: 0.75 }],
    });
  });

  test('is tested again when the grader changes, but not if nothing does', async () => {
    const labelled = rubricOf(STRICT, { examples });
    const { result } = await run(
      graded(labelled, {}, 0),
      graded(labelled, grader('gpt-lenient'), 0),
    );
    expect(result.graders.map(({ side, agreement }) => [side, agreement])).toEqual([
      ['base', 0.75],
      ['head', 0.75],
    ]);
    expect((await run(graded(labelled), graded({ ...labelled }))).requests).toEqual([]);
  });

  test('excludes examples without a readable grade and gives their number', async () => {
    const { result } = await runPipeline(
      graded(null, {}, 0),
      graded(rubricOf(STRICT, { examples }), {}, 0),
      (request, text) => (text.includes('Thanks') ? 'perhaps' : scripted(request, text)),
    );
    expect(result.graders).toMatchObject([
      { side: 'head', examples: 4, judged: 3, agreement: 1, base_rate: 2 / 3 },
    ]);
    expect(result.notices.map(({ message }) => message)).toContain(
      'the grader of the rubric "polite" gave no readable verdict on 1 of 4 labelled examples on head; those are not counted',
    );
  });
});

describe('a rubric without examples', () => {
  const messages = async (base: Rubric | null, head: Rubric) =>
    (await runPipeline(graded(base, {}, 1), graded(head, {}, 1), scripted)).result.notices
      .filter(({ kind }) => kind === 'scoring')
      .map(({ message }) => message);

  test('causes a notice about how to add some when it changes', async () => {
    const [message] = await messages(rubricOf(STRICT), rubricOf(LOOSE));
    expect(message).toBe(
      'the rubric "polite" changed and has no examples, so it is unknown whether its grader agrees with people; add labelled examples below its choice_scores: examples: [{ content: "…", expected: "YES" }, { content: "…", expected: "NO" }]',
    );
    expect((await messages(null, rubricOf(LOOSE)))[0]).toContain('is new and has no examples');
    expect((await messages(rubricOf(STRICT, { examples }), rubricOf(STRICT)))[0]).toContain(
      'lost its examples',
    );
  });

  test('causes no notice when it does not change', async () => {
    expect(await messages(rubricOf(STRICT), rubricOf(STRICT))).toEqual([]);
  });
});

describe('agreement with people', () => {
  const letters = rubricOf('', scored({ A: 1, B: 0.5, C: 0 }));
  const pairsOf = (...pairs: string[]) =>
    pairs.map(([expected = '', label = '']) => ({ expected, label }));

  test('is computed from labels: the highest score is good, others are bad', () => {
    const pairs = pairsOf('AA', 'AB', 'BB', 'BA', 'CC', 'CC');
    // Cohen's kappa: po = 4/6, pe = (2·2 + 2·2 + 2·2)/36.
    expect(agreementWith(pairs, letters)).toEqual({
      judged: 6,
      agreement: 4 / 6,
      true_positive_rate: 0.5,
      true_negative_rate: 0.75,
      // Wilson intervals of 1 of 2 and 3 of 4.
      true_positive_interval: { low: expect.closeTo(0.0945, 4), high: expect.closeTo(0.9055, 4) },
      true_negative_interval: { low: expect.closeTo(0.3006, 4), high: expect.closeTo(0.9544, 4) },
      kappa: expect.closeTo(0.5, 12),
      base_rate: 1 / 3,
    });
  });

  test('has intervals that depend on the number of examples, not of repeats', () => {
    const pairs = pairsOf('AA', 'AB', 'CC', 'CC');
    const once = agreementWith(pairs, letters);
    const thrice = agreementWith([...pairs, ...pairs, ...pairs], letters, 3);
    expect(thrice.true_positive_interval).toEqual(once.true_positive_interval);
    expect(thrice.true_negative_interval).toEqual(once.true_negative_interval);
  });

  test('ignores labels that the rubric no longer has, and is null without examples', () =>
    expect(
      agreementWith(
        [
          { expected: 'D', label: 'A' },
          { expected: 'A', label: null },
        ],
        letters,
      ),
    ).toEqual({
      judged: 0,
      agreement: null,
      true_positive_rate: null,
      true_negative_rate: null,
      true_positive_interval: null,
      true_negative_interval: null,
      kappa: null,
      base_rate: null,
    }));
});

test('a grader that is a program of the repository runs only if the workflow allows it', async () => {
  const place = { file: 'evaldiff.yaml', line: 1 };
  const app = {
    ...{ provider: 'program' as const, endpoint: null, model: 'app', price: null, place },
    ...{ command: ['node', 'app.mjs'], files: [], setup: [], file: null, replaces: [] },
  };
  const more = { ...grader('app'), models: new Map([['app', app]]) };
  const problems = async (code: 'sandbox' | 'host', head: Project) => {
    const prepared = await preparedFor(graded(null, more, 0), head, { code });
    return prepared.problems.map(({ message }) => message);
  };
  const refusal =
    'the grader "app" is a program of this repository. It runs only with code: host (input code, or --code host).';
  expect(await problems('sandbox', graded(rubricOf(LOOSE), more, 1))).toEqual([refusal]);
  expect(await problems('sandbox', graded(rubricOf(LOOSE, { examples }), more, 0))).toEqual([
    refusal,
  ]);
  expect(await problems('host', graded(rubricOf(LOOSE, { examples }), more, 1))).toEqual([]);
});
