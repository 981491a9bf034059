import type { Reference, Tests } from '../../../../src/kernel/suite/suite.ts';
import type { Request } from '../../../../src/types/model.ts';
import { reasonsInWords } from '../../../../src/wording/reasons.ts';
import { scoringSummary } from '../../../../src/wording/scoring.ts';
import { suiteSummary } from '../../../../src/wording/suites.ts';
import { renderComment, renderTerminal } from '../../../stand-ins/reports.ts';
import {
  dependsOn,
  gate,
  metric,
  project,
  reference,
  settings,
} from '../../../unit/app/run/builders.ts';
import { NEW, OLD, fenced, rubricOf, runPipeline, shop } from '../../app/run/pipeline.ts';

type Reply = (request: Request, question: string) => string | Error;
const numberOf = (question: string) => Number(/r(\d+)/.exec(question)?.[1]);
const references = (count: number, changes: Partial<Reference> = {}) =>
  Array.from({ length: count }, (_, index) =>
    reference(`r${String(index).padStart(2, '0')}`, index === 0 ? changes : {}),
  );

async function compared(
  tests: Partial<Tests>,
  reply: Reply,
  tries: number | 'adaptive' = 3,
  changes: Parameters<typeof gate>[0] = {},
) {
  const own = { settings: settings({ n_tries: tries, gate: gate(changes) }) };
  const { result } = await runPipeline(
    project([shop(OLD, 0, { tests })], own),
    project([shop(NEW, 0, { tests })], own),
    reply,
  );
  return { result, suite: result.suites[0]! };
}

describe('the rates of a comparison', () => {
  test('cover only the references judged on both sides, as does their difference', async () => {
    const { suite } = await compared({ references: references(20) }, (_, question) => {
      if (numberOf(question) >= 2) return 'yes';
      return question.startsWith('Old') ? new Error('timeout') : 'no';
    });
    expect(suite).toMatchObject({
      pass_rate: { base: 1, head: 1, difference: 0 },
      compared: { references: 18, tries: 3 },
    });
    expect(suiteSummary(suite)).toMatch(
      /^18 of 20 tests compared; pass rate 100\.0 % → 100\.0 %, 0\.0 points; .* 18 tests × 3 answers: /,
    );
  });

  test('count all tries of a reference that sets its own number of tries', async () => {
    const { result, suite } = await compared(
      { references: references(4, { n_tries: 10 }) },
      ({ try: index }, question) => (question === 'New r00' && index >= 3 ? 'no' : 'yes'),
    );
    expect(suite.pass_rate).toMatchObject({ base: 1, head: 0.825 });
    expect(suite.pass_rate.difference).toBeCloseTo(-0.175, 12);
    expect(result.title).toBe('Regressed: p 100 → 83 %: 1 of 4 tests broke');
  });

  test('always differ by the reported difference, even with errors and unequal numbers of tries', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      let state = seed;
      const draw = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
      const list = Array.from({ length: 1 + Math.floor(draw() * 9) }, (_, index) =>
        reference(`r${index}`, {
          n_tries: draw() < 0.3 ? 1 + Math.floor(draw() * 6) : null,
        }),
      );
      const {
        suite: { pass_rate: rate },
      } = await compared(
        { references: list },
        () => (draw() < 0.08 ? new Error('timeout') : draw() < 0.6 ? 'yes' : 'no'),
        seed % 2 === 0 ? 3 : 'adaptive',
      );
      if (rate.difference !== null)
        expect(rate.head! - rate.base!).toBeCloseTo(rate.difference, 12);
    }
  });

  test("of a metric ignore the extra tries of a suspicious reference, as the suite's rates do", async () => {
    const { suite } = await compared(
      { references: references(20) },
      (_, question) => (question === 'New r00' ? 'no' : 'yes'),
      'adaptive',
    );
    expect(suite.references[0]?.head?.tries).toHaveLength(7);
    expect(suite.pass_rate).toMatchObject({ base: 1, head: 0.95 });
    expect(suite.metrics).toEqual([
      {
        name: 'has',
        base: 1,
        head: 0.95,
        judged_base: 40,
        judged_head: 40,
        gates: true,
        better: 'higher',
      },
    ]);
  });

  test('use all tries in a sweep, which compares nothing, even if a reference has only one try', async () => {
    const own = { settings: settings({ n_tries: 5 }) };
    const suite = shop(NEW, 0, { tests: { references: references(3, { n_tries: 1 }) } });
    const { result } = await runPipeline(
      null,
      project([suite], own),
      ({ try: index }) => (index === 0 ? 'yes' : 'no'),
      { input: { mode: 'sweep' } },
    );
    expect(result.suites[0]?.pass_rate.head).toBeCloseTo((1 + 0.2 + 0.2) / 3, 12);
  });
});

describe('the minimum pass rate', () => {
  const three: Reply = ({ try: index }) => (index < 3 ? 'yes' : 'no');

  test('accepts an equal rate despite floating-point rounding', async () => {
    const { result, suite } = await compared({ references: references(10) }, three, 5, {
      min_pass_rate: 0.6,
    });
    expect(suite.pass_rate.head).toBeCloseTo(0.6, 12);
    expect(reasonsInWords(result).join('\n')).not.toContain('min_pass_rate');
  });

  test('is printed with enough digits to differ from a rate that narrowly misses it', async () => {
    const { result } = await compared({ references: references(10) }, three, 5, {
      min_pass_rate: 0.6004,
    });
    expect(reasonsInWords(result)[0]).toBe('p: pass rate 60.00 % is below min_pass_rate 60.04 %');
  });
});

describe('a change of both scoring and prompt', () => {
  const has = { metrics: [metric('has')] };
  const exact = {
    metrics: [metric('has', { source: { kind: 'built-in', uses: 'exact_match', with: {} } })],
  };

  /** The exact check, limited to answers with a value from `also` that no check gives. */
  const waiting = {
    ...exact.metrics[0]!,
    depends_on: [dependsOn('also', { metric_min_value: 2, metric_max_value: 3 })],
  };

  interface Split {
    tries?: number;
    tests?: Partial<Tests>;
    gate?: Parameters<typeof gate>[0];
    sides?: [base: Partial<Tests>, head: Partial<Tests>];
  }
  async function split(list: Reference[], reply: Reply, more: Split = {}) {
    const own = { settings: settings({ n_tries: more.tries ?? 3, gate: gate(more.gate) }) };
    const [base, head] = more.sides ?? [has, exact];
    const { result } = await runPipeline(
      project([shop(OLD, 0, { tests: { references: list, ...more.tests, ...base } })], own),
      project([shop(NEW, 0, { tests: { references: list, ...more.tests, ...head } })], own),
      reply,
    );
    return { result, scoring: result.scoring[0]! };
  }
  const polite: Reply = (_, question) => (question.startsWith('Old') ? 'yes' : 'yes, sir');

  test('is split into two effects, using only references that both scorings judged on both sides', async () => {
    const { scoring } = await split(references(20), (_, question) => {
      if (numberOf(question) > 0) return 'yes';
      return question.startsWith('Old') ? new Error('timeout') : 'no';
    });
    expect(scoring).toMatchObject({
      rates: { base_base: 1, base_head: 1, head_base: 1, head_head: 1 },
      prompt_effect: 0,
      scoring_effect: 0,
      total: 0,
    });
  });

  test('has a known scoring effect even if no answer of head could be judged', async () => {
    const { scoring } = await split(references(4), (_, question) =>
      question.startsWith('New') ? new Error('timeout') : 'yes, sir',
    );
    expect(scoring).toMatchObject({
      rates: { base_base: 1, base_head: 0, head_base: null, head_head: null },
      prompt_effect: null,
      scoring_effect: -1,
      total: null,
    });
  });

  test('is inconclusive, not green, when head breaks answers and scoring together', async () => {
    const { result, scoring } = await split(references(12), (_, question) =>
      question.startsWith('Old') ? 'yes, sir' : 'no',
    );
    expect(result.suites[0]).toMatchObject({
      verdict: 'inconclusive',
      pass_rate: { base: 0, head: 0 },
      reason: { by: 'scoring', references: expect.arrayContaining(['r00', 'r11']) },
    });
    expect(result.outcome.kind).toBe('inconclusive');
    expect(scoring.fell).toHaveLength(12);
    expect(scoring.fell?.[0]).toMatchObject({ id: 'r00', base_try: 0, head_try: 0 });
    expect(renderTerminal(result, { width: 300, colour: false }).slice(0, 400)).toContain(
      "under base's scoring 100 → 0 %; the scoring changed too",
    );
  });

  test("is green if head's answers have a new format that head's own scoring accepts", async () => {
    const { result } = await split(references(12), polite, { sides: [exact, has] });
    expect(result.scoring[0]?.rates).toMatchObject({ base_base: 1, head_base: 0, head_head: 1 });
    expect(result.outcome.kind).toBe('no-regression');
    const said = "under base's scoring 100 → 0 %; head's own scoring passes them";
    expect(renderTerminal(result, { width: 300, colour: false }).slice(0, 400)).toContain(said);
    expect(reasonsInWords(result)).toContain(`p: ${said}; review that change first`);
  });

  test.each([
    ['is gone', [metric('also')]],
    ['is skipped', [metric('also'), { ...exact.metrics[0]!, skip: true }]],
    ['depends on a condition that is never met', [metric('also'), metric('new'), waiting]],
  ])("is not green if the metric that would fail head's answers %s", async (_, metrics) => {
    const both = { metrics: [metric('also'), exact.metrics[0]!] };
    const { result } = await split(references(12), polite, { sides: [both, { metrics }] });
    expect(result.suites[0]).toMatchObject({ verdict: 'inconclusive', reason: { by: 'scoring' } });
    expect(result.conclusion).toBe('neutral');
    expect(result.scoring[0]?.fell).toHaveLength(12);
  });

  test("fails if gate.scoring is fail and base's scoring fails answers that head's scoring passes", async () => {
    const { result } = await split(references(12), polite, {
      sides: [exact, has],
      gate: { scoring: 'fail' },
    });
    expect(result.conclusion).toBe('failure');
    expect(reasonsInWords(result)[0]).toMatch(
      /head's own scoring passes them; gate.scoring is fail$/,
    );
  });

  test('ignores metrics and references outside the verdict', async () => {
    const place = { file: 'prompts/tests/p.yaml', line: 9 };
    const quarantine = [{ id: 'r01', reason: 'flaky', until: '2026-12-31', place }];
    const { result, scoring } = await split(
      references(10, { skip: true }),
      (_, question) => (numberOf(question) < 2 ? 'yes, sir' : 'yes'),
      { tests: { quarantine }, gate: { scoring: 'fail' } },
    );
    expect(scoring).toMatchObject({
      scoring_effect: 0,
      flipped: [],
      same_answers: { judged: 24, pass_fail: 0 },
    });
    expect(result.conclusion).not.toBe('failure');
  });

  test('is reported, in text and table, with two effects that add up to the total', async () => {
    const { result, scoring } = await split(references(7), (_, question) => {
      if (question.startsWith('Old')) return numberOf(question) < 2 ? 'yes, sir' : 'yes';
      return numberOf(question) < 3 ? 'no' : numberOf(question) === 3 ? 'yes, sir' : 'yes';
    });
    expect(scoring.rates).toMatchObject({ base_base: 1, base_head: 5 / 7, head_head: 3 / 7 });
    expect(scoringSummary(scoring)).toContain(
      'fell 57.1 points (100.0 % → 42.9 %): −28.5 from the prompt, −28.6 because',
    );
    expect(result.title).toContain('71 → 43 %: 2 of 7 tests broke');
  });

  test('does not fail because of the scoring if the scoring effect is exactly min_drop', async () => {
    const { result, scoring } = await split(
      references(10),
      (_, question) => (numberOf(question) === 0 ? 'yes, sir' : 'yes'),
      { gate: { scoring: 'fail', min_drop: 0.1, tolerance: 0.9 } },
    );
    expect(scoring.scoring_effect).toBeCloseTo(-0.1, 12);
    expect(reasonsInWords(result).join('\n')).not.toContain('the scoring moved');
  });
});

test('an inconclusive suite reports the drop that is still possible and the number of answers', async () => {
  const { suite } = await compared(
    { references: references(200) },
    ({ try: index }, question) => {
      const at = numberOf(question);
      return question.startsWith('New')
        ? (at * 7 + index) % 10 < 1 || (at < 24 && index < 1)
          ? 'no'
          : 'yes'
        : (at * 7 + index + 5) % 10 < 1
          ? 'no'
          : 'yes';
    },
    3,
    { min_drop: 0.2 },
  );
  expect(suite.verdict).toBe('inconclusive');
  expect(suite.reason).toMatchObject({ by: 'unsettled', p: null, references: [] });
  expect(suite.reason?.tolerance).toBe(suite.visible_drop);
  expect(suiteSummary(suite)).toContain('90 % sure to lie between −6.7 and −0.3');
  expect(suiteSummary(suite)).toMatch(
    /200 tests × 3 answers: .* A drop above 5\.3 points \(gate\.tolerance\) is still possible\.$/,
  );
});

test('in a sweep, a reference that must pass at least k tries does not fail because an answer is missing', async () => {
  const own = { settings: settings({ n_tries: 3, gate: gate({ fail_on: 'failure' }) }) };
  const suite = shop(NEW, 0, {
    tests: { references: references(20), rollup: { kind: 'at_least', k: 3 } },
  });
  const { result } = await runPipeline(
    null,
    project([suite], own),
    ({ try: index }, question) =>
      index === 1 && numberOf(question) === 0 ? new Error('timeout') : 'yes',
    { input: { mode: 'sweep' } },
  );
  expect(result.suites[0]?.references[0]).toMatchObject({
    status: 'error',
    head: { rollup: null, passes: 2, tries_judged: 2 },
  });
  expect(result.conclusion).toBe('success');
});

test('a reference whose roll-up (combined tries) is unknown on one side counts as unchanged', async () => {
  const { suite } = await compared(
    { references: references(20), rollup: { kind: 'at_least', k: 3 } },
    ({ try: index }, question) =>
      question === 'New r00' && index === 1 ? new Error('timeout') : 'yes',
  );
  expect(suite.references[0]).toMatchObject({
    status: 'unchanged',
    base: { rollup: 'pass' },
    head: { rollup: null },
  });
});

test('a comparison whose interval reaches −100 points does not claim to rule out any drop', async () => {
  const { suite } = await compared(
    { references: references(1) },
    (_, question) => (question.startsWith('New') ? 'no' : 'yes'),
    1,
  );
  expect(suite.pass_rate).toMatchObject({ low: -1 });
  expect(suiteSummary(suite)).toContain(
    '1 test × 1 answer: a comparison of this size usually finds only a collapse. A drop above',
  );
});

/** The grader is a model's name. */
type Scoring = Partial<Tests> & { grader?: string };

describe('a change of only the scoring', () => {
  const named = (policy: 'all' | 'any' | 'majority'): Partial<Tests> => ({
    rollup: { kind: 'named', policy },
  });
  const never: Partial<Tests> = { rollup: { kind: 'pass_rate', min: 0 } };
  const exact = [metric('has', { source: { kind: 'built-in', uses: 'exact_match', with: {} } })];
  const graded = [metric('polite', { source: { kind: 'rubric', rubric: 'polite' } })];
  const kind = [metric('kind', { source: { kind: 'rubric', rubric: 'kind' } })];
  /** The second answer to each odd test is wrong. The strict rubric agrees only with wrong ones. */
  const odd: Reply = ({ try: index, purpose }, question) => {
    if (purpose !== 'grader') return numberOf(question) % 2 === 1 && index === 1 ? 'no' : 'yes';
    return question.includes('Strict') === /\bno$/.test(fenced(question, 'content')) ? 'YES' : 'NO';
  };
  /** A grader that changes its mind on one answer. */
  const unsure: Reply = (request, question) => {
    if (request.purpose !== 'grader')
      return numberOf(question) === 3 && request.try === 0 ? 'yes?' : 'yes';
    return question.includes('Strict') && fenced(question, 'content').includes('yes?')
      ? 'NO'
      : 'YES';
  };

  /** The stricter grader agrees only with right answers. */
  const stricter: Reply = (request, question) => {
    if (request.purpose !== 'grader') return odd(request, question);
    const isRight = !/\bno$/.test(fenced(question, 'content'));
    return isRight || request.target.model === 'gpt-4o' ? 'YES' : 'NO';
  };

  async function changed(before: Scoring, after: Scoring, reply: Reply) {
    const side = ({ grader = 'gpt-4o', ...tests }: Scoring, prompt: string) =>
      project([shop(OLD, 0, { tests: { references: references(12), ...tests } })], {
        settings: settings({
          n_tries: 3,
          grader: { model: grader, parameters: {}, place: { file: 'evaldiff.yaml', line: 2 } },
        }),
        rubrics: new Map([
          ['polite', rubricOf(`${prompt} {content}`)],
          ['kind', rubricOf('Kind {content}')],
        ]),
      });
    const { result } = await runPipeline(side(before, 'Mild'), side(after, 'Strict'), reply);
    const text = renderTerminal(result, { colour: false, width: 200 }).replaceAll(/\s+/g, ' ');
    return { result, text };
  }

  test.each([
    [
      'majority → all',
      named('majority'),
      named('all'),
      odd,
      '6 of 12 tests now fail (roll-up majority → all)',
      'of 12 tests in p, 6 pass → fail, 0 fail → pass: r01,',
    ],
    [
      'all → any',
      named('all'),
      named('any'),
      odd,
      '6 of 12 tests now pass (roll-up all → any)',
      "Base's scoring fail, 2 of 3 tries passed Head's scoring pass",
    ],
    [
      'all → pass_rate 0',
      named('all'),
      never,
      odd,
      '6 of 12 tests now pass (roll-up all → pass_rate 0, which can never fail)',
      '6 fail → pass',
    ],
    [
      'a metric',
      named('all'),
      { metrics: exact },
      unsure,
      '1 of 36 answers now fails (metric has)',
      '1 pass → fail, 0 fail → pass: r03',
    ],
    [
      'a metric that gets easier',
      { metrics: exact },
      {},
      unsure,
      '1 of 36 answers now passes (metric has)',
      "Base's scoring fail, has: ",
    ],
    [
      'a rubric',
      { metrics: graded },
      { metrics: graded },
      odd,
      '30 of 36 answers now fail and 6 now pass (rubric polite)',
      '30 pass → fail, 6 fail → pass in 12 tests',
    ],
    [
      'a rubric whose grader is unsure',
      { metrics: graded },
      { metrics: graded },
      unsure,
      '1 of 36 answers now fails (rubric polite), perhaps by chance',
      ', 1 pass → fail, 0 fail → pass: r03',
    ],
    [
      'a grader',
      { metrics: kind },
      { metrics: kind, grader: 'gpt-4o-mini' },
      stricter,
      '6 of 36 answers now fail (grader)',
      "Base's scoring pass Head's scoring fail, kind: NO",
    ],
  ])('counts in the unit that it acts on: %s', async (_, before, after, reply, said, shown) => {
    const { result, text } = await changed(before, after, reply);
    expect(result.title).toBe(`Scoring changed: ${said}`);
    expect(text).toContain(`Scoring changed: ${said}`);
    expect(text).toContain(shown);
    expect(renderComment(result).replaceAll('`', '')).toContain(`Scoring changed: ${said}`);
  });

  test('is not a change of scoring if it changes no test', async () => {
    const tests = { references: references(4) };
    const { result } = await runPipeline(
      project([shop(OLD, 0, { tests: { ...tests, ...named('majority') } })]),
      project([shop(OLD, 0, { tests: { ...tests, ...named('all') } })]),
      () => 'yes',
    );
    expect(result.outcome.kind).toBe('no-regression');
    expect(result.scoring[0]).toMatchObject({
      scoring_effect: 0,
      same_answers: { unit: 'tests', judged: 4, pass_fail: 0, fail_pass: 0 },
    });
  });
});
