import type { RunPlan } from '../../../../src/app/run/feature.ts';
import { judgeWithoutKeys, createEmptyResult } from '../../../../src/app/run/not-judged.ts';
import { prepare } from '../../../../src/app/run/prepare.ts';
import { conversationSuite } from '../../../../src/features/conversations/answerer.ts';
import type { EvaluatorTest } from '../../../../src/features/conversations/evaluator-tests.ts';
import { applyTrust } from '../../../../src/trust/arrange.ts';
import { sources, withheldFrom } from '../../../../src/trust/trust.ts';
import type { Target } from '../../../../src/types/model.ts';
import type { Conclusion } from '../../../../src/types/plain.ts';
import type { EventFacts } from '../../../../src/types/repository.ts';
import { reasonsInWords } from '../../../../src/wording/reasons.ts';
import { FEATURES, OWN_SETTINGS, PLANNING, ROWS } from '../../../stand-ins/features.ts';
import { treeOf } from '../../config/tree.ts';
import { conversation } from '../../features/conversations/dialogues.ts';
import { project, suite } from './builders.ts';

const [base, head] = [treeOf({}), treeOf({})];
const messages = (content: string, file: string) => [
  { role: 'user' as const, content, place: { file, line: 6 } },
];
const both = (content: string) =>
  project([
    suite({ prompt: { messages: messages(content, 'prompts/p.yaml') } }),
    suite({
      prompt: {
        file: 'prompts/c.yaml',
        name: 'c',
        model: 'claude-sonnet-4-5',
        messages: messages(content, 'prompts/c.yaml'),
      },
    }),
  ]);

/** Judges a change of two prompts with keys for some vendors. The verdict itself is given. */
async function judged(withKey: string[], conclusion: Conclusion, of = both) {
  const arranged = applyTrust(of('Old {q}'), of('New {q}'), sources('untrusted'), OWN_SETTINGS);
  const prepared = await prepare(
    {
      mode: 'diff',
      base,
      head,
      maxCalls: null,
      failOn: null,
      code: 'sandbox',
      today: '2026-01-01',
    },
    arranged,
    PLANNING,
    ROWS,
  );
  const emptyResult = createEmptyResult({
    ...{ mode: 'diff', base, head, trust: 'untrusted', features: FEATURES },
    gate: prepared.gate,
  });
  const asked: RunPlan[] = [];
  const missingKeys = (targets: readonly Target[]) =>
    targets
      .filter(({ provider }) => !withKey.includes(provider))
      .map(({ provider }) => ({ place: null, message: `no ${provider}` }));
  const plan = { ...prepared, emptyResult, allFeatures: FEATURES };
  const result = await judgeWithoutKeys(plan, 'fork', missingKeys, async (open) => {
    asked.push(open);
    return {
      ...emptyResult,
      conclusion,
      title: `was ${conclusion}`,
      reasons: [{ code: 'words', text: 'p: a reason' }],
    };
  });
  return {
    result,
    asked,
    names: asked.map(({ suites }) => suites.map(({ run }) => run.suite.name)),
  };
}

/** Two suites of conversations, one per vendor, whose evaluators have labelled answers. */
const labelled = (content: string) => {
  const place = { file: 'prompts/tests/p.yaml', line: 4 };
  const messages = [{ role: 'user' as const, content: 'How?' }];
  const examples = [true, false].map((accepted) => ({ messages, accepted, place }));
  const { suites, ...rest } = both(content);
  return {
    ...rest,
    suites: suites.map(({ prompt, tests }) => {
      const models = [prompt.model ?? ''];
      const own = conversationSuite(conversation({ max_steps: 1, models, examples }));
      return { prompt, tests: { ...tests, metrics: [], own } };
    }),
  };
};

const NO_KEY =
  'No model key is available to pull requests from forks. Changes were checked, nothing was sent to a model.';
const left = (name: string, file: string) =>
  `${name}: 2 tests not run, affected by messages (${file})`;

describe('a run without keys', () => {
  test('makes no model calls if every suite needs a key, and lists what would have run', async () => {
    const { result, names } = await judged([], 'success');
    expect(names).toEqual([]);
    expect(result).toMatchObject({
      conclusion: 'neutral',
      title: 'Checked without a model key',
    });
    expect(reasonsInWords(result)).toEqual([
      NO_KEY,
      left('p', 'prompts/p.yaml'),
      left('c', 'prompts/c.yaml'),
    ]);
  });

  test.each<[Conclusion, Conclusion]>([
    ['success', 'neutral'],
    ['neutral', 'neutral'],
    ['failure', 'failure'],
    ['error', 'error'],
  ])('judges suites that need no key and turns the conclusion %s into %s', async (found, shown) => {
    const { result, names } = await judged(['openai'], found);
    expect(names).toEqual([['p']]);
    expect(result.conclusion).toBe(shown);
    expect(result.title).toBe(
      found === shown && found !== 'neutral' ? `was ${found}` : 'Checked without a model key',
    );
    expect(reasonsInWords(result)).toEqual(['p: a reason', NO_KEY, left('c', 'prompts/c.yaml')]);
  });
});

test('a run without keys tests the evaluators of only those conversations whose models need no key', async () => {
  const { asked } = await judged(['openai'], 'success', labelled);
  const tested = asked.flatMap(
    ({ features }) => features.find(({ key }) => key === 'conversations') ?? [],
  );
  expect(tested.map(({ own }) => (own as EvaluatorTest[]).map(({ name }) => name))).toEqual([
    ['p'],
  ]);
  expect(asked[0]?.emptyResult.notices).toMatchObject([
    { message: 'c was not tested on its labelled examples, because a key is missing' },
  ]);
});

describe('a missing key', () => {
  const facts = (more: Partial<EventFacts>): EventFacts => ({
    event: 'pull_request',
    action: null,
    repository: 'a/b',
    pullRequest: 1,
    base: null,
    head: null,
    headRepository: null,
    headBranch: null,
    fork: false,
    dependabot: false,
    addedLabel: null,
    origin: null,
    ...more,
  });

  test.each<[string, Partial<EventFacts>, 'fork' | 'dependabot' | null]>([
    ['on a pull request from a fork', { fork: true }, 'fork'],
    ['on a pull request by Dependabot', { dependabot: true }, 'dependabot'],
    ['on a push by Dependabot', { event: 'push', dependabot: true }, 'dependabot'],
    ['in the same repository', {}, null],
    ['in an event with access to secrets', { event: 'pull_request_target', fork: true }, null],
    ['in a workflow_run', { event: 'workflow_run', fork: true, dependabot: true }, null],
  ])("%s is explained by GitHub's rules or the settings (case %#)", (_, more, expected) => {
    expect(withheldFrom(facts(more))).toBe(expected);
  });
});
