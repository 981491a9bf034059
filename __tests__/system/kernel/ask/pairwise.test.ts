import type { Result } from '../../../../src/kernel/result/result.ts';
import type { Metric } from '../../../../src/types/metric.ts';
import type { Request } from '../../../../src/types/model.ts';
import { reasonsInWords } from '../../../../src/wording/reasons.ts';
import { preferenceSummary } from '../../../../src/wording/suites.ts';
import { renderComment as render } from '../../../stand-ins/reports.ts';
import {
  metric,
  modelSettings,
  project,
  reference,
  settings,
  suite,
} from '../../../unit/app/run/builders.ts';
import { fenced, runPipeline } from '../../app/run/pipeline.ts';

const preference = metric('better', {
  source: { kind: 'built-in', uses: 'pairwise_preference', with: {} },
});
const GRADER = {
  grader: { model: 'judge-1', parameters: {}, place: { file: 'evaldiff.yaml', line: 2 } },
  models: new Map([['judge-1', modelSettings({ model: 'judge-1', price: null })]]),
};

type ShopOf = [count: number, metrics?: Metric[], n_tries?: number | 'adaptive'];
function shop(wording: string, ...of: ShopOf) {
  const [count, metrics = [preference], n_tries = 3] = of;
  const references = Array.from({ length: count }, (_, index) =>
    reference(`r${String(index).padStart(2, '0')}`, { expected: undefined }),
  );
  const place = { file: 'prompts/p.yaml', line: 6 };
  const messages = [{ role: 'user' as const, content: `${wording} {q}`, place }];
  return project([suite({ prompt: { messages }, tests: { metrics, references } })], {
    settings: settings({ ...GRADER, n_tries }),
  });
}

/** Compares base and head on so many references, judged by `reply`. */
const compare = (reply: Parameters<typeof runPipeline>[2], ...of: ShopOf) =>
  runPipeline(shop('Old', ...of), shop('New', ...of), reply);

/**
 * The model repeats the question. On questions accepted by `cares`, the grader prefers answers that
 * begin with `liked`, in either position.
 */
const judgeOf =
  (liked: string, cares: (text: string) => boolean = () => true) =>
  ({ purpose }: Request, text: string) => {
    if (purpose === 'prompt') return text;
    const [first, second] = [fenced(text, 'first'), fenced(text, 'second')];
    if (!cares(first) || first.startsWith(liked) === second.startsWith(liked)) return 'TIE';
    return first.startsWith(liked) ? 'FIRST' : 'SECOND';
  };

const renderComment = (result: Result) => render(result, { marker: '<!-- -->' });

describe('a suite judged only by preference', () => {
  test("is regressed, according to a sign test, when the grader prefers base's answers", async () => {
    const { result, calls, planned } = await compare(judgeOf('Old'), 6);
    expect([calls('prompt'), calls('grader'), planned]).toEqual([36, 36, 72]);
    expect(result.conclusion).toBe('failure');
    expect(result.suites[0]).toMatchObject({
      verdict: 'regressed',
      pass_rate: { base: 1, head: 0, difference: -1 },
      preference: { metric: 'better', head: 0, base: 18, ties: 0, difference: -1, gates: true },
    });
    expect(result.suites[0]?.preference?.p).toBeCloseTo(0.5 ** 19, 12);
    expect(result.suites[0]?.pass_rate.p).toBe(result.suites[0]?.preference?.p);
    // Preference shows which side is better, not which reference broke.
    expect(result.suites[0]?.references.filter(({ status }) => status === 'regressed')).toEqual([]);
    expect(result.suites[0]?.references[0]?.head?.tries[0]?.scores).toEqual([
      {
        metric: 'better',
        status: 'fail',
        value: 0,
        reason: "the other side's answer is preferred",
        skip: false,
      },
    ]);
    expect(result.suites[0]?.references[0]?.base?.tries[0]?.scores).toMatchObject([
      { status: 'pass', value: 1, reason: "seen from head: the other side's answer is preferred" },
    ]);
  });

  test("shows the grader both sides' prompts, base's first", async () => {
    const seen: string[] = [];
    const judge = judgeOf('Old');
    await compare((request, text) => {
      if (request.purpose === 'grader') seen.push(fenced(text, 'input'));
      return judge(request, text);
    }, 1);
    expect([...new Set(seen)]).toEqual(['user: Old r00\n\nOr, in other words:\n\nuser: New r00']);
  });

  test("improves when head's answers are preferred and is unchanged in ties", async () => {
    expect((await compare(judgeOf('New'), 6)).result).toMatchObject({
      conclusion: 'success',
      suites: [{ verdict: 'improved' }],
    });
    const ties = await compare(judgeOf('neither'), 60);
    expect(ties.result).toMatchObject({
      conclusion: 'success',
      suites: [{ verdict: 'unchanged', preference: { head: 0, base: 0, ties: 180, p: 0.5 } }],
    });
    // The share of preferences that did not get worse is not a pass rate.
    const [first] = renderComment(ties.result).split('<details>');
    expect(first).toContain('No regression: `p`: no answer preferred in 180 comparisons');
    expect(first).not.toContain('100.0');
  });

  test('does not count five tries of one reference as five independent comparisons', async () => {
    // 4 of 5 lost in one reference: the sign test's one-sided mid-p is (5/2 + 1)/32.
    let lost = 0;
    const { result } = await runPipeline(
      shop('Old', 1, [preference], 5),
      shop('New', 1, [preference], 5),
      (request, text) => {
        if (request.purpose === 'prompt') return `${text} ${request.try}`;
        lost = Number(/ (\d)$/.exec(fenced(text, 'first'))?.[1]);
        return judgeOf(lost === 4 ? 'New' : 'Old')(request, text);
      },
    );
    expect(result.suites[0]?.preference).toMatchObject({ head: 1, base: 4, p: (2.5 + 1) / 32 });
    expect(result.suites[0]?.verdict).not.toBe('regressed');
  });

  test('makes two tries per side if the number of tries is not fixed', async () => {
    expect((await compare(judgeOf('Old'), 5, [preference], 'adaptive')).calls('prompt')).toBe(20);
  });

  test('does not call the grader for a new prompt, which has no base', async () => {
    const { result, calls } = await runPipeline(null, shop('New', 3), judgeOf('Old'));
    expect(calls('grader')).toBe(0);
    expect(result.suites[0]?.references[0]?.head?.tries[0]).toMatchObject({
      outcome: 'skipped',
      scores: [{ reason: 'the other side has no answer to compare with' }],
    });
    expect(result).toMatchObject({ conclusion: 'neutral', suites: [{ verdict: 'new' }] });
    expect(reasonsInWords(result)).toEqual([
      'p: judged by preference alone, and there is no answer of base to compare with.',
    ]);
    expect(
      (await runPipeline(null, shop('New', 3), judgeOf('Old'), { input: { mode: 'sweep' } })).result
        .conclusion,
    ).toBe('neutral');
  });
});

describe('preference combined with another metric', () => {
  const has = metric('says', {
    source: { kind: 'built-in', uses: 'contains', with: { value: 'r' } },
  });

  test('is shown and does not affect the verdict', async () => {
    const { result } = await compare(judgeOf('Old'), 20, [has, preference]);
    expect(result).toMatchObject({
      conclusion: 'success',
      suites: [
        {
          verdict: 'unchanged',
          pass_rate: { base: 1, head: 1 },
          preference: { base: 60, head: 0, gates: false },
        },
      ],
    });
    expect(preferenceSummary(result.suites[0]!.preference!)).toContain(
      'advice only, because other metrics decide',
    );
    expect(result.suites[0]?.references[0]?.head?.tries[0]?.scores).toMatchObject([
      { metric: 'says', status: 'pass' },
      { metric: 'better', status: 'fail', skip: true },
    ]);
  });
});
