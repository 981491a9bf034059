import { deduplicate } from '../../documents/document.ts';
import { problem } from '../../errors.ts';
import { FIRST_TRIES } from '../../kernel/plan/looks.ts';
import { scoringsOf, type SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { AffectedSuite } from '../../kernel/select/affected-suite.ts';
import { rollupName, triesNeeded } from '../../kernel/suite/gate.ts';
import { judgingTargets, everyMetric } from '../../kernel/suite/metrics.ts';
import { keyPlace, type Tests } from '../../kernel/suite/suite.ts';
import type { PlannedFeature } from '../../money/feature-plan.ts';
import type { PrepareInput } from '../../money/prepared.ts';
import type { NotRun } from '../../trust/trusted-sides.ts';
import { takesOverlay, type Evaluate, type Target } from '../../types/model.ts';
import type { Notice, Problem, Place, CodePlace, CodeLanguage } from '../../types/plain.ts';
import { checkRollup } from './roll-up-check.ts';

export function answererProblems(
  suites: readonly SuiteComparison[],
  code: PrepareInput['code'],
): Problem[] {
  const problems = suites
    .filter(({ run }) => run.runs.length > 0 && run.scoring.answerer !== null)
    .flatMap(({ run }) => {
      const { base, head } = run.suite;
      const prompts = [base, head].flatMap((side) => side?.suite.prompt ?? []);
      return scoringsOf(run).flatMap(({ answerer }) => answerer?.problems(prompts, code) ?? []);
    });
  return deduplicate(problems);
}

export function unrunnableReferences(suites: readonly SuiteComparison[]): Problem[] {
  const found = suites.flatMap(({ run: { suite } }) =>
    (suite.head?.suite.tests.references ?? []).flatMap(
      ({ problem, place, problemAt = place }): Problem[] =>
        problem === null ? [] : [{ place: problemAt, message: problem }],
    ),
  );
  return deduplicate(found);
}

export function unreachableRollups(suites: readonly SuiteComparison[]): Problem[] {
  return suites.flatMap(({ run, policy }) => {
    const { tests } = run.scoring;
    const needed = triesNeeded(tests.rollup);
    const tries = policy.kind === 'adaptive' ? FIRST_TRIES : policy.tries;
    if (run.runs.length === 0 || needed <= tries) return [];
    const message =
      `metrics_rollup at_least ${needed} can never pass with ${tries} tries; ` +
      'raise n_tries or lower k';
    return [{ place: { file: tests.file, line: 0 }, message }];
  });
}

const ONLY_HOST = 'only with code: host (input code, or --code host).';

const NEEDS_HOST = `is a program of this repository. It runs ${ONLY_HOST}`;

interface NeedsHost {
  what: NotRun['what'];
  problem: Problem;
}

/** What a suite needs although only the workflow can allow it: the network, packages or a checkout. */
export function needsHost({ base, head, references }: AffectedSuite): NeedsHost[] {
  if (references.every(({ change }) => change === 'removed')) return [];
  const sides = [base, head].filter((side) => side !== null);
  return sides.flatMap(({ suite: { prompt }, variant: { target, model }, scoring }) => [
    ...(prompt.code === null
      ? programNeed(target, `the model "${model ?? ''}"`, keyPlace(prompt, 'model'))
      : [{ what: 'prompt code' as const, problem: problem(prompt.code.place, CODE_NEEDS_HOST) }]),
    ...judgingTargets(scoring).flatMap((grader) => graderNeed(grader, scoring.settingsFile)),
  ]);
}

const CODE_NEEDS_HOST =
  'prompt code needs network and packages. ' +
  'It runs only with code: host, and only on branches of this repository.';

function graderNeed(target: Target, file: string): NeedsHost[] {
  return programNeed(target, `the grader "${target.model}"`, { file, line: 0 });
}

export function gradersNeedHost(
  features: readonly PlannedFeature[],
  code: PrepareInput['code'],
): Problem[] {
  const asked = code === 'host' ? [] : features.flatMap(({ certain }) => certain);
  return asked
    .flatMap(({ target, place }) => graderNeed(target, place.file))
    .map(({ problem: found }) => found);
}

export function onePerLine(problems: readonly Problem[]): Problem[] {
  const byPlace = problems.map((found) => {
    const { file = '', line } = found.place ?? {};
    return [`${file}:${line}`, found] as const;
  });
  return [...new Map(byPlace).values()];
}

function programNeed(target: Target | null, name: string, place: Place): NeedsHost[] {
  if (target?.provider !== 'program') return [];
  if (takesOverlay(target)) {
    const message = `${target.model} is an agent. Agents run ${ONLY_HOST}`;
    return [{ what: 'agents', problem: problem(place, message) }];
  }
  return [{ what: 'programs', problem: problem(place, `${name} ${NEEDS_HOST}`) }];
}

interface Code {
  what: string;
  language: CodeLanguage;
  code: string;
  at?: CodePlace | undefined;
  place: Place;
  sets?: readonly (keyof typeof SET)[];
  tool?: string | undefined;
}

const SET = { metric: 'its value', result: 'which says whether it passes' };

const NOT_COMPILED = /^(?:SyntaxError|IndentationError|TabError)\b/;

const FAILS_ALWAYS = 'does not compile, so it fails on every answer, as in promptfoo';

/**
 * Finds code that does not compile, never sets `result`, or imports unavailable modules at its top.
 * A promptfoo check that does not compile fails on every answer, so it causes only a notice.
 */
export async function checkCode(
  suites: readonly SuiteComparison[],
  { mode, code }: PrepareInput,
  evaluate: Evaluate | undefined,
): Promise<{ problems: Problem[]; notices: Notice[] }> {
  if (code === 'off' || evaluate === undefined) return { problems: [], notices: [] };
  const used = suites.filter(({ run }) => mode === 'sweep' || run.runs.length > 0);
  const all = used.flatMap((suite) => [
    ...scoringCode(suite),
    ...(code === 'host' ? codeOfPrompt(suite) : []),
  ]);
  const distinct = new Map(all.map((piece) => [JSON.stringify([piece.place, piece.code]), piece]));
  const found = await Promise.all(
    [...distinct.values()].map(async (piece) => ({
      piece,
      own: await codeProblems(piece, evaluate),
    })),
  );
  const flawed = found.flatMap(({ own }) => own.map(({ place }) => place));
  const rollups = await Promise.all(
    used
      .filter(({ run }) => !flawed.includes(rollupPlace(run.scoring.tests)))
      .map((suite) => rollupFlaws(suite, evaluate)),
  );
  const failing = found.filter(
    ({ piece: { tool, what }, own: [first] }) =>
      tool === 'promptfoo' && NOT_COMPILED.test(first?.message.slice(`${what}: `.length) ?? ''),
  );
  return {
    problems: deduplicate([
      ...found.filter((each) => !failing.includes(each)).flatMap(({ own }) => own),
      ...rollups.flatMap(({ problems }) => problems),
    ]),
    notices: [
      ...rollups.flatMap(({ notices }) => notices),
      ...failing.flatMap(({ piece: { what }, own }) =>
        own.map(({ place, message }) => ({
          kind: 'import' as const,
          place,
          message: `${what} ${FAILS_ALWAYS}: ${message.slice(`${what}: `.length)}`,
        })),
      ),
    ],
  };
}

async function rollupFlaws(
  suite: SuiteComparison,
  evaluate: Evaluate,
): Promise<{ problems: Problem[]; notices: Notice[] }> {
  const { tests } = suite.run.scoring;
  const what = `metrics_rollup "${rollupName(tests.rollup)}"`;
  const found = await checkRollup(suite, evaluate);
  const place = rollupPlace(tests);
  if (found.kind === 'error')
    return {
      problems: [{ place, message: `${what}: ${found.message}${found.counts}` }],
      notices: [],
    };
  const message =
    `${suite.run.suite.name}: ${what} can never fail: a test passes however many of its ` +
    'tries fail';
  return {
    problems: [],
    notices: found.kind === 'works' ? [] : [{ kind: 'settings', message, place }],
  };
}

function rollupPlace({ rollup, file }: Tests): Place {
  return rollup.kind === 'code' ? rollup.place : { file, line: 0 };
}

function scoringCode({ run: { scoring } }: SuiteComparison): Code[] {
  const { tests } = scoring;
  const metrics = everyMetric(tests).flatMap((metric): Code[] => {
    const { name, source, codeAt: at, place, skip } = metric;
    if (source.kind !== 'code') return [];
    const decides = !skip && (metric.threshold ?? metric.min ?? metric.max) === undefined;
    const sets = decides ? (['metric', 'result'] as const) : (['metric'] as const);
    return [{ what: `metric "${name}"`, ...source, at, place, sets, tool: tests.tool }];
  });
  const { rollup } = tests;
  return rollup.kind === 'code'
    ? [...metrics, { ...rollup, what: `metrics_rollup "${rollup.name}"`, sets: ['result'] }]
    : metrics;
}

function codeOfPrompt({ run: { suite } }: SuiteComparison): Code[] {
  const written = suite.head?.suite.prompt.code ?? null;
  return written === null ? [] : [{ ...written, code: written.source, what: 'prompt code' }];
}

async function codeProblems(
  { what, language, code, at, place, sets = [] }: Code,
  evaluate: Evaluate,
): Promise<Problem[]> {
  const compile = async (as: CodeLanguage) => {
    const job = { suite: 'compiled', side: 'head' as const, language: as, code, at };
    return (await evaluate({ ...job, outputs: [], inputs: [{}] }))[0];
  };
  const result = await compile(language);
  if (result?.status === 'error') {
    const other = language === 'python' ? 'javascript' : 'python';
    const isOther = NOT_COMPILED.test(result.message) && (await compile(other))?.status !== 'error';
    const fix = isOther ? `. This is ${other}: add language: ${other}` : '';
    return [{ place, message: `${what}: ${result.message}${fix}` }];
  }
  const unset = sets.find((name) => !maySet(name, language, code));
  if (unset === undefined) return [];
  const ofResult = sets.includes('metric') ? 'result = metric > 0.5' : 'result = num_fails == 0';
  const ofMetric = language === 'python' ? '1 if result else 0' : 'result ? 1 : 0';
  const line = unset === 'metric' ? `metric = ${ofMetric}` : ofResult;
  return [
    { place, message: `${what} never sets ${unset}, ${SET[unset]}; add a line like ${line}` },
  ];
}

/** Code that builds other code at run time may set any variable. */
function maySet(name: string, language: CodeLanguage, code: string): boolean {
  const comment = language === 'python' ? /^([^"'\n]*?)#.*$/gm : /^([^"'`\n]*?)\/\/.*$/gm;
  const bare = code.replace(comment, '$1');
  return new RegExp(
    String.raw`\b(?:exec|eval|globals|locals|vars|globalThis)\b|\b(?:for|as|def|class|function|import)\s+${name}\b|\b${name}\b[\w\s,:.()[\]{}|"'*]*[-+*/%&|^?@]{0,3}=(?![=>])`,
  ).test(bare);
}
