import { createProgress } from '../../../../src/app/session/progress.ts';
import { plannedFeature } from '../../../../src/money/feature-plan.ts';
import type { Plan } from '../../../../src/money/prepared.ts';
import type { Forecast } from '../../../../src/money/priced-calls.ts';

const plan: Plan = {
  suites: 1,
  references: 20,
  prompt_calls: 80,
  replayed: 0,
  grader_calls: 20,
  certain: { evaluator_calls: 0, qualeval_calls: 0 },
  possible: { qualeval_possible: 0, cause_possible: 0 },
};
type Purpose = Parameters<ReturnType<typeof createProgress>['answered']>[0];

const forecast: Forecast = {
  models: [
    {
      model: 'gpt-4o',
      purpose: 'prompt',
      calls: 80,
      input_tokens: 800,
      output_tokens: 24_000,
      cost_usd: 0.242,
    },
  ],
  stored: 0,
  cost_usd: 0.242,
  unpriced: [],
};

/** Progress of a planned run and its output; `null`: not planned yet. */
function watched(
  style: 'line' | 'steps',
  planned: Partial<Plan> | null = {},
  certainWords: string[] = [],
  calls = 0,
) {
  let time = 0;
  const written: string[] = [];
  const progress = createProgress({ style, write: (text) => written.push(text), now: () => time });
  const target = { provider: 'replay', model: 'm', file: 'a', content: '', commit: 'c' } as const;
  const place = { file: 'a', line: 1 };
  const certain = [
    { target, parameters: {}, purpose: 'prompt', calls, tokens: null, place } as const,
  ];
  const features = [plannedFeature('anchor', { own: null, certain })];
  if (planned !== null)
    progress.planned({ plan: { ...plan, ...planned }, features, forecast }, certainWords);
  return {
    written,
    progress,
    /** Answers one call every `ms` milliseconds. */
    answers: (ms: number, ...purposes: Purpose[]) => {
      for (const purpose of purposes) {
        time += ms;
        progress.answered(purpose, 'ok');
      }
    },
  };
}
const times = (count: number, purpose: Purpose): Purpose[] =>
  Array.from({ length: count }, () => purpose);

describe('progress in a log', () => {
  test('starts with the plan and its price', () => {
    const { written } = watched('steps');
    expect(written).toEqual([
      '20 references of 1 prompt affected: 80 calls for the first answers, up to 20 calls for their grades; about $0.24, with tokens estimated: gpt-4o 80 answers, 800 tokens in, 24k out\n',
    ]);
  });

  test("shows features' calls beside answers, with their own words and maximum", () => {
    const calls = { qualeval_calls: 2 };
    const { answers, written } = watched(
      'steps',
      {
        ...{ prompt_calls: 2, grader_calls: 0 },
        ...{ certain: calls, possible: { qualeval_possible: 7 } },
      },
      ['up to 2 calls about attributes'],
    );
    expect(written[0]).toContain(
      'for the first answers, up to 2 calls about attributes; up to 7 more calls if something regresses or is fixed; about $0.24',
    );
    answers(5000, 'prompt', 'prompt', 'qualeval', 'qualeval', 'fix');
    expect(written.slice(1)).toEqual([
      '1 of 2 answers, 0 of 2 further calls, 0.2 a second, about 15 s left\n',
      '2 of 2 answers, 0 of 2 further calls, 0.2 a second, about 10 s left\n',
      '2 of 2 answers, 1 of 2 further calls, 0.2 a second, about 5 s left\n',
      '2 of 2 answers, 2 of 2 further calls, 0.2 a second\n',
      '2 of 2 answers, 3 further calls, 0.2 a second\n',
    ]);
  });

  test("counts features' answers, such as those of an older commit, with the prompt's", () => {
    const { answers, written } = watched(
      'steps',
      { prompt_calls: 1, grader_calls: 0, certain: { anchor_calls: 3 } },
      [],
      3,
    );
    answers(5000, 'prompt');
    expect(written[1]).toBe('1 of 4 answers, 0.2 a second, about 15 s left\n');
  });

  test('prints one line per 5 % with rate and remaining time in a long run', () => {
    const { progress, answers, written } = watched('steps');
    answers(1000, ...times(80, 'prompt'), ...times(20, 'grader'));
    progress.end();
    expect(written).toHaveLength(1 + 20);
    expect(written[1]).toBe(
      '5 of 80 answers, 0 of 20 further calls, 1.0 a second, about 2 min left\n',
    );
    expect(written[20]).toBe('80 of 80 answers, 20 of 20 further calls, 1.0 a second\n');
  });

  test('counts errors separately from answers', () => {
    const { progress, answers, written } = watched('steps', { grader_calls: 0 });
    for (let i = 0; i < 20; i++) progress.answered('prompt', 'error');
    answers(5000, 'prompt');
    expect(written.at(-1)).toBe('1 of 80 answers, 20 errors, 4.2 a second, about 15 s left\n');
  });

  test('prints nothing in a very short run', () => {
    const { answers, written } = watched('steps');
    answers(50, ...times(80, 'prompt'));
    expect(written).toHaveLength(1);
  });

  test('omits the remaining time when there are more calls than planned', () => {
    const { answers, written } = watched('steps', { prompt_calls: 2, grader_calls: 0 });
    answers(5000, ...times(3, 'prompt'));
    expect(written.at(-1)).toBe('3 answers, 0.2 a second\n');
  });

  test('announces the search for a cause after the verdict on a separate line', () => {
    const { progress, written } = watched('steps');
    progress.stage('looking for what made p worse, in 8 changes');
    expect(written.slice(1)).toEqual(['looking for what made p worse, in 8 changes\n']);
  });

  test('prints nothing for a run without calls', () => {
    const nothing = { references: 0, prompt_calls: 0, grader_calls: 0 };
    const { progress, written } = watched('steps', nothing);
    progress.end();
    expect(written).toEqual([]);
  });
});

test('progress on a terminal rewrites one line at a readable rate, and finally ends the line', () => {
  const { progress, answers, written } = watched('line');
  answers(10, ...times(50, 'prompt'));
  progress.end();
  const drawn = written.slice(1, -1);
  expect(drawn.length).toBeLessThanOrEqual(7);
  expect(drawn.every((text) => text.startsWith('\r') && !text.includes('\n'))).toBe(true);
  expect(drawn.at(-1)).toContain('50 of 80 answers, 0 of 20 further calls, 100 a second');
  expect(written.at(-1)).toBe('\n');
});

test('progress on a terminal is overwritten by a line about the search for a cause', () => {
  const { progress, answers, written } = watched('line');
  answers(1000, 'prompt');
  const [, drawn = ''] = written;
  progress.stage('looking for what made p worse');
  const [, , said = ''] = written;
  expect(said).toMatch(/^\rlooking for what made p worse +\n$/);
  expect(said).toHaveLength(drawn.length + 1);
  answers(1000, 'prompt');
  expect(written.at(-1)).toContain('2 of 80 answers');
});
