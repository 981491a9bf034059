import type { ReplacedModel } from '../kernel/judge/gate-input.ts';
import type { ReasonOf } from '../kernel/result/reason.ts';
import type { Replaced } from '../kernel/result/result.ts';
import type {
  AffectedSuite,
  AffectedReference,
  SuiteSide,
} from '../kernel/select/affected-suite.ts';
import { judgingTargets } from '../kernel/suite/metrics.ts';
import { bringsAnswer } from '../kernel/suite/template.ts';
import { AGENT_PROGRAM, type Target, placeOf } from '../types/model.ts';

type AnswerSource = { kind: 'code' } | { kind: 'target'; target: Target };

/**
 * How hard it is for a pull request to choose the answers. 2: they come from a server. 1: from the
 * repository's code. 0: from a recording.
 */
function trustDistance(answerer: AnswerSource): 0 | 1 | 2 {
  if (answerer.kind === 'code' || answerer.target.provider === 'program') return 1;
  return answerer.target.provider === 'replay' ? 0 : 2;
}

/**
 * Finds suites in which answers or grades are easier to choose on head than on base. Their verdict
 * says nothing about base's model.
 */
export function replacedAnswerers(suites: readonly AffectedSuite[]): ReplacedModel[] {
  const removed = suites.flatMap(({ base, head }) =>
    head === null && base !== null ? [base] : [],
  );
  return suites.flatMap(({ name, base, head, references }) => {
    if (head === null || !references.some(({ change }) => change !== 'removed')) return [];
    const before = base === null ? removed : [base];
    return [
      ...recordedInstead(name, references),
      ...replacementOf(name, 'answers', before.flatMap(answerers), head, answerers(head)),
      ...replacementOf(name, 'grades', before.flatMap(graderTargets), head, graderTargets(head)),
    ];
  });
}

function recordedInstead(suite: string, references: readonly AffectedReference[]): ReplacedModel[] {
  const found = references.filter(
    ({ reference, baseReference }) =>
      bringsAnswer(reference) && baseReference !== null && !bringsAnswer(baseReference),
  );
  const [first] = found;
  if (first === undefined) return [];
  const ids = found.map(({ reference }) => reference.id);
  return [
    {
      suite,
      file: first.reference.place.file,
      by: 'recordings',
      reason: { code: 'recorded', suite, ids },
    },
  ];
}

function answerers({ suite: { prompt }, variant: { target } }: SuiteSide): AnswerSource[] {
  if (prompt.code !== null) return [{ kind: 'code' }];
  return target === null ? [] : [{ kind: 'target', target }];
}

function graderTargets({ scoring }: SuiteSide): AnswerSource[] {
  const own = scoring.answerer?.graders ?? [];
  return [...judgingTargets(scoring), ...own.map(({ target }) => target)].map((target) => ({
    kind: 'target',
    target,
  }));
}

function replacementOf(
  suite: string,
  what: 'answers' | 'grades',
  before: readonly AnswerSource[],
  head: SuiteSide,
  after: readonly AnswerSource[],
): ReplacedModel[] {
  const nearest = Math.min(...before.map(trustDistance));
  const asked = before.find((answerer) => trustDistance(answerer) === nearest);
  const instead = after.find((answerer) => trustDistance(answerer) < nearest);
  if (asked === undefined || instead === undefined) return [];
  return [
    {
      suite,
      file: instead.kind === 'code' ? head.suite.prompt.file : head.scoring.settingsFile,
      by: replacedBy(instead),
      reason: { code: 'replaced', suite, what, base: describe(asked), head: describe(instead) },
    },
  ];
}

function replacedBy(answerer: AnswerSource): Replaced['by'] {
  if (answerer.kind === 'code') return 'prompt code';
  return answerer.target.provider === 'replay' ? 'recordings' : 'a program';
}

function describe(answerer: AnswerSource): ReasonOf<'replaced'>['base'] {
  if (answerer.kind === 'code') return { kind: 'prompt code' };
  const { target } = answerer;
  if (target.provider === 'replay') return { kind: 'recordings', name: target.file };
  return target.provider === 'program'
    ? {
        kind: 'program',
        name: target.command[0] === AGENT_PROGRAM ? target.model : target.command.join(' '),
      }
    : { kind: 'model', name: `${placeOf(target)}:${target.model}` };
}
