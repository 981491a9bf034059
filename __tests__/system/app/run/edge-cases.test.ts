import type { JudgeEdges } from '../../../../src/app/run/spending.ts';
import { suiteSummary } from '../../../../src/wording/suites.ts';
import {
  answer,
  gate,
  modelSettings,
  project,
  reference,
  settings,
} from '../../../unit/app/run/builders.ts';
import { yes, noTo, reworded, NEW, OLD, runPipeline, shop } from './pipeline.ts';

const five = { settings: settings({ n_tries: 5 }) };
const adaptive = { settings: settings({ n_tries: 'adaptive' as const }) };

describe('if all tries are equal', () => {
  test('the confidence interval still has a width, and no verdict relies on zero variance', async () => {
    const { result } = await reworded(8, yes, five);
    const { low, high, difference, p } = result.suites[0]!.pass_rate;
    expect(difference).toBe(0);
    expect(low).toBeLessThan(-0.01);
    expect(high).toBeGreaterThan(0.01);
    expect(p).toBe(0.5);
    expect(result.suites[0]?.visible_drop).toBeGreaterThan(0.05);
    expect(result.conclusion).toBe('success');
  });

  test('a suite that fails every try on both sides is not regressed, and the summary says that nothing could break', async () => {
    const { result } = await reworded(8, () => 'no', five);
    expect(result.suites[0]).toMatchObject({
      pass_rate: { base: 0, head: 0, p: 0.5 },
      visible_drop: null,
    });
    expect(suiteSummary(result.suites[0]!)).toContain(
      'Nothing passes on base, so nothing could break',
    );
    expect(result.conclusion).not.toBe('failure');
  });
});

describe('if nothing can be compared', () => {
  test('a suite that lost all its references has no data and is not green', async () => {
    const none = { tests: { references: [] } };
    const { result, requests } = await runPipeline(
      project([shop(OLD, 2)], adaptive),
      project([shop(NEW, 2, none)], adaptive),
      yes,
    );
    expect(requests).toEqual([]);
    expect(result.conclusion).toBe('neutral');
    expect(result.suites[0]).toMatchObject({
      verdict: 'no_data',
      pass_rate: { base: null, head: null, difference: null },
    });
    expect(suiteSummary(result.suites[0]!)).toBe('nothing was judged.');
    expect(result.suites[0]?.references.map(({ status }) => status)).toEqual([
      'removed',
      'removed',
    ]);
  });
});

describe('answers that change', () => {
  const proposed = async (words: { old: string; new: string }, churn?: 'accept') => {
    const reply = (_: unknown, question: string) => {
      const isOld = question.startsWith('Old');
      if (question.endsWith('r05')) return isOld ? words.old : 'no';
      if (question.endsWith('r06')) return isOld ? 'no' : words.new;
      return isOld ? words.old : words.new;
    };
    const own =
      churn === undefined
        ? {}
        : { settings: settings({ n_tries: 'adaptive', gate: gate({ churn }) }) };
    const { result } = await reworded(20, reply, { ...adaptive, ...own });
    const notices = result.notices.filter(({ kind }) => kind === 'settings');
    return { conclusion: result.conclusion, notices: notices.map(({ message }) => message) };
  };

  test('that let one test break make the run red, unless churn (changed answers) is accepted', async () => {
    const answers = { old: 'yes', new: 'yes, sure' };
    expect(await proposed(answers)).toEqual({ conclusion: 'failure', notices: [] });
    expect(await proposed(answers, 'accept')).toEqual({ conclusion: 'success', notices: [] });
  });
});

describe('a suite whose tries end in errors', () => {
  const failing = (kind: 'network' | 'timeout', text: RegExp) => {
    const made: string[] = [];
    const complete: JudgeEdges['complete'] = async ({ messages }) => {
      const said = messages.at(-1)?.content ?? '';
      made.push(said);
      return text.test(said) ? { status: 'error', kind, message: 'it failed' } : answer('yes');
    };
    return { made, edges: { complete } };
  };
  const tried = async (kind: 'network' | 'timeout', text: RegExp, references = 8) => {
    const { made, edges } = failing(kind, text);
    const { result } = await reworded(references, yes, { ...adaptive, edges });
    return { calls: made.length, saved: result.adaptive_tries, result };
  };

  test.each<['network' | 'timeout', RegExp]>([
    ['network', /./],
    ['network', /^New/],
    ['timeout', /^Old/],
  ])(
    'gets no extra tries for network errors or for errors on base alone (%s errors in prompts that match %s)',
    async (kind, text) => {
      expect(await tried(kind, text)).toMatchObject({ calls: 32 });
    },
  );

  test('counts only tries with an answer when it reports how many tries were saved', async () => {
    expect((await tried('network', /./)).saved).toBeNull();
    expect((await tried('network', /^New/)).saved).toEqual({ made: 16, fixed: 40 });
  });

  test('first reports the cause shared by all errors', async () => {
    const { result } = await tried('network', /./);
    expect([result.title, result.reasons]).toEqual([
      'Not judged: it failed',
      [
        { code: 'words', text: 'it failed' },
        { code: 'errors', errors: 32, of: 32 },
      ],
    ]);
  });

  test('gets extra tries if head fails or if extra tries may decide the verdict', async () => {
    expect((await tried('timeout', /^New/, 3)).calls).toBeGreaterThan(12);
    expect((await tried('network', /r00$/)).calls).toBeGreaterThan(32);
  });
});

describe('the number of tries that adaptive tries save', () => {
  test('is computed against five fixed tries of the same references', async () => {
    const { result, requests } = await reworded(20, noTo('New r05'), adaptive);
    expect(result.adaptive_tries).toEqual({ made: requests.length, fixed: 20 * 5 * 2 });
  });

  test('excludes references with their own number of tries, and suites with fixed tries', async () => {
    const own = { tests: { references: [reference('a', { n_tries: 4 }), reference('b')] } };
    const { result } = await reworded(2, yes, { ...adaptive, changes: own });
    expect(result.adaptive_tries).toMatchObject({ fixed: 10 });
    const fixed = await reworded(2, yes, five);
    expect(fixed.result.adaptive_tries).toBeNull();
  });
});

test.each([
  ['gpt-5.4-minii', /^Did you mean "gpt-5\.4-mini"\? openai: 404/],
  ['gtp-5.4-mini', /^Did you mean "gpt-5\.4-mini"\? openai: 404/],
  ['some-other-model', /^openai: 404/],
])(
  'a model %s that does not exist is an error at its line, and base is not asked',
  async (model, message) => {
    const models = new Map([[model, modelSettings({ provider: 'openai', model })]]);
    const asked: string[] = [];
    const complete: JudgeEdges['complete'] = async ({ target }) => {
      asked.push(target.model);
      return target.model === model
        ? { status: 'error', kind: 'request', message: 'openai: 404, no such model', noModel: true }
        : answer('no');
    };
    const { result } = await runPipeline(
      project([shop(NEW, 4, { prompt: { model: 'gpt-5.4-mini' } })], adaptive),
      project([shop(NEW, 4, { prompt: { model } })], {
        settings: settings({ n_tries: 'adaptive', models }),
      }),
      yes,
      { edges: { complete } },
    );
    expect(result.outcome).toEqual({ kind: 'not-evaluated', problems: 1 });
    expect(result.problems).toEqual([
      { place: { file: 'prompts/p.yaml', line: 3 }, message: expect.stringMatching(message) },
    ]);
    expect(asked).toEqual([model]);
  },
);
