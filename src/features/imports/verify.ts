import { readFile, stat } from 'node:fs/promises';
import type { Terminal } from '../../app/commands/terminal.ts';
import { sha256 } from '../../app/session/cached-complete.ts';
import { readTests } from '../../config/tests.ts';
import { below } from '../../documents/document.ts';
import type { Files } from '../../documents/files.ts';
import { userError, UserError } from '../../errors.ts';
import { comparesEmbeddings, isModelGraded } from '../../kernel/suite/metrics.ts';
import type { Reference } from '../../kernel/suite/suite.ts';
import type { MetricAnswer, MetricTools } from '../../metrics/answer.ts';
import { metrics, scoreMetric } from '../../metrics/index.ts';
import { groupByEqualKey } from '../../report/sections/order.ts';
import { counted, tooManyBytes } from '../../text/amounts.ts';
import { logLine } from '../../text/log.ts';
import { shorten } from '../../text/visible.ts';
import { ownAnswer, partsOf } from '../../types/answer.ts';
import type { Metric, Score } from '../../types/metric.ts';
import type { Evaluate } from '../../types/model.ts';
import { jsonText, type Json, type JsonMap, type Problem } from '../../types/plain.ts';
import { withSandbox } from './check-import.ts';
import {
  assertionKey,
  readForeignResults,
  referenceAt,
  type ForeignAnswer,
} from './promptfoo/promptfoo-results.ts';
import { createDraft, documentOf, type Imported } from './shared/draft.ts';

const MAX_RESULTS_BYTES = 256 * 1024 * 1024;

interface Verification {
  compared: ComparedVerdict[];
  left: Map<string, number>;
}

export async function verifyImport(
  results: { path: string; file: string },
  source: { file: string; imported: Imported; files: Files },
  terminal: Terminal,
): Promise<number> {
  const at = { file: results.file, line: 0 };
  const read = readForeignResults(await jsonAt(results.path, results.file));
  if ('why' in read) throw userError(at, read.why);
  const references = await importedReferences(source);
  const { compared, left } = await verify(read.answers, references, source.imported, terminal);
  const words = [
    ...[...left].map(([why, times]) => `${times.toLocaleString('en-US')} ${why}`),
    ...(read.unanswered === 0 ? [] : [`${counted(read.unanswered, 'result')} without an answer`]),
  ].join(', ');
  if (compared.length === 0)
    throw userError(at, `contains no comparable verdict${words === '' ? '' : `: ${words}`}`);
  const asGiven = compared.filter(({ answer }) => !answer.isTransformed);
  const changed = compared.filter(({ answer }) => answer.isTransformed);
  const differing = asGiven.filter((verdict) => !isAgreement(verdict));
  if (asGiven.length > 0) terminal.out(verdictLine(asGiven.length, differing));
  if (changed.length > 0) terminal.out(transformedLine(changed));
  if (words !== '') terminal.out(`not compared: ${words}\n`);
  return differing.length + changed.length === 0 ? 0 : 1;
}

async function jsonAt(path: string, file: string): Promise<Json> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw userError(file, 'cannot be read');
  if (found.size > MAX_RESULTS_BYTES)
    throw userError(file, tooManyBytes(found.size, MAX_RESULTS_BYTES));
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Json;
  } catch {
    throw userError(file, 'is not a JSON file; write one with promptfoo eval -o results.json');
  }
}

async function importedReferences({
  file,
  imported: { judged },
  files,
}: {
  file: string;
  imported: Imported;
  files: Files;
}): Promise<Reference[]> {
  const at = { file, line: 0 };
  if (judged === undefined) throw userError(at, 'has no tests to verify');
  const problems: Problem[] = [];
  const tests = await readTests(
    below(documentOf(file, { prompt: createDraft(at), tests: judged.tests }), ['tests']),
    {
      variables: [],
      builtIns: metrics,
      suiteKeys: [],
      grader: null,
      hash: sha256,
      load: files.data,
      notices: [],
    },
    problems,
  );
  if (tests === null || problems.length > 0) throw new UserError(problems);
  return tests.references;
}

async function verify(
  answers: readonly ForeignAnswer[],
  references: readonly Reference[],
  { judged }: Pick<Imported, 'judged'>,
  terminal: Terminal,
): Promise<Verification> {
  const found: Verification = { compared: [], left: new Map() };
  const rows = judged?.rows ?? [];
  const placed = answers.map((answer) => ({ answer, at: referenceAt(answer, rows) }));
  for (const { answer, at } of placed)
    if (at === null) leave(found, 'of tests that are not in the file', answer.verdicts.length);
  await withSandbox(terminal, async (evaluate) => {
    for (const [index, reference] of references.entries()) {
      const own = placed.flatMap(({ answer, at }) => (at === index ? [answer] : []));
      if (own.length > 0)
        await verifyReference(reference, rows[index]?.assertions ?? [], own, found, (metric) =>
          toolsFor(metric, evaluate),
        );
    }
  });
  return found;
}

async function verifyReference(
  reference: Reference,
  assertions: readonly JsonMap[],
  answers: readonly ForeignAnswer[],
  found: Verification,
  toolsOf: (metric: Metric) => MetricTools,
): Promise<void> {
  const open = new Map(answers.map((answer) => [answer, [...answer.verdicts]]));
  for (const [position, assertion] of assertions.entries()) {
    const metric = reference.metrics?.[position];
    if (metric === undefined) continue;
    const key = assertionKey(assertion);
    const pairs = answers.flatMap((answer) => {
      const verdicts = open.get(answer) ?? [];
      const at = verdicts.findIndex((verdict) => assertionKey(verdict.assertion) === key);
      return at === -1 ? [] : verdicts.splice(at, 1).map((theirs) => ({ answer, theirs }));
    });
    const why = incomparableReason(metric);
    if (why !== null) {
      leave(found, why, pairs.length);
      continue;
    }
    const scores = await scoreMetric(
      metric,
      pairs.map(({ answer }) => foreignMetricAnswer(answer, reference)),
      toolsOf(metric),
    );
    for (const [at, { answer, theirs }] of pairs.entries()) {
      const ours = scores[at];
      if (ours !== undefined) found.compared.push({ metric, answer, theirs, ours });
    }
  }
  for (const verdicts of open.values())
    leave(found, 'of assertions that are not converted', verdicts.length);
}

function leave({ left }: Verification, why: string, times: number): void {
  if (times > 0) left.set(why, (left.get(why) ?? 0) + times);
}

function incomparableReason(metric: Metric): string | null {
  if (metric.skip) return 'of weight 0, which always pass in promptfoo';
  if (isModelGraded(metric) || comparesEmbeddings(metric)) return 'judged by a model';
  return metric.source.kind === 'built-in' ? (NOT_IN_RESULTS[metric.source.uses] ?? null) : null;
}

const NOT_IN_RESULTS: Readonly<Record<string, string>> = {
  cost: 'of the cost of an answer',
  finish_reason: 'of the finish reason of an answer',
};

function foreignMetricAnswer(answer: ForeignAnswer, { input, expected }: Reference): MetricAnswer {
  const output = jsonText(answer.output);
  const messages: MetricAnswer['messages'] = [{ role: 'user', content: answer.prompt }];
  return {
    completion: {
      status: 'ok',
      ...ownAnswer(partsOf(output)),
      latency_ms: answer.latencyMs,
      reused: false,
    },
    input,
    expected,
    messages,
    thread: [...messages, { role: 'assistant', content: output }],
  };
}

function toolsFor(metric: Metric, evaluate: Evaluate): MetricTools {
  return {
    complete: () => Promise.reject(new TypeError('no model is called')),
    evaluate: (job) =>
      evaluate({
        ...job,
        suite: 'verify',
        side: 'head',
        ...(metric.codeAt === undefined ? {} : { at: metric.codeAt }),
      }),
    rubrics: new Map(),
    graders: [],
    embedder: null,
    random: () => 'verify',
    try: 0,
  };
}

const SHOWN_KINDS = 20;

const MAX_REASON_CHARS = 300;

interface ComparedVerdict {
  metric: Metric;
  answer: ForeignAnswer;
  theirs: { pass: boolean; reason: string };
  ours: Score;
}

function isAgreement({ theirs, ours }: ComparedVerdict): boolean {
  return ours.status === (theirs.pass ? 'pass' : 'fail');
}

/** For example `1,284 of 1,286 verdicts equal; these 2 differ:`. */
function verdictLine(total: number, differing: readonly ComparedVerdict[]): string {
  const equal = (total - differing.length).toLocaleString('en-US');
  const head = `${equal} of ${counted(total, 'verdict')} equal`;
  if (differing.length === 0) return `${head}\n`;
  const which =
    differing.length === 1
      ? 'this one differs'
      : `these ${differing.length.toLocaleString('en-US')} differ`;
  return [`${head}; ${which} because:`, ...kindLines(differing), ''].join('\n');
}

function kindLines(differing: readonly ComparedVerdict[]): string[] {
  const lines = groupByEqualKey(differing, differenceKind).map(verdictDifferenceLine);
  const more = lines.length - SHOWN_KINDS;
  return [
    ...lines.slice(0, SHOWN_KINDS),
    ...(more > 0 ? [`  and ${counted(more, 'more kind')} of difference`] : []),
  ];
}

function transformedLine(verdicts: readonly ComparedVerdict[]): string {
  const differing = verdicts.filter((verdict) => !isAgreement(verdict));
  const equal = (verdicts.length - differing.length).toLocaleString('en-US');
  return [
    `${counted(verdicts.length, 'verdict')} on answers that promptfoo transformed: ` +
      `${equal} equal on the transformed answers. The transform is not converted, so evaldiff ` +
      'judges the answers of the model',
    ...kindLines(differing),
    '',
  ].join('\n');
}

function differenceKind({ metric: { source }, theirs, ours }: ComparedVerdict): string {
  const said = (theirs.pass ? ours.reason : theirs.reason) ?? '';
  const words = said
    .replace(/ at \S+:\d+/g, '')
    .replace(/"[^"]*"|'[^']*'|\d+/g, '…')
    .slice(0, MAX_REASON_CHARS);
  const what = source.kind === 'built-in' ? source.uses : source.kind;
  return [what, theirs.pass, ours.status, words].join('\n');
}

function verdictDifferenceLine([first, ...others]: [
  ComparedVerdict,
  ...ComparedVerdict[],
]): string {
  const { metric, answer, theirs, ours } = first;
  const often = others.length === 0 ? '' : `${(others.length + 1).toLocaleString('en-US')} × `;
  const test = answer.description ?? shorten(JSON.stringify(answer.vars), 80);
  const reason = (text: string | null): string =>
    logLine(shorten((text ?? '').split('\n', 1)[0] ?? '', MAX_REASON_CHARS));
  const here =
    ours.status === 'fail' ? 'fails' : ours.status === 'pass' ? 'passes' : 'cannot judge it';
  const words = theirs.pass
    ? `promptfoo passes, evaldiff ${here}: ${reason(ours.reason)}`
    : `promptfoo fails ("${reason(theirs.reason)}"), evaldiff ${here}` +
      (ours.status === 'pass' ? '' : `: ${reason(ours.reason)}`);
  const data =
    typeof answer.output === 'string'
      ? ''
      : ' (in promptfoo the provider returned data; evaldiff judges its JSON text)';
  const at = `${logLine(metric.place.file)}:${metric.place.line}`;
  return `  ${often}${logLine(metric.name)} (${at}), test ${logLine(test)}: ${words}${data}`;
}
