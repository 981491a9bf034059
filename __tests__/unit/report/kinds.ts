import type {
  AttributeResult,
  AttributeSample,
  Insight,
} from '../../../src/features/attributes/result.ts';
import type { ReferenceResult } from '../../../src/kernel/result/reference-result.ts';
import type { Result } from '../../../src/kernel/result/result.ts';
import type { SuiteResult } from '../../../src/kernel/result/suite-result.ts';
import {
  draftedFix,
  resultOf,
  referenceOf,
  score,
  sideOf,
  suiteOf,
  type Answer,
} from './results.ts';

/** Results with attributes whose figures are computed from their references. */

interface Sort {
  kind: AttributeResult['kind'];
  name: string;
  explanation: string;
}

const DOMAINS: readonly Sort[] = [
  ['Refunds and returns', 'Mails that ask for money back, or to send goods back.'],
  ['Late or lost parcels', 'Where the parcel is, and when it comes.'],
  ['Invoices and payment', 'Questions about an invoice, a double charge, or a means of payment.'],
  ['Account and sign-in', 'Passwords, locked accounts, changed addresses.'],
  ['Product advice', 'Which product fits, and how it is used.'],
  ['Praise and complaints', 'Feedback that asks for nothing.'],
].map(([name = '', explanation = '']) => ({ kind: 'domain', name, explanation }));

const SKILLS: readonly Sort[] = [
  ['Apologising without blame', 'Saying sorry in a way that neither accepts nor shifts blame.'],
  ['Naming the next step', 'One concrete thing that happens next, with a date.'],
  ['Reading dates and deadlines', 'Working out whether a period has passed.'],
  ['Keeping the tone of the sender', 'Formal with the formal, brief with the brief.'],
  ['Refusing politely', 'Saying no, with a reason and an alternative.'],
].map(([name = '', explanation = '']) => ({ kind: 'subtask', name, explanation }));

const ASKED = [
  'My order from March came broken, can I have my money back?',
  'The tracking page has shown nothing since Monday.',
  'I was charged twice for one order.',
  'I cannot sign in any more.',
  'Which of the two lamps is brighter?',
  'Great service, thank you!',
];

const kind: Answer = {
  outcome: 'pass',
  actual:
    'We are sorry that it came broken. You get your money back within five days; a label for sending it back is attached.',
  scores: [score('pass', 'is_polite', 1)],
};
const unkind: Answer = {
  outcome: 'fail',
  actual: 'We are sorry that it came broken. A refund is not possible, as thirty days have passed.',
  scores: [score('fail', 'is_polite', 0, 'Refuses without an alternative.')],
};

/**
 * Each reference has two domains and two sub-tasks. References of the first domain and of the
 * fifth sub-task get worse.
 */
function referencesOf(count: number): ReferenceResult[] {
  return Array.from({ length: count }, (_, index) => {
    const falls = index % 6 === 0 && index % 5 !== 1;
    const flaky = index % 17 === 3;
    return referenceOf(
      `mail-${String(index + 1).padStart(3, '0')}`,
      falls ? 'regressed' : flaky ? 'flaky' : 'unchanged',
      {
        file: 'prompts/tests/triage.yaml',
        line: 10 + 4 * index,
        input: { mail: ASKED[index % 6] ?? '', tone: index % 2 === 0 ? 'calm' : 'annoyed' },
        expected: index % 6 === 0 ? 'refund' : 'answer',
        base: sideOf([kind, kind, kind]),
        head: sideOf([1, 2, 3].map((at) => (falls || (flaky && at === 1) ? unkind : kind))),
      },
    );
  });
}

const rate = (references: readonly ReferenceResult[], side: 'base' | 'head') =>
  references.length === 0
    ? null
    : references.reduce(
        (sum, { [side]: result }) => sum + (result?.passes ?? 0) / (result?.tries_judged ?? 1),
        0,
      ) / references.length;

function attributesOf(
  {
    path,
    name: suite,
    variant,
    references,
  }: Pick<SuiteResult, 'path' | 'name' | 'variant' | 'references'>,
  sorts: readonly Sort[],
  mode: Result['mode'],
): AttributeResult[] {
  return sorts.map(({ kind, name, explanation }, at): AttributeResult => {
    const own = sorts.filter((sort) => sort.kind === kind);
    const place = own.findIndex((sort) => sort.name === name);
    const rare = place === own.length - 1 && own.length > 3 && kind === 'domain';
    const members = references.filter((_, index) =>
      rare
        ? index < 6
        : index % own.length === place ||
          (index + 1 + Math.floor(index / own.length) * 2) % own.length === place,
    );
    const [base, head] = [mode === 'sweep' ? null : rate(members, 'base'), rate(members, 'head')];
    const difference = base === null || head === null ? null : head - base;
    const half = 0.5 / Math.sqrt(Math.max(1, members.length));
    const first = kind === 'domain' && place === 0;
    const few = members.length < 8;
    const isNeighbour = mode === 'diff' && kind === 'subtask' && place === own.length - 1;
    const drops = members
      .filter(({ status }) => status === 'regressed')
      .slice(0, 3)
      .map(({ id }): AttributeSample => ({ kind: 'drop', reference: id, base: 1, head: 0 }));
    const skills: AttributeSample[] =
      kind === 'subtask' && place === own.length - 1
        ? members.slice(0, 2).map(({ id }) => ({
            kind: 'skill',
            reference: id,
            side: 'head',
            expected: 5,
            output: 1,
          }))
        : [];
    return {
      id: `${kind}-${at + 1}`,
      kind,
      name,
      explanation,
      path,
      suite,
      variant,
      affinity_mean: 2.4 + place / 10,
      prior: (own.length - place + 2) / ((own.length * (own.length + 1)) / 2 + 2 * own.length),
      n: members.length,
      base,
      head,
      difference,
      low: difference === null ? null : difference - half,
      high: difference === null ? null : difference + half,
      p: few || mode === 'sweep' ? null : first ? 0.001 : 0.4,
      verdict: few
        ? 'too few'
        : mode === 'diff' && first
          ? 'regressed'
          : isNeighbour
            ? 'also fell'
            : 'no change found',
      explained_by: isNeighbour ? [`${sorts[0]?.kind ?? ''}-1`] : [],
      alternatives: [],
      alignment:
        kind === 'subtask'
          ? { base: mode === 'sweep' ? null : 0.1 + place / 50, head: 0.12 + place / 12 }
          : null,
      references: members.map(({ id }) => id),
      assigned: members.map(({ id }) => id),
      samples: [...(mode === 'diff' && first ? drops : []), ...skills],
    };
  });
}

/** A suite in which one domain got worse, with all QualEval results. */
export function withKinds(count = 60, sorts: readonly Sort[] = [...DOMAINS, ...SKILLS]): Result {
  const references = referencesOf(count);
  const suite = suiteOf('triage', references, {
    verdict: 'regressed',
    because: [{ key: 'messages[0].content', file: 'prompts/triage.yaml' }],
    half: 0.06,
  });
  const attributes = attributesOf(suite, sorts, 'diff');
  const fallen = references
    .filter(({ status }) => status === 'regressed')
    .slice(0, 3)
    .map(({ id }) => id);
  const insight = (attribute: string, changed: readonly string[]): Insight => ({
    path: suite.path,
    suite: suite.name,
    variant: suite.variant,
    attribute,
    references: [...changed],
    fix: draftedFix({
      file: suite.path,
      lines: { from: 9, to: 9 },
      replaced: 'Be firm about the thirty days.',
      replacement: 'Be firm about the thirty days, unless goods came broken.',
    }),
  });
  return resultOf({
    conclusion: 'failure',
    title: 'triage regressed',
    suites: [suite],
    attributes,
    insights: [
      insight(attributes[0]?.id ?? '', fallen),
      insight(attributes.at(-1)?.id ?? '', fallen.slice(0, 1)),
    ],
    usage: {
      calls: 720,
      reused: 120,
      input_tokens: 90_000,
      output_tokens: 21_000,
      cost_usd: 1.42,
      by_purpose: {},
    },
  });
}

export const thirty = (['domain', 'subtask'] as const).flatMap((kind) =>
  Array.from({ length: 15 }, (_, index): Sort => ({
    kind,
    name: `${kind === 'domain' ? 'Topic' : 'Skill'} ${index + 1}: ${'what it is about '.repeat(1 + (index % 3))}`.trim(),
    explanation: 'A sentence that explains in some words what belongs to it and what does not.',
  })),
);

/** A sweep over models; the cost of one is unknown. */
export function sweepOfModels(): Result {
  const variants: [string, number, number | null][] = [
    ['gpt-4o', 0.94, 5.2],
    ['gpt-4o-mini', 0.86, 0.31],
    ['claude-sonnet', 0.95, 6.4],
    ['claude-haiku', 0.88, 1.1],
    ['local-llama', 0.71, null],
  ];
  const suites = variants.map(([model, share, cost]) => {
    const references = Array.from({ length: 40 }, (_, index) => {
      const outcome = index / 40 < share ? 'pass' : 'fail';
      const head = sideOf([1, 2, 3].map(() => ({ outcome, actual: 'x' })));
      return referenceOf(`q${index}`, outcome, { head, p: null, q: null });
    });
    return suiteOf('capitals', references, {
      variant: { model, parameters: { temperature: 0 } },
      verdict: 'not_compared',
      visible_drop: null,
      cost_per_1000_calls: cost,
      compared: { references: 0, tries: 0 },
    });
  });
  return resultOf({
    mode: 'sweep',
    base: null,
    title: '5 results',
    suites,
    attributes: suites
      .slice(0, 1)
      .flatMap((suite) => attributesOf(suite, [...DOMAINS, ...SKILLS], 'sweep')),
  });
}
