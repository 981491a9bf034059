import { readSides } from '../../../../src/app/run/read.ts';
import type { Edges } from '../../../../src/app/run/record.ts';
import type { NoiseInput } from '../../../../src/features/noise/measure.ts';
import type { NoiseNote } from '../../../../src/features/noise/note.ts';
import { createRandom, nextFloat } from '../../../../src/kernel/statistics/random.ts';
import { scoreMetric } from '../../../../src/metrics/index.ts';
import { NO_LIST } from '../../../../src/money/price.ts';
import type { Completion, Request } from '../../../../src/types/model.ts';
import { FEATURES } from '../../../stand-ins/features.ts';
import { answer } from '../../../unit/app/run/builders.ts';
import { optionsOf, treeOf } from '../../../unit/config/tree.ts';
import { sha256, solveHere } from '../attributes/solvers.ts';

const PROMPT =
  'defaults: [tests/quiz]\nname: quiz\nmodel: gpt-4o\nvariables: [{ name: q }]\nmessages: [{ role: human, content: "{q}" }]\n';
const TESTS = (count: number, more = '') =>
  `metrics: [{ name: has, uses: contains }]\n${more}references:\n${Array.from({ length: count }, (_, index) => `  - { id: r${index}, input: { q: question ${index} }, expected: "yes"${index === 0 ? ', skip: true' : ''} }\n`).join('')}`;
export const files = (
  count: number,
  more = '',
  settings = 'gate: { min_pass_rate: 0.99, tolerance: 0.05 }\nbudget: { max_cost_usd: null }\n',
) => ({
  'evaldiff.yaml': settings,
  'prompts/quiz.yaml': PROMPT,
  'prompts/tests/quiz.yaml': TESTS(count, more),
});

export interface Measured {
  requests: Request[];
  kept: NoiseNote[];
  planned: number;
}

export function edgesOf(
  reply: (request: Request) => Completion,
  changes: Partial<Edges> = {},
): { edges: Edges; seen: Measured } {
  const seen: Measured = { requests: [], kept: [], planned: 0 };
  const edges: Edges = {
    complete: async (request) => {
      seen.requests.push(request);
      return reply(request);
    },
    evaluate: async () => {
      throw new Error('no code runs here');
    },
    random: () => 'delimiter',
    hash: sha256,
    readSides: (given) => readSides(given, { read: optionsOf(), hash: sha256 }),
    scoreMetric,
    solve: solveHere,
    pricing: async () => ({ list: NO_LIST }),
    stored: async () => () => true,
    ledger: () => undefined,
    halted: () => null,
    missingKeys: () => [],
    planned: ({ plan }) => {
      seen.planned = plan.prompt_calls;
    },
    answered: () => undefined,
    kept: async () => [
      {
        outcomes: () => new Map(),
        note: () => null,
        setNote: (_, body) => seen.kept.push(JSON.parse(body) as NoiseNote) > 0,
      },
    ],
    ...changes,
  };
  return { edges, seen };
}

export function inputOf(
  tree: Record<string, string>,
  runs: number,
  changes: Partial<NoiseInput> = {},
): NoiseInput {
  return {
    tree: treeOf(tree),
    runs,
    trust: 'member',
    features: FEATURES,
    withheld: null,
    maxCost: null,
    maxCalls: null,
    code: 'sandbox',
    today: '2026-03-04',
    ...changes,
  };
}

/** A model with a chance of a correct answer per question, and never the same text twice. */
export function coin(rate: (question: string) => number): (request: Request) => Completion {
  const random = createRandom('coin');
  let said = 0;
  return ({ messages }) =>
    answer(`${nextFloat(random) < rate(messages[0]?.content ?? '') ? 'yes' : 'no'} ${said++}`);
}
