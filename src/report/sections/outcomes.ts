import { fixedReferences, newFailing } from '../../kernel/result/counts.ts';
import type { OutcomeKind, OutcomeOf, RunOutcome } from '../../kernel/result/outcome.ts';
import type { Result } from '../../kernel/result/result.ts';
import { figuresOf } from '../../wording/figures.ts';
import {
  evidenceFirst,
  namesOf,
  nothingToRun,
  outcomeLook,
  replacedIn,
  ungradedIn,
  type OutcomeLook,
} from '../../wording/outcomes.ts';
import { allSuites, replacedInShort } from '../../wording/rates.ts';
import { text, type Line } from './document.ts';
import type { Reports } from './feature-report.ts';
import {
  firstReason,
  improvedLine,
  inconclusiveLine,
  modelChangedLine,
  noRegressionLine,
  nothingWorseLine,
  problemsLine,
  regressionLine,
  withMore,
} from './headline-lines.ts';
import { type HeadlineText } from './headline-suite.ts';
import { evaluatedLine, withoutSubject } from './headline-sweep.ts';
import { rates } from './phrases.ts';

interface Headline extends OutcomeLook {
  /** The worst suite with its rates; may be empty. */
  subject: Line;
  line: Line;
}

export function headline(result: Result, reports: Reports): Headline {
  const { outcome } = result;
  const { subject, line } = lineOf(outcome)(result, outcome, reports);
  const figures = figuresOf(result);
  const first = evidenceFirst(outcome, { suites: result.suites, figures });
  const said = ungradedIn(outcome, figures);
  const instead = replacedIn(outcome, result.replaced);
  const last = line.at(-1);
  const begun = last !== undefined && 'text' in last && !last.text.endsWith('.') ? ';' : '';
  return {
    ...outcomeLook(result),
    // Names who answered instead of a model.
    subject:
      instead === null
        ? subject
        : [...subject, text(`${subject.length === 0 ? '' : '; '}${instead}`)],
    line: [
      ...(first === null ? [] : [text(`${first}. `)]),
      ...line,
      ...(said === null ? [] : [text(`${begun} ${said}.`)]),
    ],
  };
}

type LineOf<O extends RunOutcome> = (result: Result, outcome: O, reports: Reports) => HeadlineText;

/** What follows the first words of a report. */
const LINES: { [K in OutcomeKind]: LineOf<OutcomeOf<K>> } = {
  'nothing-to-run': (_, outcome) => withoutSubject([text(nothingToRun(outcome))]),
  'not-evaluated': problemsLine,
  'not-judged': firstReason,
  'ended-early': firstReason,
  waiting: firstReason,
  'without-keys': (result, { judged }) =>
    judged
      ? withMore(nothingWorseLine(result), [text(' The rest needs a model key.')])
      : firstReason(result),
  'no-verdict': firstReason,
  'not-comparable': (result) => {
    const { subject, line } = nothingWorseLine(result);
    const moved = subject.length === 0 ? [] : [...subject, text('; ')];
    return { subject: [text(replacedInShort(result.replaced) ?? '')], line: [...moved, ...line] };
  },
  'only-removed': firstReason,
  cancelled: firstReason,
  fixed: (result) => withSubject(namesOf(fixedReferences(result.suites)), nothingWorseLine(result)),
  'new-failing': (result) =>
    withSubject(namesOf(newFailing(result.suites)), nothingWorseLine(result)),
  regressed: (result, { pool }, reports) => {
    const told = regressionLine(result, reports);
    return pool === undefined ? told : withSubject(allSuites(pool), withAllRates(result, told));
  },
  failed: firstReason,
  overridden: (result, { by }, reports) => lineOf(by)(result, by, reports),
  inconclusive: inconclusiveLine,
  'model-changed': modelChangedLine,
  improved: improvedLine,
  'no-regression': noRegressionLine,
  'scoring-changed': nothingWorseLine,
  evaluated: evaluatedLine,
};

/** TypeScript loses the tie between a key and its member. */
function lineOf<O extends RunOutcome>(outcome: O): LineOf<O> {
  return LINES[outcome.kind] as unknown as LineOf<O>;
}

/** Every compared suite with its rates, where all of them together fell. */
function withAllRates({ suites }: Result, told: HeadlineText): HeadlineText {
  const listed = suites
    .filter(({ pass_rate }) => pass_rate.difference !== null)
    .map(({ name, pass_rate: { base, head } }) => `${name} ${rates(base, head)}`);
  return { ...told, line: [text(`${listed.join(', ')}. `), ...told.line] };
}

function withSubject(words: string, { subject, line }: HeadlineText): HeadlineText {
  return {
    subject: [text(words), ...(subject.length === 0 ? [] : [text('; ')]), ...subject],
    line,
  };
}
