import { valueAt } from '../../../documents/document.ts';
import { canonicalJson } from '../../../kernel/suite/canonical-json.ts';
import { filledText, isMap, type Json, type JsonMap } from '../../../types/plain.ts';
import { isScalar } from '../shared/draft.ts';
import { providerMap } from '../shared/models.ts';

export interface ForeignAnswer {
  /** Index of the test among all tests that ran. */
  test: number;
  description: string | null;
  vars: JsonMap;
  /** The prompt that was sent: text, or messages as JSON. */
  prompt: string;
  output: Json;
  latencyMs: number;
  isTransformed: boolean;
  verdicts: ForeignVerdict[];
}

interface ForeignVerdict {
  assertion: JsonMap;
  pass: boolean;
  reason: string;
}

/** Parses a file made by `promptfoo eval -o results.json`. */
export function readForeignResults(
  value: Json,
): { answers: ForeignAnswer[]; unanswered: number } | { why: string } {
  const nested = valueAt(value, ['results', 'results']);
  const list = Array.isArray(nested) ? nested : valueAt(value, ['results']);
  if (!Array.isArray(list))
    return {
      why:
        'is not a promptfoo results file: it has no list of results (create one with promptfoo ' +
        'eval -o results.json)',
    };
  const providers = valueAt(value, ['config', 'providers']);
  const changing = (Array.isArray(providers) ? providers : [])
    .map(providerMap)
    .flatMap(({ id, label, transform }) => ((transform ?? null) === null ? [] : [label ?? id]));
  const answers = list.flatMap((result) => readForeignAnswer(result, changing) ?? []);
  return { answers, unanswered: list.length - answers.length };
}

function readForeignAnswer(
  value: Json,
  changing: readonly (Json | undefined)[],
): ForeignAnswer | null {
  const at = (...path: string[]): Json => valueAt(value, path) ?? null;
  const output = at('response', 'output');
  const test = at('testIdx');
  const vars = at('vars') ?? at('testCase', 'vars');
  if (output === null || typeof test !== 'number') return null;
  const latency = at('latencyMs');
  return {
    test,
    description: filledText(at('testCase', 'description')),
    vars: isMap(vars) ? vars : {},
    prompt: filledText(at('prompt', 'raw')) ?? '',
    output,
    latencyMs: typeof latency === 'number' ? latency : 0,
    isTransformed:
      ['transform', 'postprocess'].some((key) => at('testCase', 'options', key) !== null) ||
      ['label', 'id'].some((key) => changing.includes(at('provider', key))),
    verdicts: verdictsIn(at('gradingResult', 'componentResults')),
  };
}

/** An `assert-set` contains its members' verdicts. The file lists most of them again separately. */
function verdictsIn(components: Json | undefined): ForeignVerdict[] {
  const list = (Array.isArray(components) ? components : []).filter(isMap);
  const own = list.flatMap(({ assertion, pass, reason }) =>
    isMap(assertion ?? null) && typeof pass === 'boolean'
      ? [{ assertion: assertion as JsonMap, pass, reason: filledText(reason) ?? '' }]
      : [],
  );
  const verdicts = own.filter(({ assertion }) => assertion['type'] !== 'assert-set');
  const keys = new Set(verdicts.map(({ assertion }) => assertionKey(assertion)));
  const inside = list.flatMap(({ componentResults }) => verdictsIn(componentResults));
  return [...verdicts, ...inside.filter(({ assertion }) => !keys.has(assertionKey(assertion)))];
}

/**
 * An assertion has the same key in the configuration and in the results, so that its verdict can be
 * found.
 */
export function assertionKey({ type, value, threshold, metric, transform }: JsonMap): string {
  return canonicalJson([
    type ?? null,
    // The results contain values of table cells as text.
    isScalar(value) ? String(value) : (value ?? null),
    threshold ?? null,
    metric === '' ? null : (metric ?? null),
    transform ?? null,
  ]);
}

/**
 * Uses the test at the answer's index if its variables match, or else the only test with matching
 * variables.
 */
export function referenceAt(
  { test, vars }: Pick<ForeignAnswer, 'test' | 'vars'>,
  rows: readonly { given: JsonMap; vars: JsonMap }[],
): number | null {
  const agrees = (row: { given: JsonMap; vars: JsonMap } | undefined): boolean =>
    row !== undefined &&
    Object.entries(vars).every(([name, value]) =>
      [row.given, row.vars].some(
        (own) => !Object.hasOwn(own, name) || isSameVariable(own[name] ?? null, value),
      ),
    );
  if (agrees(rows[test])) return test;
  const found = [...rows.keys()].filter((at) => agrees(rows[at]));
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** File paths in results are relative to the configuration, not to the project. */
function isSameVariable(own: Json, theirs: Json): boolean {
  if (typeof own !== 'string' || typeof theirs !== 'string')
    return JSON.stringify(own) === JSON.stringify(theirs);
  if (own.startsWith('file://') && theirs.startsWith('file://'))
    return `/${own.slice(7)}`.endsWith(`/${theirs.slice(7).replace(/^\.\//, '')}`);
  // promptfoo writes the date 2026-01-31 as 2026-01-31T00:00:00.000Z.
  return [own.trim(), `${own.trim()}T00:00:00.000Z`].includes(theirs.trim());
}
