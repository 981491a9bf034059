import type { ReferenceRun, SuiteRun } from '../../kernel/plan/suite-run.ts';
import { differenceInterval } from '../../kernel/statistics/interval.ts';
import { meanOrNull } from '../../kernel/statistics/sums.ts';
import { pairedMean } from '../../report/sections/intervals.ts';
import type { Side } from '../../types/plain.ts';
import { steeringFor } from './answerer.ts';
import {
  isErrorOutcome,
  type ConversationResult,
  type ConversationSummary,
  type PairedMean,
} from './result.ts';

type ConversationPair = Record<Side, ConversationResult[] | null>;

export function conversationSummary(
  { scoring, runs: all }: SuiteRun,
  runs: readonly ReferenceRun[],
  tries: number,
): ConversationSummary | null {
  const steering = steeringFor(scoring);
  if (steering === null) return null;
  const { conversation, evaluators } = steering;
  const pairs = runs.map((run): ConversationPair => ({
    base: judgedConversations(run, 'base', tries),
    head: judgedConversations(run, 'head', tries),
  }));
  return {
    max_steps: conversation.max_steps,
    evaluators: evaluators.map(({ name }) => name),
    criteria: conversation.criteria,
    outcomes: { base: conversationOutcomes(all, 'base'), head: conversationOutcomes(all, 'head') },
    completed: meanShare(pairs, ({ outcome }) => outcome === 'complete'),
    turns: meanPerReference(pairs, ({ outcome, turns }) =>
      outcome === 'complete' ? turns.length : null,
    ),
    turns_to: conversation.criteria.map(({ name }) => ({
      criterion: name,
      turns: meanPerReference(pairs, ({ turns_to }) => turns_to[name] ?? null),
      reached: meanShare(pairs, ({ turns_to }) => (turns_to[name] ?? null) !== null),
    })),
  };
}

function judgedConversations(
  run: ReferenceRun,
  side: Side,
  tries: number,
): ConversationResult[] | null {
  if (run.affected[side] === null) return null;
  return run[side]
    .slice(0, tries)
    .flatMap(({ byHead: { conversation } }) =>
      conversation && !isErrorOutcome(conversation.outcome) ? [conversation] : [],
    );
}

function conversationOutcomes(
  runs: readonly ReferenceRun[],
  side: Side,
): ConversationSummary['outcomes']['base'] {
  const made = runs.filter((run) => run.affected[side] !== null);
  if (made.length === 0) return null;
  const counts: NonNullable<ConversationSummary['outcomes']['base']> = {
    complete: 0,
    max_steps: 0,
    no_follow_up: 0,
    evaluator_error: 0,
    model_error: 0,
  };
  for (const { byHead } of made.flatMap((run) => run[side])) {
    const outcome = byHead.conversation?.outcome;
    if (outcome !== undefined) counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

function meanShare(
  pairs: readonly ConversationPair[],
  holds: (conversation: ConversationResult) => boolean,
): PairedMean {
  const countHolding = (list: readonly ConversationResult[]) => ({
    passes: list.filter(holds).length,
    tries: list.length,
  });
  const tables = pairs.map(({ base, head }) => ({
    base: countHolding(base ?? []),
    head: countHolding(head ?? []),
  }));
  const both = tables.filter(({ base, head }) => base.tries > 0 && head.tries > 0);
  const interval = differenceInterval(both);
  const from = interval === null ? tables : both;
  const ratesOf = (side: Side) =>
    from.flatMap((table) => {
      const { passes, tries } = table[side];
      return tries > 0 ? passes / tries : [];
    });
  return { ...meansOfSides(ratesOf('base'), ratesOf('head')), ...interval };
}

function meanPerReference(
  pairs: readonly ConversationPair[],
  value: (conversation: ConversationResult) => number | null,
): PairedMean {
  const own = (list: readonly ConversationResult[] | null) =>
    meanOrNull((list ?? []).flatMap((conversation) => value(conversation) ?? []));
  const means = pairs.map(({ base, head }) => ({ base: own(base), head: own(head) }));
  const both = means.flatMap(({ base, head }) =>
    base === null || head === null ? [] : [{ base, head }],
  );
  const interval = pairedMean(both.map(({ base, head }) => head - base));
  // Means over different references cannot be compared.
  const isApart =
    interval === null && pairs.some((pair) => pair.base !== null && pair.head !== null);
  const from = interval === null ? means : both;
  const valuesOf = (side: Side) => (isApart ? [] : from.flatMap((pair) => pair[side] ?? []));
  return { ...meansOfSides(valuesOf('base'), valuesOf('head')), ...interval };
}

function meansOfSides(base: readonly number[], head: readonly number[]): PairedMean {
  return {
    base: meanOrNull(base),
    head: meanOrNull(head),
    difference: null,
    low: null,
    high: null,
    n: Math.max(base.length, head.length),
  };
}
