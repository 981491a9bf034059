import { valueAt } from '../../../documents/document.ts';
import type { BuiltInMetrics } from '../../../metrics/definition.ts';
import {
  type Json,
  type JsonMap,
  filledText,
  isMap,
  jsonText,
  ownEntry,
} from '../../../types/plain.ts';
import { type ImportLosses, type Share, isScalar, placed, uniqueNames } from '../shared/draft.ts';
import { type Node, isAmong, refuse, tryConvert, tryConvertAsync } from '../shared/node.ts';
import { convertText, uses } from '../shared/text-assertions.ts';

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

/** Keys of a case that contain no check. */
const DECORATION =
  'id name title label description note notes comment comments $schema version schema_version ' +
  'author owner created created_at updated date tags category difficulty priority severity ' +
  'source metadata rationale reason why purpose prompt_file';

const CHECK_KEYS = {
  holds:
    'assertions assertion expectations expectation checks check criteria criterion ' +
    'success_criteria acceptance_criteria pass_criteria expected_behavior ' +
    'expected_behaviors expected_behaviour expected_behaviours rubric rubrics requirements ' +
    'must should',
  fails:
    'forbidden forbidden_behavior forbidden_behaviors must_not should_not anti_patterns ' +
    'unexpected_behavior unexpected_behaviors failure_criteria',
};

const TYPES: Readonly<Record<string, string>> = {
  contains: 'contain contains include includes substring string_match',
  'contains-all': 'contain_all contains_all include_all includes_all all_of',
  'contains-any': 'contain_any contains_any include_any includes_any any_of',
  'not-contains': 'contains_none none_of exclude excludes absent omits lacks',
  'icontains-all': 'icontains contains_ignore_case',
  regex:
    'regex regexp pattern match matches regex_match match_regex matches_regex matches_pattern contains_regex',
  equals: 'equal equals eq exact exact_match',
  'starts-with': 'starts_with start_with startswith begins_with prefix',
  'ends-with': 'ends_with end_with endswith suffix',
  'is-json': 'json valid_json json_valid json_schema',
  statement:
    'semantic llm judge llm_judge llm_as_judge llm_rubric rubric model_graded llm_graded ' +
    'qualitative behavior behaviour criterion statement',
};
const FILLERS = 'must should does do is be output response answer text';
const NEGATING = 'not no never doesnt without';

/** Keys of the value that a check compares with. A check has at most one key of each kind. */
const OPERANDS = 'value values expected pattern regex substring string keywords schema';
const SUBJECTS = 'dimension criterion criteria';
const SENTENCES = 'pass_if check text statement assertion expectation behavior requirement';
const READABLE_KEYS =
  `${OPERANDS} ${SUBJECTS} ${SENTENCES} ${DECORATION} type kind weight ` +
  'required optional negate ignore_case case_sensitive';

type SkillCheck = { statement: Json } | { name: string; metric: JsonMap } | { why: string };

export function snakeCase(word: string): string {
  const parted = word.replace(/([a-z])([A-Z])/g, '$1_$2').replace(/[\s-]+/g, '_');
  return parted.toLowerCase();
}

function typeOf(written: string): { type: string; negate: boolean } | null {
  const words = snakeCase(written)
    .split('_')
    .filter((word) => !isAmong(FILLERS, word));
  const named = words.filter((word) => !isAmong(NEGATING, word));
  const type = Object.keys(TYPES).find((key) => isAmong(TYPES[key] ?? '', named.join('_')));
  const turns = words.length - named.length + (type?.startsWith('not-') ? 1 : 0);
  return type === undefined ? null : { type: type.replace('not-', ''), negate: turns % 2 === 1 };
}

/** Null if the key holds no checks. */
function checksUnder(key: string, value: Json, builtIns: BuiltInMetrics): SkillCheck[] | null {
  const isForbidden = isAmong(CHECK_KEYS.fails, snakeCase(key));
  const convert = (check: JsonMap): SkillCheck =>
    tryConvert<SkillCheck, SkillCheck>(
      () => convertCheck(check, isForbidden, builtIns),
      (why) => ({ why }),
    );
  if (!isForbidden && !isAmong(CHECK_KEYS.holds, snakeCase(key)))
    return typeOf(key) === null ? null : [convert({ type: key, value })];
  return [value ?? []].flat().map((entry) => convert(isMap(entry) ? entry : { text: entry }));
}

function criterionText(text: string, negate: boolean): string {
  return negate ? `The answer does not do, say or contain this: ${text}` : text;
}

function onlyValue(check: JsonMap, keys: string): Json | undefined {
  const values = keys.split(' ').map((key) => check[key] ?? null);
  const [value, ...more] = values.filter((each) => each !== null);
  return more.length === 0 ? value : refuse('it has more than one text or value');
}

function convertCheck(
  written: JsonMap,
  isForbidden: boolean,
  builtIns: BuiltInMetrics,
): SkillCheck {
  const members = Object.entries(written).map(([key, value]) => [snakeCase(key), value] as const);
  const check: JsonMap = Object.fromEntries(members);
  const said = check['type'] ?? check['kind'];
  const unread = Object.keys(check).find((key) => !isAmong(READABLE_KEYS, key));
  if (unread !== undefined) {
    const { [unread]: value = null, ...others } = check;
    return said === undefined && typeOf(unread) !== null
      ? convertCheck({ ...others, type: unread, value }, isForbidden, builtIns)
      : refuse(`its ${unread.slice(0, 60)} is not supported`);
  }
  const { type, negate } = knownType(jsonText(said ?? 'statement'));
  const turns = [isForbidden, negate, check['negate']].filter(Boolean).length;
  if (turns > 1) refuse('it has a double negation');
  const converted = readCheck(check, type, turns === 1, builtIns);
  if (check['required'] !== false && check['optional'] !== true) return converted;
  // An optional check cannot fail a test.
  return 'metric' in converted
    ? { ...converted, metric: { ...converted.metric, skip: true } }
    : { statement: { ...converted, required: false } };
}

const knownType = (written: string) =>
  typeOf(written) ?? refuse(`its type "${written.slice(0, 60)}" is not supported`);

function readCheck(check: JsonMap, type: string, negate: boolean, builtIns: BuiltInMetrics) {
  if ((check['weight'] ?? 1) !== 1) refuse('it has a weight, but all checks count equally');
  const said = check['type'] ?? check['kind'];
  const value = onlyValue(check, OPERANDS);
  const isSentence = snakeCase(jsonText(said ?? '')).endsWith('string_match');
  if (type === 'statement' || (isSentence && value === undefined))
    return { statement: criterionText(statementText(check, value, said !== undefined), negate) };
  const compared = value ?? onlyValue(check, 'text check statement');
  const metric = comparison(type, check, compared, negate, builtIns);
  return { name: jsonText(check['name'] ?? said ?? ''), metric };
}

function statementText(check: JsonMap, value: Json | undefined, isTyped: boolean): string {
  const text = onlyValue(check, SENTENCES) ?? check['description'] ?? (isTyped ? value : undefined);
  if (value !== undefined && text !== value) refuse('it has a value but no type to compare it by');
  const words = [onlyValue(check, SUBJECTS), text].filter((each) => each !== undefined);
  const isText = words.every((each) => typeof each === 'string' && each.trim() !== '');
  return isText && words.length > 0 ? words.join(': ') : refuse('it has no text');
}

function comparison(
  type: string,
  check: JsonMap,
  value: Json | undefined,
  negate: boolean,
  builtIns: BuiltInMetrics,
): JsonMap {
  if (value === undefined && type !== 'is-json') refuse('it has no value');
  const found =
    type === 'ends-with'
      ? uses('ends_with', { value: jsonText(value ?? ''), ...(negate ? { negate } : {}) })
      : convertText(...assertionFor(type, value, negate), builtIns);
  if (!('uses' in found)) refuse('the metric regex does not support its pattern');
  const { trim: _, ...values } = (ownEntry(found, 'with') ?? {}) as JsonMap;
  const isEither = check['ignore_case'] === true || check['case_sensitive'] === false;
  return { ...found, with: { ...values, ...(isEither ? { ignore_case: true } : {}) } };
}

function assertionFor(type: string, value: Json | undefined, negate: boolean) {
  const name = type === 'contains' ? `contains-${negate ? 'any' : 'all'}` : type;
  const operand = value === true ? undefined : value;
  const list = name.includes('contains') ? [value ?? []].flat() : operand;
  return [name, { value: list, negate }] as const;
}
