import type {
  ExplainInput,
  ExplainReference,
} from '../../../../src/features/attributes/attribute-results.ts';
import type { TryResult } from '../../../../src/kernel/result/reference-result.ts';
import { createRandom, nextFloat } from '../../../../src/kernel/statistics/random.ts';
import { partsOf } from '../../../../src/types/answer.ts';
import type { Outcome } from '../../../../src/types/metric.ts';
import { tryResult } from '../../../unit/app/run/builders.ts';
import { named, scripted, type Script } from './scripted-grader.ts';

/** References of a support desk: 15 per topic. The sub-tasks are independent of the topics. */
export const TOPICS = ['billing', 'delivery', 'accounts', 'returns'] as const;
const SKILLS = ['calculate amounts', 'quote a rule', 'apologise'] as const;

const words = (index: number): { topic: string; also: string; skill: string } => ({
  topic: TOPICS[index % 4]!,
  also: TOPICS[(index + 1 + (Math.floor(index / 4) % 3)) % 4]!,
  skill: SKILLS[Math.floor(index / 4) % 3]!,
});

type Random = ReturnType<typeof createRandom>;
function tries(passRate: number, random: Random, answer: string): TryResult[] {
  return [0, 1, 2].map((index) => {
    const outcome: Outcome = nextFloat(random) < passRate ? 'pass' : 'fail';
    return { ...tryResult(outcome, index), parts: partsOf(answer) };
  });
}

/**
 * Sixty references with three tries per side. Base passes 95 % everywhere; `head` returns head's
 * pass rate per topic.
 */
export function sixty(head: (topic: string) => number, seed = 'sixty'): ExplainReference[] {
  const random = createRandom(seed);
  return Array.from({ length: 60 }, (_, index) => {
    const { topic, also, skill } = words(index);
    return {
      id: `case-${index}`,
      input: {
        mail: `Mail ${index} about ${topic}, a little about ${also}, needs to ${skill}`,
      },
      expected: `Reply ${index}: ${skill}`,
      compared: true,
      cluster: null,
      base: tries(0.95, random, `Base ${index}: ${skill}`),
      head: tries(head(topic), random, `Head ${index}`),
    };
  });
}

/** Phrases in a mail, with the attribute and the rating that they mean. */
const SIGNS = [
  { sign: 'about NAME,', score: 5 },
  { sign: 'a little about NAME,', score: 3 },
  { sign: ': NAME', score: 5 },
  { sign: 'to NAME', score: 2 },
];

/** A grader that rates a mail by its words. */
export const reader: Script = {
  attributes: (examples) => ({
    domains: named(
      ...TOPICS.filter((topic) => examples.some((text) => text.includes(`about ${topic},`))),
    ),
    subtasks: named(...SKILLS),
  }),
  merged: (proposals) => ({ attributes: proposals }),
  affinity: (text, attributes) => ({
    ratings: attributes.map(({ id, name }) => {
      const found = SIGNS.find(({ sign }) => text.includes(sign.replace('NAME', name)));
      return { id, evidence: 'the words of the mail', score: found?.score ?? 1 };
    }),
  }),
  insights: () => ({ insights: [{ was: 'Be friendly.', becomes: 'Be exact and kind.' }] }),
};

export function inputOf(
  references: readonly ExplainReference[],
  changes: Partial<ExplainInput> = {},
): ExplainInput {
  return {
    mode: 'diff',
    suites: [
      {
        path: 'prompts/support.yaml',
        name: 'support',
        variant: { model: 'gpt-4o', parameters: {} },
        prompt: '[system]\nBe exact.',
        regressed: true,
        tries: 3,
        references,
      },
    ],
    settings: { enabled: 'auto', max_attributes: 15, sample: 500, slack: 0.1 },
    pinned: null,
    grader: scripted({}).tools.grader,
    alignment: false,
    metric: null,
    alpha: 0.05,
    seed: 1,
    ...changes,
  };
}
