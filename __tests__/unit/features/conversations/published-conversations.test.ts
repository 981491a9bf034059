/**
 * Checks that the calculations reproduce the published tables of code_chat_eval from its labels.
 */
import { gradeEvaluators } from '../../../../src/features/conversations/evaluator-tests.ts';
import type {
  EvaluatorGrade,
  EvaluatorVerdict,
  PairedMean,
} from '../../../../src/features/conversations/result.ts';
import { published, publishedConversations, conversation } from './dialogues.ts';

const answers = published('evaluators') as { accepted: string; evaluators: Record<string, string> };
const [LLAMA, CODE_LLAMA, FLASH, MINI] = [
  'meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo',
  'codellama/CodeLlama-34b-Instruct-hf',
  'gemini-1.5-flash',
  'gpt-4o-mini',
];
const { led, runs: runsOf, summary: summaryOf } = await publishedConversations();

const rounded = ({ base, head, n }: PairedMean) =>
  [base, head].map((value) => (value === null ? null : Number(value.toFixed(4)))).concat(n);

describe('published evaluation of four models', () => {
  test.each([
    [MINI, 1, 1.105, 200, 0, 0],
    [FLASH, 0.975, 1.2667, 195, 2, 3],
    [LLAMA, 0.81, 2.0556, 162, 34, 4],
    [CODE_LLAMA, 0.59, 2.0847, 118, 74, 8],
  ])(
    'has the published share of completed dialogues, turns and outcomes for %s',
    (model, share, turns, complete, maxSteps, noFollowUp) => {
      const summary = summaryOf(null, model);
      expect(rounded(summary.completed)).toEqual([null, share, 200]);
      expect(rounded(summary.turns)).toEqual([null, turns, complete]);
      expect(summary.outcomes).toEqual({
        base: null,
        head: {
          complete,
          max_steps: maxSteps,
          no_follow_up: noFollowUp,
          evaluator_error: 0,
          model_error: 0,
        },
      });
    },
  );

  test.each([
    [FLASH, LLAMA, 159, 0.975, 0.81, -0.165],
    [CODE_LLAMA, LLAMA, 103, 0.59, 0.81, 0.22],
    [LLAMA, MINI, 162, 0.81, 1, 0.19],
    [CODE_LLAMA, FLASH, 116, 0.59, 0.975, 0.385],
  ])(
    'compares the turns of %s and %s only for questions that both completed',
    (base, head, both, before, after, difference) => {
      const { completed, turns } = summaryOf(base, head);
      expect(turns.n).toBe(both);
      expect([completed.base, completed.head]).toEqual([before, after]);
      expect(completed.difference).toBeCloseTo(difference, 12);
      expect((completed.low ?? 0) <= difference && difference <= (completed.high ?? 0)).toBe(true);
    },
  );

  test('has the published numbers of questions with more and with fewer turns', () => {
    const pairs = runsOf(FLASH, LLAMA).map(({ base, head }) => [
      base[0]?.byHead.conversation,
      head[0]?.byHead.conversation,
    ]);
    const turns = pairs.flatMap(([one, other]) =>
      one?.outcome === 'complete' && other?.outcome === 'complete'
        ? [other.turns.length - one.turns.length]
        : [],
    );
    expect([
      turns.filter((more) => more > 0).length,
      turns.filter((more) => more < 0).length,
    ]).toEqual([81, 11]);
    const { turns: paired } = summaryOf(FLASH, LLAMA);
    expect(paired.difference).toBeCloseTo(
      turns.reduce((sum, more) => sum + more, 0) / turns.length,
      12,
    );
    // Gemini's published mean of 1.2667 covers all that it completed. A comparison uses only
    // questions completed on both sides.
    const both = pairs.filter(
      ([one, other]) => one?.outcome === 'complete' && other?.outcome === 'complete',
    );
    expect(paired.base).toBeCloseTo(
      both.reduce((sum, [first]) => sum + (first?.turns.length ?? 0), 0) / 159,
      12,
    );
    expect(paired.base).not.toBeCloseTo(1.2667, 3);
  });

  test('has null as the number of turns to a criterion that was never met', () => {
    expect(led.get('x')?.byHead.conversation?.turns_to).toEqual({
      understanding: 1,
      correctness: null,
      completeness: null,
    });
    expect(led.get('3')?.byHead.conversation?.turns_to).toEqual({
      understanding: 1,
      correctness: 3,
      completeness: 3,
    });
  });
});

const NAMES = Object.keys(answers.evaluators);
const criteria = conversation().criteria;

function verdictAt(name: string, index: number): EvaluatorVerdict {
  const bits = Number(answers.evaluators[name]?.[index]);
  const word = (bit: number) => ((bits & bit) > 0 ? 'yes' : 'no');
  return {
    evaluator: name,
    words: { understanding: word(4), correctness: word(2), completeness: word(1) },
    analysis: null,
    follow_up: null,
  };
}

const graded = gradeEvaluators(
  NAMES,
  criteria,
  [...answers.accepted].map((label, index) => ({
    accepted: label === '1',
    verdicts: NAMES.map((name) => verdictAt(name, index)),
  })),
);
const row = (side: EvaluatorGrade['accepted']) => [
  ...criteria.map(({ name }) => side.criteria[name]?.yes),
  side.all.yes,
];
const gradeOf = (...names: string[]) =>
  graded.find(({ evaluators }) => evaluators.join() === names.join());

describe('published validation of five evaluators', () => {
  test.each([
    ['gpt-4o-2024-08-06', [96, 87, 70, 69], [44, 26, 9, 9], 0.8],
    ['gpt-4o', [100, 93, 56, 56], [52, 29, 4, 4], 0.76],
    ['gemini-1.5-pro', [95, 80, 48, 47], [41, 25, 3, 3], 0.72],
    ['gemini-1.5-flash', [95, 70, 34, 34], [48, 18, 4, 4], 0.65],
    ['gpt-4o-mini', [76, 48, 5, 2], [19, 8, 0, 0], 0.51],
  ])(
    'has the published counts and balanced accuracy for %s',
    (name, accepted, rejected, balanced) => {
      const grade = gradeOf(name);
      if (grade === undefined) throw new Error(name);
      expect([row(grade.accepted), row(grade.rejected)]).toEqual([accepted, rejected]);
      expect([grade.accepted.all.n, grade.rejected.all.n, grade.unread]).toEqual([100, 100, 0]);
      expect(grade.balanced_accuracy?.value).toBeCloseTo(balanced, 12);
    },
  );

  test.each([
    [['gemini-1.5-flash', 'gemini-1.5-pro'], 48, 4],
    [['gemini-1.5-flash', 'gpt-4o-2024-08-06'], 55, 8],
    [['gemini-1.5-pro', 'gpt-4o-2024-08-06'], 64, 9],
    [['gemini-1.5-flash', 'gpt-4o-mini'], 18, 0],
    [['gemini-1.5-pro', 'gpt-4o-mini'], 24, 0],
    [['gpt-4o-2024-08-06', 'gpt-4o-mini'], 34, 3],
    [['gemini-1.5-flash', 'gpt-4o'], 51, 6],
    [['gemini-1.5-pro', 'gpt-4o'], 62, 5],
    [['gpt-4o-2024-08-06', 'gpt-4o'], 69, 8],
    [['gpt-4o-mini', 'gpt-4o'], 31, 2],
    [NAMES, 29, 2],
  ])('has the published counts for %j combined', (names, accepted, rejected) => {
    const grade = gradeOf(...names);
    expect([grade?.accepted.all.yes, grade?.rejected.all.yes]).toEqual([accepted, rejected]);
  });

  test('has Wilson intervals, and a derived interval for the balanced accuracy', () => {
    const grade = gradeOf('gpt-4o-2024-08-06');
    // Published score intervals for 69 and 9 of 100.
    expect(grade?.accepted.all).toMatchObject({
      share: 0.69,
      low: expect.closeTo(0.5937, 4),
      high: expect.closeTo(0.7722, 4),
    });
    expect(grade?.rejected.all).toMatchObject({
      share: 0.09,
      low: expect.closeTo(0.0481, 4),
      high: expect.closeTo(0.1623, 4),
    });
    const { low = 0, high = 0 } = grade?.balanced_accuracy ?? {};
    expect([low < 0.8, high > 0.8]).toEqual([true, true]);
    expect(low).toBeCloseTo(0.8 - Math.hypot(0.69 - 0.5937, 0.1623 - 0.09) / 2, 3);
    expect(high).toBeCloseTo(0.8 + Math.hypot(0.7722 - 0.69, 0.09 - 0.0481) / 2, 3);
  });
});

describe('gradeEvaluators', () => {
  const says = (evaluator: string, word: 'yes' | 'no' | 'unknown'): EvaluatorVerdict => ({
    evaluator,
    words: { c: word },
    analysis: null,
    follow_up: null,
  });
  const one = [{ name: 'c', combine: 'majority' as const }];

  test('returns no balanced accuracy without both kinds of answers', () => {
    const [grade] = gradeEvaluators(['a'], one, [{ accepted: true, verdicts: [says('a', 'yes')] }]);
    expect(grade).toMatchObject({
      balanced_accuracy: null,
      rejected: { all: { n: 0, share: null, low: null, high: null } },
    });
  });

  test('returns only individual evaluators, pairs and the full set if there are too many combinations', () => {
    const names = [...'abcdef'];
    const sizes = gradeEvaluators(names, one, []).map(({ evaluators }) => evaluators.length);
    expect(sizes).toEqual([...Array<number>(6).fill(1), ...Array<number>(15).fill(2), 6]);
  });
});
