import type { HaltCode, Reason, ReasonCode, ReasonOf } from '../kernel/result/reason.ts';
import type { Result } from '../kernel/result/result.ts';
import type { SuiteResult } from '../kernel/result/suite-result.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import {
  count,
  counted,
  firstWords,
  meansInWords,
  percentAndLimit,
  wholeRates,
} from '../text/amounts.ts';
import { shareName } from './figures.ts';
import { allSuites } from './rates.ts';
import { fallInWords, movedByScoring } from './scoring.ts';
import { suiteSentence } from './verdicts.ts';
import { plainWords } from './words.ts';

type Sentences = {
  [C in ReasonCode]: (reason: ReasonOf<C>, suites: readonly SuiteResult[]) => string;
};

const ASKED_ANEW = 'edited to ask something else, so the old version is not compared';
const REMOVED = 'removed, newly skipped or quarantined';

const SENTENCES: Sentences = {
  'no-test': () => 'No test ran, so there is no verdict.',
  'nothing-counts': () => 'No verdict: every test that ran is skipped or in quarantine.',
  'nothing-judged': () => 'No metric judges any answer, so there is no verdict.',
  'unused-changes': () =>
    'Some changes of this pull request are not used, because an outside contributor made them; ' +
    'the notices list them.',
  errors: ({ errors, of }) => `${errors} of ${of} tries ended in an error, so nothing was judged`,
  'no-grades': ({ ungraded, of }) =>
    `${ungraded} of ${of} tries have no readable grade ` +
    'and no other was judged, so there is no verdict.',
  words: ({ text }) => text,
  feature: ({ text }) => text,
  'base-unreadable': ({ text }) => text,
  'preference-alone': ({ suite }) =>
    `${suite}: judged by preference alone, and there is no answer of base to compare with.`,
  'nothing-gates': ({ suite }) =>
    `${suite}: no metric decides, so there is no verdict; the values of the metrics are shown. ` +
    'Set threshold, min or max on a metric to say what passes, or better to compare its values.',
  regressed: (reason, suites) => `${reason.suite} regressed: ${summaryOf(reason, suites)}`,
  inconclusive: (reason, suites) => `${reason.suite}: inconclusive. ${summaryOf(reason, suites)}`,
  pool: (rates) => `the pass rate fell over ${allSuites(rates)}`,
  'below-floor': ({ suite, rate, floor }) => {
    const [shown, least] = percentAndLimit(rate, floor);
    return `${suite}: pass rate ${shown} is below min_pass_rate ${least}`;
  },
  failed: ({ suite, ids }) =>
    `${suite}: ${counted(ids.length, 'test')} failed on head: ${firstWords(ids)}`,
  'metric-worse': (reason) =>
    `${reason.suite}: ${movedMean(reason)}` +
    (reason.fails && reason.share === undefined ? '; gate.metrics is fail' : ''),
  'metric-moved': (reason) =>
    `${reason.suite}: ${movedMean(reason)}; neither direction is better, so it does not count`,
  'value-exploded': ({ suite, metric, reference, base, head }) =>
    `${suite}: ${metric} of ${reference} ${head > base ? 'rose' : 'fell'} far more than that of ` +
    `the other references, ${meansInWords(base, head)}; it does not count for the verdict`,
  'scoring-moved': (reason) =>
    `${movedByScoring(reason)}${reason.fails ? STRICT : '; review that change first'}`,
  'scoring-excuses': ({ suite, base, head, fails }) =>
    `${suite}: ${fallInWords(base, head, true)}${fails ? STRICT : '; review that change first'}`,
  'worse-under-base': ({ references, fails }) => {
    const found = references.map(
      ({ reference, base, head }) =>
        `${reference} (${passedOf(base, base)} → ${passedOf(0, head)})`,
    );
    const worse = `worse on head under base's scoring alone: ${firstWords(found)}`;
    return `${worse}${fails ? STRICT : ''}`;
  },
  'mean-under-base': (reason) =>
    `${reason.suite}: under base's scoring ${movedMean(reason)}${reason.fails ? STRICT : ''}`,
  'unread-by-base': ({ suite, answers, of }) =>
    `${suite}: base's scoring cannot judge ${answers} of head's ` +
    `${counted(of, 'answer')}, so a drop in those would not be noticed`,
  'new-failed': ({ named }) =>
    `${counted(named.length, 'new test')} failed on head, and gate.new is fail: ` +
    firstWords(named),
  removed: (reason) => gone(reason, REMOVED),
  'asked-anew': (reason) => gone(reason, ASKED_ANEW),
  'worse-and-skipped': ({ references }) => {
    const found = references.map(
      ({ reference, base, head }) =>
        `${reference} (${passedOf(base.passes, base.of)} → ${passedOf(head.passes, head.of)})`,
    );
    return `newly skipped or quarantined, and worse on head: ${firstWords(found)}`;
  },
  uncompared: ({ suite, judged, of, missing, unasked }) =>
    unasked
      ? `${suite}: ${judged} of ${counted(of, 'test')} compared; ` +
        `base's prompt cannot answer ${firstWords(missing)}`
      : `${suite}: ${judged} of ${counted(of, 'test')} could be judged; ` +
        `without evidence: ${firstWords(missing)}`,
  'skipped-tries': ({ suite, metrics, ...sides }) => {
    const who = metrics.length === 0 ? '' : `${firstWords(metrics)} judged `;
    return `${suite}: ${who}${triesOf(sides)}; the others were skipped`;
  },
  'seldom-judged': ({ suite, metric, ...sides }) =>
    `${suite}: ${metric} judged ${triesOf(sides)}; its condition was met less often`,
  'metric-silent': ({ suite, metric, answers }) =>
    `${suite}: the metric ${metric} judged ${counted(answers, 'answer')} of base and none of head`,
  'values-missing': (reason) => `${wantedValues(reason)} no answer has a value`,
  'values-fewer-references': (reason) =>
    `${wantedValues(reason)} ${reason.head} of ${counted(reason.of, 'test')} ` +
    `have a value on head, ${reason.base} on base`,
  'values-fewer-tries': (reason) => {
    const { base, head } = reason;
    return (
      `${wantedValues(reason)} ${head.has} of head's ${head.of} tries have a ` +
      `value, ${base.has} of base's ${base.of}`
    );
  },
  ungraded: ({ suite, tries, of }) => `${suite}: ${tries} of ${of} tries have no readable grade`,
  'lost-checks': ({ checks }) => {
    const lost = checks.map(
      ({ suite, metric, references }) => `${suite}: ${metric} (${counted(references, 'test')})`,
    );
    return `Checks of base that judge no answer on head: ${firstWords(lost)}`;
  },
  'own-rules': ({ rules }) =>
    'Base has no settings file, so rules that this pull request adds apply: ' + rules.join(', '),
  replaced: ({ suite, what, base, head }) =>
    `${suite}: base's ${what} come from ${answererWords(base)}, head's from ` +
    `${answererWords(head)}: this says nothing about that model, so it is not a success`,
  recorded: ({ suite, ids }) =>
    `${suite}: base's answers to ${counted(ids.length, 'test')} (${firstWords(ids)}) come from ` +
    "a model, head's from a recording: this says nothing about that model, " +
    'so it is not a success',
  held: ({ held, others }) =>
    others
      ? `The last ${held === 1 ? 'of these does' : `${held} of these do`} not count, ` +
        'because fail_on is never for them.'
      : 'Not failed, because fail_on is never.',
  ended: ({ effect, halt, ...progress }) => {
    const ended = endedWords({ halt, ...progress });
    if (effect === 'waiting') return `${ended}.`;
    if (effect === 'passed') return `${ended}. A run that costs more than its cap does not pass.`;
    if (effect === 'enough') return `${ended}, which is enough for this verdict.`;
    const again = halt === 'interrupted' ? '; run it again' : '';
    return `${ended}, which is not enough for a verdict${again}.`;
  },
  waiting: ({ requests, batches }) =>
    `${counted(requests, 'request')} ${requests === 1 ? 'is' : 'are'} with the vendor in ` +
    `${batches.slice(0, 5).join(', ')}${batches.length > 5 ? ', …' : ''}: ` +
    'paid for once, and picked up by the next run.',
  'keys-withheld': ({ from }) =>
    'No model key is available to pull requests ' +
    `${from === 'fork' ? 'from forks' : 'by Dependabot'}. ` +
    'Changes were checked, nothing was sent to a model.',
  'not-run': ({ suites, what, files, fails }) => {
    const because = files.length === 0 ? '' : ` (because of ${firstWords(files, 3)})`;
    const was = suites.length === 1 ? 'was' : 'were';
    const queue = fails ? ', or set gate.untrusted: pass for merge queues' : '';
    return (
      `${NOT_RUN[what]} not run for outside contributors. ` +
      `${firstWords(suites, 3)} ${was} not judged${because}. ` +
      `To judge it, a maintainer can push the commit to a branch of this repository${queue}.`
    );
  },
  'left-out': ({ suite, references, because }) => {
    const why = because.map(({ key, file }) => `${key} (${file})`).join(', ');
    return `${suite}: ${counted(references, 'test')} not run, affected by ${why}`;
  },
};

const NOT_RUN: Readonly<Record<ReasonOf<'not-run'>['what'], string>> = {
  agents: 'Agents do',
  programs: 'Changed programs do',
  'prompt code': 'Prompt code does',
  'new prompts': 'New prompts do',
};

const STRICT = '; gate.scoring is fail';

export function reasonWords<R extends Reason>(reason: R, suites: readonly SuiteResult[]): string {
  const sentence = SENTENCES[reason.code] as (of: R, suites: readonly SuiteResult[]) => string;
  return sentence(reason, suites);
}

/** If a label overrides the gate, this reason comes first. */
export function reasonsInWords({ reasons, suites, override }: Result): string[] {
  const overridden =
    override === null
      ? []
      : [
          `Not red, because ${override.by} overrides the gate with the label ` +
            `"${override.label}": ${override.reason}`,
        ];
  return [...overridden, ...reasons.map((reason) => reasonWords(reason, suites))];
}

export const HALT_WORDS: Readonly<Record<HaltCode, string>> = {
  budget: 'Budget reached',
  time: 'Time is up',
  interrupted: 'Interrupted',
  cancelled: 'Cancelled',
};

export function endedWords({
  halt,
  why,
  made,
  planned,
}: Omit<ReasonOf<'ended'>, 'code' | 'effect'>): string {
  return `${HALT_WORDS[halt]}: ${why}; ${made} of ${planned} tries were made`;
}

function summaryOf(
  { suite, path, variant }: ReasonOf<'regressed' | 'inconclusive'>,
  suites: readonly SuiteResult[],
): string {
  const own = canonicalJson({ ...variant });
  const found = suites.find(
    (each) =>
      each.name === suite && each.path === path && canonicalJson({ ...each.variant }) === own,
  );
  return found === undefined ? '' : plainWords(suiteSentence(found, { isOnly: true }));
}

function movedMean({
  metric,
  base,
  head,
  way,
  by,
  references,
  share,
  changed,
}: Omit<ReasonOf<'metric-moved'>, 'code' | 'suite'>): string {
  const of = counted(references, 'test');
  const over = `over ${of}`;
  const inTests = changed === undefined ? over : `in ${count(changed)} of ${of}`;
  if (share !== undefined)
    return `${shareName(metric, share)} ${way}, ${wholeRates(base, head)}, ${over}`;
  const means = meansInWords(base, head);
  return by === 'mean'
    ? `the mean of ${metric} ${way}, ${means}, ${inTests}`
    : `${metric} ${way} ${changed === undefined ? `in most tries ${over}` : inTests} (mean ${means})`;
}

function passedOf(passes: number, tries: number): string {
  return `${passes} of ${tries} passed`;
}

function gone({ named, fails }: ReasonOf<'removed' | 'asked-anew'>, what: string): string {
  const gate = fails ? ', and gate.removed is fail' : '';
  return `${counted(named.length, 'test')} ${what}${gate}: ${firstWords(named)}`;
}

function triesOf({ base, head }: Pick<ReasonOf<'seldom-judged'>, 'base' | 'head'>): string {
  return `${head.has} of head's ${head.of} tries, ${base.has} of base's ${base.of}`;
}

function wantedValues({ suite, metric }: { suite: string; metric: string }): string {
  return `${suite}: ${metric} must not get worse, but`;
}

function answererWords(answerer: ReasonOf<'replaced'>['base']): string {
  return answerer.kind === 'prompt code' ? 'prompt code' : `the ${answerer.kind} ${answerer.name}`;
}
