import { readFile, stat } from 'node:fs/promises';
import { dayOf } from '../../app/commands/project.ts';
import type { Terminal } from '../../app/commands/terminal.ts';
import { sha256 } from '../../app/session/cached-complete.ts';
import { readTests } from '../../config/tests.ts';
import { below } from '../../documents/document.ts';
import type { Files } from '../../documents/files.ts';
import { createSandbox } from '../../edges/sandbox/index.ts';
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
import {
  assertionKey,
  readForeignResults,
  referenceAt,
  type ForeignAnswer,
} from './promptfoo/promptfoo-results.ts';
import { documentOf, type Imported } from './shared/draft.ts';

const CHECK_TIMEOUT_SECONDS = 5;

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
  const open = [...left].map(([why, times]) => `${times.toLocaleString('en-US')} ${why}`);
  if (read.unanswered > 0) open.push(`${counted(read.unanswered, 'result')} without an answer`);
  const words = open.join(', ');
  if (compared.length === 0)
    throw userError(at, `contains no comparable verdict${words === '' ? '' : `: ${words}`}`);
  const differing = compared.filter(
    ({ theirs, ours }) => ours.status !== (theirs.pass ? 'pass' : 'fail'),
  );
  terminal.out(verdictLines(compared.length, differing));
  if (words !== '') terminal.out(`not compared: ${words}\n`);
  const [{ of, carried } = { of: 0, carried: 0 }] = source.imported.carried.filter(
    ({ unit }) => unit === 'test',
  );
  terminal.out(`${carried.toLocaleString('en-US')} of ${counted(of, 'test')} would run here\n`);
  return differing.length === 0 ? 0 : 1;
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
}: Parameters<typeof verifyImport>[1]): Promise<Reference[]> {
  const at = { file, line: 0 };
  if (judged === undefined) throw userError(at, 'has no tests to verify');
  const problems: Problem[] = [];
  const tests = await readTests(
    below(documentOf(file, { prompt: { value: {}, place: at }, tests: judged.tests }), ['tests']),
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
  { err, testOverrides }: Terminal,
): Promise<Verification> {
  const found: Verification = { compared: [], left: new Map() };
  const rows = judged?.rows ?? [];
  const placed = answers.flatMap((answer) => {
    const at = referenceAt(answer, rows);
    const isData = answer.isTransformed && typeof answer.output !== 'string';
    const why = isData
      ? 'on data that a transform made, which results do not contain as checks see it'
      : 'of tests that are not in the file';
    if (at !== null && !isData) return [{ answer, at }];
    leave(found, why, answer.verdicts.length);
    return [];
  });
  const sandbox = createSandbox({
    mode: 'sandbox',
    env: {},
    timeoutSeconds: CHECK_TIMEOUT_SECONDS,
    time: dayOf(testOverrides).getTime(),
    log: (line) => err(`${line}\n`),
  });
  try {
    for (const [index, reference] of references.entries()) {
      const own = placed.flatMap(({ answer, at }) => (at === index ? [answer] : []));
      if (own.length > 0)
        await verifyReference(reference, rows[index]?.assertions ?? [], own, found, (metric) =>
          toolsFor(metric, sandbox.evaluate),
        );
    }
  } finally {
    await sandbox.close();
  }
  return found;
}

async function verifyReference(
  reference: Reference,
  assertions: readonly JsonMap[],
  answers: readonly ForeignAnswer[],
  found: Verification,
  toolsOf: (metric: Metric) => MetricTools,
): Promise<void> {
  for (const answer of answers) {
    const open = [...answer.verdicts];
    for (const [position, assertion] of assertions.entries()) {
      const metric = reference.metrics?.[position];
      const key = assertionKey(assertion);
      const at = open.findIndex((verdict) => assertionKey(verdict.assertion) === key);
      const [theirs] = metric === undefined || at === -1 ? [] : open.splice(at, 1);
      if (metric === undefined || theirs === undefined) continue;
      const why = incomparableReason(metric);
      const given = [foreignMetricAnswer(answer, reference)];
      const [ours] = why === null ? await scoreMetric(metric, given, toolsOf(metric)) : [];
      if (why !== null) leave(found, why, 1);
      if (ours !== undefined) found.compared.push({ metric, answer, theirs, ours });
    }
    leave(found, 'of assertions that are not converted', open.length);
  }
}

function leave({ left }: Verification, why: string, times: number): void {
  if (times > 0) left.set(why, (left.get(why) ?? 0) + times);
}

function incomparableReason(metric: Metric): string | null {
  if (metric.skip) return 'of weight 0, which always pass in promptfoo';
  if (isModelGraded(metric) || comparesEmbeddings(metric)) return 'judged by a model';
  const { source } = metric;
  return source.kind === 'built-in' && source.uses === 'cost' ? 'of the cost of an answer' : null;
}

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

const MAX_REASON_CHARS = 300;

interface ComparedVerdict {
  metric: Metric;
  answer: ForeignAnswer;
  theirs: { pass: boolean; reason: string };
  ours: Score;
}

/** For example `1,284 of 1,286 verdicts equal; these differ:`. */
function verdictLines(total: number, differing: readonly ComparedVerdict[]): string {
  const equal = (total - differing.length).toLocaleString('en-US');
  const kinds = groupByEqualKey(differing, ({ metric: { name, place }, theirs, ours }) =>
    [name, place.file, place.line, theirs.pass, ours.status].join('\n'),
  );
  const head = `${equal} of ${counted(total, 'verdict')} equal`;
  return [
    kinds.length === 0 ? head : `${head}; these differ:`,
    ...kinds.map(verdictDifferenceLine),
    '',
  ].join('\n');
}

function verdictDifferenceLine(verdicts: readonly [ComparedVerdict, ...ComparedVerdict[]]): string {
  const [{ metric, answer, theirs, ours }] = verdicts;
  const often = verdicts.length === 1 ? '' : `${verdicts.length.toLocaleString('en-US')} × `;
  const test = answer.description ?? shorten(JSON.stringify(answer.vars), 80);
  const words = (says: string, reason: string | null): string => {
    const [line = ''] = (reason ?? '').split('\n', 1);
    return `${says}${line === '' ? '' : ` ("${logLine(shorten(line, MAX_REASON_CHARS))}")`}`;
  };
  const here =
    ours.status === 'fail' ? 'fails' : ours.status === 'pass' ? 'passes' : 'cannot judge it';
  const data =
    typeof answer.output === 'string'
      ? ''
      : ' (in promptfoo the provider returned data; evaldiff judges its JSON text)';
  const at = `${logLine(metric.name)} (${logLine(metric.place.file)}:${metric.place.line})`;
  return (
    `  ${often}${at}, test ${logLine(test)}: promptfoo ` +
    `${words(theirs.pass ? 'passes' : 'fails', theirs.reason)}, evaldiff ${words(here, ours.reason)}${data}`
  );
}
