import type { OutcomeKind } from '../../kernel/result/outcome.ts';
import type { ReasonCode } from '../../kernel/result/reason.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { Detail } from '../../report/sections/detail.ts';
import {
  code,
  joinLines,
  paragraph,
  place,
  strong,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import {
  foundLines,
  proposalsIn,
  type FoundLines,
  type ProvenFix,
  type ReportContext,
} from '../../report/sections/feature-report.ts';
import { suiteIdentity } from '../../report/sections/order.ts';
import type { Problem } from '../../types/plain.ts';
import { retestUnsure, showBroken } from './broken-tests.ts';

interface StepFacts {
  causes: FoundLines[];
  fixes: ProvenFix[];
  unfixed: FoundLines[];
  search: string[];
  show: string[];
  unsure: string;
  invalid: string[];
  isRed: boolean;
}

type Step = (facts: StepFacts) => Line;

const stepWords =
  (words: string, commands: (facts: StepFacts) => string[]): Step =>
  (facts) =>
    commands(facts).flatMap((command) => [words, code(command), '.']);
const always =
  (words: string): Step =>
  () => [`${words}.`];

const REPAIR = [
  applyFix,
  ({ causes }: StepFacts) => revertLines(causes),
  stepWords('find the line that caused it: ', ({ search }) => search),
  stepWords('compare the answers of a test that failed: ', ({ show }) => show),
  always('compare the changed lines with the answers'),
];
const CHECK_SCORING = [always('check that the new scoring is what you want')];
const FIX_NEW = [
  (): Line => [
    'fix the new tests or the prompt, or list them under ',
    code('quarantine'),
    ' in their file.',
  ],
];
const RESTORE_TESTS: readonly Step[] = [
  ({ isRed }) =>
    isRed
      ? ['restore these tests, or confirm their removal with ', code('override-label'), '.']
      : ['restore these tests, or merge to confirm their removal.'],
];
const ASK_MAINTAINER = [
  always('ask a maintainer to push the commit to a branch of this repository'),
];
const ADD_METRIC = [always('add a metric that can fail an answer')];
const RETEST: readonly Step[] = [
  ({ unsure }) => [
    'add tests, or run the unsure ones again: ',
    code(`npx evaldiff diff ${unsure}`),
    '.',
  ],
];

/** The report shows the first step that applies. Steps have at most 15 words. */
const NEXT_STEPS: Partial<Record<ReasonCode | OutcomeKind, readonly Step[]>> = {
  'new-failed': FIX_NEW,
  'new-failing': FIX_NEW,
  removed: RESTORE_TESTS,
  'asked-anew': RESTORE_TESTS,
  'scoring-moved': CHECK_SCORING,
  'scoring-excuses': CHECK_SCORING,
  'worse-under-base': CHECK_SCORING,
  'scoring-changed': CHECK_SCORING,
  'model-changed': [
    always("nothing to fix in the prompt: pin the model's version, or accept its new answers"),
  ],
  'not-evaluated': [
    stepWords('fix the problems above, then run ', ({ invalid }) => invalid),
    always('fix the problems above, then run again'),
  ],
  'no-test': [always('add references to the suite')],
  'nothing-counts': [always('keep at least one test that is not skipped or quarantined')],
  'nothing-judged': ADD_METRIC,
  'nothing-gates': ADD_METRIC,
  'no-grades': [always("read the grader's replies, then change its rubric or model")],
  'base-unreadable': [always('fix the base branch, or check the changes named above by hand')],
  'not-run': ASK_MAINTAINER,
  'unused-changes': ASK_MAINTAINER,
  'not-comparable': [
    always("keep base's model to compare answers, or merge to accept the new one"),
  ],
  errors: [always('fix the errors above, then re-run the failed job')],
  inconclusive: RETEST,
  regressed: REPAIR,
  failed: REPAIR,
};

export function nextStep(result: Result, _: Detail, { reports }: ReportContext): Block[] {
  const { reasons, outcome } = result;
  if (outcome.kind === 'overridden') return [];
  const causes = foundLines(result, reports);
  const proposals = proposalsIn(result, reports).filter(({ fix }) => fix.kind !== 'test');
  const fixed = new Set(proposals.map(({ suite }) => suiteIdentity(suite)));
  const facts = {
    causes,
    fixes: proposals.map(({ fix }) => fix),
    unfixed: causes.filter(({ suite }) => !fixed.has(suiteIdentity(suite))),
    search: reports.flatMap(({ search }) => search?.(result) ?? []).slice(0, 1),
    show: showBroken(result).map((command) => `npx evaldiff ${command}`),
    unsure: retestUnsure(result),
    // `validate` does not see keys and servers.
    invalid: result.problems.some(isInFile) ? ['npx evaldiff validate'] : [],
    isRed: result.conclusion === 'failure',
  };
  // A red run may also have inconclusive suites, and a run without tests may have deleted ones.
  const codes = reasons.map(({ code }) => code);
  const isWeak = (code: ReasonCode): boolean => code === 'inconclusive' || code === 'no-test';
  const line = [...codes.filter((code) => !isWeak(code)), outcome.kind, ...codes.filter(isWeak)]
    .flatMap((key) => NEXT_STEPS[key] ?? [])
    .map((step) => step(facts))
    .find(({ length }) => length > 0);
  return line === undefined ? [] : [paragraph([strong('Next'), ': ', ...line])];
}

const isInFile = ({ place }: Problem) => place !== null && place.line > 0;

/** Lines of suites without a fix are reverted. */
function applyFix({ fixes: [fix, ...more], unfixed }: StepFacts): Line {
  if (fix === undefined) return [];
  const rest = revertLines(unfixed);
  const end = rest.length === 0 ? ['.'] : ['; ', ...rest];
  const command = [code('npx evaldiff fix'), ...end];
  if (more.length > 0) return ['apply the tested fixes: ', ...command];
  const { from } = fix.lines;
  return fix.kind === 'draft'
    ? ['apply the tested fix to ', place(fix.file, from), ': ', ...command]
    : ['restore ', ...lineWords({ ...fix, line: from }), ', or run ', ...command];
}

/** For example `restore line 12 of prompts/a.yaml and line 3 of prompts/b.yaml`. */
function revertLines(causes: readonly FoundLines[]): Line {
  const known = causes.filter(({ proof }) => proof !== 'likely');
  const proven = known.filter(({ proof }) => proof !== 'untested');
  // If lines cause the regression only together, reverting one of them is enough.
  const lines = (proven.length > 0 ? proven : known).flatMap(({ proof, lines: all }) =>
    proof === 'together' ? all.slice(0, 1) : all,
  );
  const places = new Map(lines.map(({ file, to: line }) => [`${file}:${line}`, { file, line }]));
  if (places.size === 0) return [];
  const again = places.size === 1 ? 'it' : 'them';
  const end = proven.length > 0 ? '.' : `, or change ${again} again.`;
  if (places.size > 2) return ['revert the changes named above', end];
  const verb = lines.every(({ side }) => side === 'base') ? 'restore ' : 'revert ';
  return [verb, ...joinLines([...places.values()].map(lineWords), ' and '), end];
}

function lineWords({ file, line }: { file: string; line: number }): Line {
  return [line > 0 ? `line ${line} of ` : '', code(file)];
}
