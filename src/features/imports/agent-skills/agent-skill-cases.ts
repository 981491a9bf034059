import { valueAt } from '../../../documents/document.ts';
import type { BuiltInMetrics } from '../../../metrics/definition.ts';
import {
  filledText,
  isMap,
  type Json,
  type JsonMap,
  jsonText,
  ownEntry,
} from '../../../types/plain.ts';
import { isScalar, uniqueNames, type Share } from '../shared/draft.ts';
import { type Node, isAmong } from '../shared/node.ts';
import {
  checksUnder,
  DECORATION,
  IGNORED_KEYS,
  snakeCase,
  type SkillCheck,
} from './agent-skill-checks.ts';

const CASE_KEYS = 'prompt query expected_output files skills';

export const NOT_CHOSEN =
  'the text of the skill is always sent; whether an agent would choose it is not tested';

const UNSUPPORTED_KEYS: Readonly<Record<string, string>> = {
  should_trigger: NOT_CHOSEN,
  expected_route: NOT_CHOSEN,
  expected_skill: NOT_CHOSEN,
  grader: 'checks in code or by another grader do not run; the grader comes from the settings',
};

interface CaseContext {
  attached: { text: string } | { why: string };
  skill: string | null;
  builtIns: BuiltInMetrics;
  /** Counts the converted checks. */
  counts: Share;
}

/** Null if the case is lost. */
export function readCase(
  node: Node,
  { attached, skill, builtIns, counts }: CaseContext,
): JsonMap | null {
  const written = node.map;
  const { checks, unread } = checksIn(written, builtIns);
  const prompt = caseQuestion(written);
  const id = caseId(written);
  const [why] = [
    ...(prompt === null ? ['it has no prompt'] : whyNotAsked(written, skill, builtIns)),
    ...('why' in attached ? [attached.why] : []),
  ];
  if (why !== undefined || 'why' in attached) {
    node.lose(caseName(prompt, id), String(why));
    counts.of += checks.length || expects(written);
    return null;
  }
  const lost = reportUnknownCaseKeys(unread, () => node);
  const metrics = caseMetrics(written, checks, node);
  const listed = checks.length + lost;
  const converted = checks.filter((check) => !('why' in check)).length;
  counts.of += listed || metrics.length;
  counts.carried += listed > 0 ? converted : metrics.length;
  return {
    ...(id === null ? {} : { id }),
    input: { prompt, ...(attached.text === '' ? {} : { files: attached.text }) },
    ...expectedOf(written),
    ...(metrics.length === 0 ? {} : { metrics }),
  };
}

const caseName = (prompt: string | null, id: string | null): string =>
  prompt === null ? 'an eval' : `the eval ${id ?? ''}`.trim();

function checksIn(written: JsonMap, builtIns: BuiltInMetrics) {
  const unread: string[] = [];
  const checks = Object.entries(written).flatMap(([key, value]): SkillCheck[] => {
    // If the expected output is not text, it is a list of checks.
    const isChecks = key === 'expected_output' && value !== null && !isScalar(value);
    if (isAmong(CASE_KEYS, key) && !isChecks) return [];
    const found = checksUnder(isChecks ? 'expectations' : key, value, builtIns);
    if (found === null) unread.push(key);
    return found ?? [];
  });
  return { checks, unread };
}

export function reportUnknownCaseKeys(
  keys: readonly string[],
  nodeOf: (key: string) => Node,
): number {
  const lost = keys.filter((key) => !isAmong(DECORATION, snakeCase(key)));
  for (const key of keys)
    if (!lost.includes(key) && !isAmong(IGNORED_KEYS, snakeCase(key)))
      nodeOf(key).remark(`${key} is not needed`);
  const unknown = 'it may decide what passes, but evaldiff does not support it';
  for (const key of lost)
    nodeOf(key).lose(key, ownEntry(UNSUPPORTED_KEYS, snakeCase(key)) ?? unknown);
  return lost.length;
}

function whyNotAsked(written: JsonMap, skill: string | null, builtIns: BuiltInMetrics): string[] {
  const skills = [written['skills'] ?? []].flat();
  if (skills.length > 1 || skills.some((each) => each !== skill))
    return [
      `it needs the skills ${skills.map(jsonText).join(', ').slice(0, 200)}, but all cases ` +
        'of a file run with one skill',
    ];
  return isTriggerQuery(written, builtIns) ? [NOT_CHOSEN] : [];
}

export function isTriggerQuery(written: Json, builtIns: BuiltInMetrics): boolean {
  if (!isMap(written)) return false;
  const triggers = written['should_trigger'] ?? written['shouldTrigger'];
  const isJudged = expects(written) + checksIn(written, builtIns).checks.length > 0;
  return triggers === false || (triggers !== undefined && !isJudged);
}

export function caseQuestion(written: Json): string | null {
  return filledText(valueAt(written, ['prompt']) ?? valueAt(written, ['query']));
}

export function caseId({ id, name }: JsonMap): string | null {
  return filledText(name) ?? (isScalar(id) ? String(id) : null);
}

function expectedOf({ expected_output: expected }: JsonMap): JsonMap {
  return isScalar(expected) ? { expected: String(expected) } : {};
}

function expects(written: JsonMap): number {
  return String(expectedOf(written)['expected'] ?? '').trim() === '' ? 0 : 1;
}

function caseMetrics(map: JsonMap, checks: readonly SkillCheck[], node: Node): JsonMap[] {
  const unique = uniqueNames();
  const statements = checks.flatMap((check) => ('statement' in check ? [check.statement] : []));
  for (const check of checks) {
    if ('why' in check) node.lose('a check', check.why);
    if ('remark' in check) node.remark(check.remark);
  }
  const listed: JsonMap[] =
    statements.length === 0
      ? []
      : [{ name: unique('checks'), uses: 'criteria', with: { statements } }];
  const own = checks.flatMap((check): JsonMap[] =>
    'metric' in check ? [{ name: unique(check.name), ...check.metric }] : [],
  );
  const metrics = [...listed, ...own];
  const { expected } = expectedOf(map);
  return metrics.length > 0 || expects(map) === 0
    ? metrics
    : [{ name: 'as_expected', uses: 'llm_rubric', with: { criteria: expected ?? '' } }];
}
