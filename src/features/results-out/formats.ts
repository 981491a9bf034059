import { sha256 } from '../../app/session/cached-complete.ts';
import { VERSION } from '../../app/session/runtime.ts';
import { formatProblem } from '../../errors.ts';
import type { Result } from '../../kernel/result/result.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { referenceCases, type CaseEnding } from '../../report/junit.ts';
import { testRows, triesOfResult, type ResultTry } from '../../report/test-rows.ts';
import { textOf } from '../../types/answer.ts';
import type { JsonMap } from '../../types/plain.ts';

/** A line for each try and score, for a data warehouse. */
export function renderRows(result: Result): string {
  const commits = { base: result.base?.sha ?? null, head: result.head.sha };
  const rows = testRows(result).rows.map((row) => {
    const commit = row['side'] === 'base' ? commits.base : commits.head;
    return `${JSON.stringify({ commit, ...row })}\n`;
  });
  return rows.join('');
}

const CTRF_STATUS: Readonly<Record<CaseEnding['element'], string>> = {
  failure: 'failed',
  error: 'failed',
  skipped: 'skipped',
  'system-out': 'passed',
};

/** Common Test Report Format: the problems of the run, and the JUnit report's references. */
export function renderCtrf(result: Result): string {
  const stopped = result.problems.map((problem) => ({
    name: formatProblem(problem),
    status: 'failed',
    duration: 0,
  }));
  const judged = result.suites.flatMap((suite) =>
    referenceCases(suite, result, []).map(({ reference, name, ms, ending }) => ({
      name,
      status: ending === null ? 'passed' : CTRF_STATUS[ending.element],
      ...(ending === null ? {} : { message: ending.message, trace: ending.body }),
      rawStatus: reference.status,
      duration: Math.round(ms),
      suite: [suite.name],
      filePath: reference.file,
      line: reference.line,
      tags: reference.tags,
    })),
  );
  const tests = [...stopped, ...judged];
  const counted = (status: string) => tests.filter((test) => test.status === status).length;
  const stop = tests.reduce((sum, { duration }) => sum + duration, 0);
  return jsonFile({
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    results: {
      tool: { name: 'evaldiff', version: VERSION },
      summary: {
        ...{ tests: tests.length, passed: counted('passed'), failed: counted('failed') },
        ...{ skipped: counted('skipped'), pending: 0, other: 0, start: 0, stop },
      },
      tests,
      environment: { commit: result.head.sha },
    },
  });
}

/** A span for each try, with an event `gen_ai.evaluation.result` for each score. */
export function renderOtlp(result: Result): string {
  const spans = triesOfResult(result).map((judged) => otlpSpan(judged, result.head.sha));
  const scope = { name: 'evaldiff', version: VERSION };
  const resource = { attributes: otlpAttributes({ 'service.name': 'evaldiff' }) };
  return jsonFile({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] });
}

function otlpSpan({ suite, reference, side, variant, attempt }: ResultTry, run: string): JsonMap {
  const { scores, usage, latency_ms: latency, error, outcome, served } = attempt;
  const id = sha256(JSON.stringify([run, suite.path, variant, reference.id, side, attempt.try]));
  const start = Math.round(served?.at ?? 0);
  const endTimeUnixNano = nanoseconds(start + (latency ?? 0));
  return {
    traceId: id.slice(0, 32),
    spanId: id.slice(32, 48),
    name: `${suite.name} ${reference.id}`,
    kind: 1,
    startTimeUnixNano: nanoseconds(start),
    endTimeUnixNano,
    attributes: otlpAttributes({
      'gen_ai.request.model': variant.model,
      'gen_ai.usage.input_tokens': usage?.input_tokens ?? null,
      'gen_ai.usage.output_tokens': usage?.output_tokens ?? null,
      'evaldiff.suite': suite.name,
      'evaldiff.reference': reference.id,
      'evaldiff.side': side,
      'evaldiff.try': attempt.try,
      'evaldiff.outcome': outcome,
    }),
    status: outcome === 'error' ? { code: 2, message: error ?? '' } : {},
    events: scores.map(({ metric, value, status, reason }) => ({
      name: 'gen_ai.evaluation.result',
      timeUnixNano: endTimeUnixNano,
      attributes: otlpAttributes({
        'gen_ai.evaluation.name': metric,
        'gen_ai.evaluation.score.value': typeof value === 'number' ? value : null,
        'gen_ai.evaluation.score.label': status,
        'gen_ai.evaluation.explanation': reason,
      }),
    })),
  };
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms)) * 1_000_000n);
}

function otlpAttributes(values: Readonly<Record<string, string | number | null>>): JsonMap[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === null) return [];
    const named = typeof value === 'string' ? { stringValue: value } : { doubleValue: value };
    return [{ key, value: named }];
  });
}

/** The file that `promptfoo import` reads: a column for each side and variant. */
export function renderPromptfoo(result: Result): string {
  const tries = triesOfResult(result);
  const labels = [...new Set(tries.map(promptfooColumn))];
  const rows = [...new Set(tries.map(promptfooRow))];
  const results = tries.map((judged) =>
    promptfooResult(
      judged,
      labels.indexOf(promptfooColumn(judged)),
      rows.indexOf(promptfooRow(judged)),
    ),
  );
  const prompts = labels.map((label, column) => {
    const own = results.filter(({ promptIdx }) => promptIdx === column);
    const passed = own.filter(({ success }) => success).length;
    const errors = own.filter(({ failureReason }) => failureReason === ERROR_REASON).length;
    const metrics = {
      ...{ score: passed, testPassCount: passed, testErrorCount: errors },
      ...{ testFailCount: own.length - passed - errors, namedScores: {}, tokenUsage: {} },
    };
    return { raw: label, label, provider: label, metrics };
  });
  return jsonFile({
    evalId: `evaldiff-${sha256(JSON.stringify(results)).slice(0, 16)}`,
    results: { version: 3, prompts, results, stats: {} },
    config: { description: result.title },
  });
}

const promptfooColumn = ({ side, variant: { model, parameters } }: ResultTry): string =>
  `${side}: ${model} ${canonicalJson(parameters)}`;

const promptfooRow = ({ suite, reference, attempt }: ResultTry): string =>
  canonicalJson([suite.path, suite.name, reference.id, attempt.try]);

/** Of promptfoo's `ResultFailureReason`. */
const ERROR_REASON = 2;

function promptfooResult(judged: ResultTry, promptIdx: number, testIdx: number) {
  const { suite, reference, attempt } = judged;
  const { outcome, scores, parts, error, latency_ms: latencyMs } = attempt;
  const success = outcome === 'pass';
  const label = promptfooColumn(judged);
  const componentResults = scores.map(({ metric, status, reason }) => ({
    pass: status === 'pass',
    score: status === 'pass' ? 1 : 0,
    reason: reason ?? status,
    assertion: { type: 'javascript', metric },
  }));
  const reason = componentResults.find(({ pass }) => !pass)?.reason ?? error ?? outcome;
  return {
    promptIdx,
    testIdx,
    prompt: { raw: label, label },
    provider: { id: label },
    vars: reference.input,
    testCase: { description: `${suite.name} ${reference.id}`, vars: reference.input },
    response: { output: parts === null ? '' : textOf({ parts }) },
    ...(error === null ? {} : { error }),
    latencyMs,
    success,
    score: success ? 1 : 0,
    failureReason: success ? 0 : outcome === 'error' ? ERROR_REASON : 1,
    gradingResult: { pass: success, score: success ? 1 : 0, reason, componentResults },
    namedScores: {},
  };
}

export function jsonFile(value: object): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
