import { bothTries } from '../../kernel/result/counts.ts';
import { errorOf, type ReferenceResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import { count, countedTries } from '../../text/amounts.ts';
import { shorten } from '../../text/visible.ts';
import { NOT_MADE_MESSAGES } from '../../types/model.ts';
import { ENDED_IN_ERROR } from '../../wording/notices.ts';
import type { Detail } from './detail.ts';
import { SENTENCE, code, list, paragraph, strong, type Block, type Line } from './document.ts';
import { testNames } from './faces.ts';

const SHOWN_CAUSES = 5;

const MAX_NAMED_PER_CAUSE = 3;

interface ErrorCause {
  message: string;
  /** True if the model or program responded with this error. Such an error counts as a fail. */
  fails: boolean;
  tries: number;
  references: Map<string, ReferenceResult>;
}

export function opensErrors({ outcome, suites }: Result): boolean {
  if (outcome.kind === 'not-judged' || outcome.kind === 'ended-early') return true;
  if (outcome.kind === 'regressed') return false;
  return suites.some(({ references }) =>
    references.some(
      ({ head }) =>
        head !== null &&
        head.tries.length > 0 &&
        head.tries.every(({ parts, error }) => parts === null && error !== null),
    ),
  );
}

export function errorCauses(result: Result, detail: Detail): Block[] {
  // In this case, the headline already shows the only cause.
  if (result.outcome.kind === 'not-judged' && result.reasons[0]?.code === 'words') return [];
  const causes = groupErrors(result);
  const errors = causes.filter(({ fails }) => !fails);
  const refused = causes.filter(({ fails }) => fails);
  const triesIn = (of: readonly ErrorCause[]) => of.reduce((sum, { tries }) => sum + tries, 0);
  const ended = countedTries(triesIn(errors));
  const failed =
    triesIn(refused) === 1 ? '1 answer was' : `${count(triesIn(refused))} answers were`;
  return [
    ...causeList(
      result.outcome.kind === 'not-judged' ? null : `${ended} ended in an error:`,
      errors,
      detail,
    ),
    ...causeList(
      `${failed} refused and count${triesIn(refused) === 1 ? 's as a fail' : ' as fails'}:`,
      refused,
      detail,
    ),
  ];
}

function causeList(title: string | null, causes: readonly ErrorCause[], detail: Detail): Block[] {
  if (causes.length === 0) return [];
  return [
    ...(title === null ? [] : [paragraph(strong(title))]),
    ...list(causes.map(errorCauseLine), Math.min(SHOWN_CAUSES, detail.problems), 'causes'),
  ];
}

export function amongErrors(result: Result): (message: string) => boolean {
  if (!opensErrors(result)) return () => false;
  const shown = new Set(groupErrors(result).map(({ message }) => withoutNumbers(message)));
  return (message) => shown.has(withoutNumbers(message)) || message.includes(ENDED_IN_ERROR);
}

function errorCauseLine({ message, tries, references }: ErrorCause): Line {
  return [
    `${count(tries)} × `,
    code(shorten(message, SENTENCE), SENTENCE),
    ' (',
    ...testNames([...references.values()], MAX_NAMED_PER_CAUSE),
    ')',
  ];
}

function groupErrors(result: Result): ErrorCause[] {
  const found = new Map<string, ErrorCause>();
  for (const reference of result.suites.flatMap(({ references }) => references))
    for (const tryResult of bothTries(reference)) {
      const message = errorOf(tryResult) ?? (tryResult.parts === null ? tryResult.error : null);
      if (
        message === null ||
        (result.outcome.kind === 'ended-early' &&
          Object.values(NOT_MADE_MESSAGES).some((words) => message.endsWith(words)))
      )
        continue;
      const fails = tryResult.outcome === 'fail';
      const key = `${fails} ${withoutNumbers(message)}`;
      const cause = found.get(key) ?? { message, fails, tries: 0, references: new Map() };
      cause.tries += 1;
      cause.references.set(`${reference.file} ${reference.id}`, reference);
      found.set(key, cause);
    }
  return [...found.values()].sort((a, b) => b.tries - a.tries);
}

function withoutNumbers(message: string): string {
  return message.replace(/[\w-]*\d[\w-]*/g, '0');
}
