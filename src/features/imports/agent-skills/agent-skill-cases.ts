import { valueAt } from '../../../documents/document.ts';
import type { BuiltInMetrics } from '../../../metrics/definition.ts';
import {
  filledText,
  isMap,
  type Json,
  type JsonMap,
  jsonText,
  type Place,
  ownEntry,
} from '../../../types/plain.ts';
import { isAmong, isScalar, uniqueNames, type Imported, lose, addRemark } from '../shared/draft.ts';
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
  place: Place;
  skill: string | null;
  builtIns: BuiltInMetrics;
  imported: Imported;
}

export function readCase(
  written: JsonMap,
  { attached, place, skill, builtIns, imported }: CaseContext,
): { reference: JsonMap | null; of: number; carried: number } {
  const { checks, unread } = checksIn(written, builtIns);
  const prompt = caseQuestion(written);
  const id = caseId(written);
  const [why] = [
    ...(prompt === null ? ['it has no prompt'] : whyNotAsked(written, skill, builtIns)),
    ...('why' in attached ? [attached.why] : []),
  ];
  if (why !== undefined || 'why' in attached) {
    const what = `the eval ${id ?? ''}`.trim();
    lose(imported.left, place, prompt === null ? 'an eval' : what, String(why));
    return { reference: null, of: checks.length || expects(written), carried: 0 };
  }
  const lost = reportUnknownCaseKeys(unread, () => place, imported);
  const metrics = caseMetrics(written, checks, place, imported);
  const reference = {
    ...(id === null ? {} : { id }),
    input: { prompt, ...(attached.text === '' ? {} : { files: attached.text }) },
    ...expectedOf(written),
    ...(metrics.length === 0 ? {} : { metrics }),
  };
  if (checks.length + lost === 0) return { reference, of: metrics.length, carried: metrics.length };
  const carried = checks.filter((check) => !('why' in check)).length;
  return { reference, of: checks.length + lost, carried };
}

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
  placeOf: (key: string) => Place,
  { left, remarks }: Imported,
): number {
  const lost = keys.filter((key) => !isAmong(DECORATION, snakeCase(key)));
  for (const key of keys.filter(
    (each) => !lost.includes(each) && !isAmong(IGNORED_KEYS, snakeCase(each)),
  ))
    addRemark(remarks, placeOf(key), `${key} is not needed`);
  const unknown = 'it may decide what passes, but evaldiff does not support it';
  for (const key of lost)
    lose(left, placeOf(key), key, ownEntry(UNSUPPORTED_KEYS, snakeCase(key)) ?? unknown);
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

function caseMetrics(
  map: JsonMap,
  checks: readonly SkillCheck[],
  place: Place,
  { left, remarks }: Imported,
): JsonMap[] {
  const unique = uniqueNames();
  const statements = checks.flatMap((check) => ('statement' in check ? [check.statement] : []));
  for (const check of checks) {
    if ('why' in check) lose(left, place, 'a check', check.why);
    if ('remark' in check) addRemark(remarks, place, check.remark);
  }
  const listed =
    statements.length === 0
      ? []
      : [{ name: unique('checks'), uses: 'criteria', with: { statements } }];
  const own = checks.flatMap((check) =>
    'metric' in check ? [{ name: unique(check.name), ...check.metric }] : [],
  );
  const metrics: JsonMap[] = [...listed, ...own];
  return metrics.length > 0 || expects(map) === 0
    ? metrics
    : [
        {
          name: 'as_expected',
          uses: 'llm_rubric',
          with: { criteria: String(map['expected_output']) },
        },
      ];
}
