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
import { isScalar, placed, uniqueNames, type ImportLosses, type Share } from '../shared/draft.ts';
import { type Node, isAmong, refuse, tryConvertAsync } from '../shared/node.ts';
import { checksUnder, DECORATION, snakeCase, type SkillCheck } from './agent-skill-checks.ts';

const CASE_KEYS = 'prompt query expected_output files skills';

export const NOT_CHOSEN =
  'the text of the skill is always sent; whether an agent would choose it is not tested';

const UNSUPPORTED_KEYS: Readonly<Record<string, string>> = {
  should_trigger: NOT_CHOSEN,
  expected_route: NOT_CHOSEN,
  expected_skill: NOT_CHOSEN,
  grader: 'checks in code or by another grader do not run; the grader comes from the settings',
};

export interface CaseReader {
  skill: string | null;
  builtIns: BuiltInMetrics;
  /** What the case asks, with its files. Refuses a case whose files cannot be given. */
  asked(node: Node, question: string): JsonMap | Promise<JsonMap>;
  /** A query that tests only whether the skill is chosen. If absent, such a query is lost. */
  trigger?(node: Node, query: string): JsonMap;
}

/** The cases that are not lost. */
export async function readCases(
  list: Node,
  reader: CaseReader,
  imported: ImportLosses,
): Promise<JsonMap[]> {
  const counts = { unit: 'check', of: 0, carried: 0 };
  const cases: JsonMap[] = [];
  // One after the other, so that losses are reported in the order of the file.
  for (const node of list.each()) cases.push(...(await readCase(node, reader, counts)));
  imported.carried = [{ unit: 'case', of: list.each().length, carried: cases.length }, counts];
  return cases;
}

async function readCase(node: Node, reader: CaseReader, counts: Share): Promise<JsonMap[]> {
  const { builtIns, trigger } = reader;
  const { map: written } = node;
  const question = caseQuestion(written);
  const id = caseId(written);
  const named = id === null ? {} : { id };
  if (question !== null && trigger !== undefined && isTriggerQuery(written, builtIns))
    return [placed(node.place, { ...named, ...trigger(node, question) })];
  const { checks, unread } = checksIn(written, builtIns);
  const given = await tryConvertAsync(
    async () => reader.asked(node, askableQuestion(written, question, reader)),
    (why) => {
      node.lose(caseName(question, id), why);
      counts.of += checks.length || expects(written);
      return null;
    },
  );
  if (given === null) return [];
  const isKnown = (key: string) => trigger !== undefined && snakeCase(key) === 'should_trigger';
  const lost = reportUnknownCaseKeys(
    unread.filter((key) => !isKnown(key)),
    () => node,
  );
  const metrics = caseMetrics(written, checks, node);
  const listed = checks.length + lost;
  const converted = checks.filter((check) => !('why' in check)).length;
  counts.of += listed || metrics.length;
  counts.carried += listed > 0 ? converted : metrics.length;
  const own = metrics.length === 0 ? {} : { metrics };
  return [placed(node.place, { ...named, ...given, ...expectedOf(written), ...own })];
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
  const unknown = 'it may decide what passes, but evaldiff does not support it';
  for (const key of lost)
    nodeOf(key).lose(key, ownEntry(UNSUPPORTED_KEYS, snakeCase(key)) ?? unknown);
  return lost.length;
}

function askableQuestion(
  written: JsonMap,
  question: string | null,
  { skill, builtIns, trigger }: CaseReader,
): string {
  if (question === null) return refuse('it has no prompt');
  const skills = [written['skills'] ?? []].flat();
  if (skills.length > 1 || skills.some((each) => each !== skill))
    refuse(
      `it needs the skills ${skills.map(jsonText).join(', ').slice(0, 200)}, but all cases ` +
        'of a file run with one skill',
    );
  if (trigger === undefined && isTriggerQuery(written, builtIns)) refuse(NOT_CHOSEN);
  return question;
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

function caseId({ id, name }: JsonMap): string | null {
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
  for (const check of checks) if ('why' in check) node.lose('a check', check.why);
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
