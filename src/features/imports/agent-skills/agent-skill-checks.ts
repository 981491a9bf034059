import type { BuiltInMetrics } from '../../../metrics/definition.ts';
import { isMap, type Json, type JsonMap, jsonText, ownEntry } from '../../../types/plain.ts';
import { tryConvert, refuse, isAmong } from '../shared/node.ts';
import { convertText, uses } from '../shared/text-assertions.ts';

/** Keys of a case that contain no check. */
export const IGNORED_KEYS =
  'id name title label description note notes comment comments $schema version schema_version';
export const DECORATION =
  `${IGNORED_KEYS} author owner created created_at updated date tags category difficulty ` +
  'priority severity source metadata rationale reason why purpose prompt_file';

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

const UNTYPED = { type: 'plain statement', negate: false };

/** Keys of the value that a check compares with. A check may have only one of them. */
const OPERANDS = 'value values expected pattern regex substring string keywords schema';
const SUBJECTS = 'dimension criterion criteria';
const SENTENCES =
  'pass_if check text statement assertion expectation behavior requirement description';
const READABLE_KEYS =
  `${OPERANDS} ${SUBJECTS} ${SENTENCES} ${DECORATION} type kind fail_if weight required ` +
  'optional negate ignore_case case_sensitive';

export type SkillCheck =
  { statement: Json; remark?: string } | { name: string; metric: JsonMap } | { why: string };

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
export function checksUnder(
  key: string,
  value: Json,
  builtIns: BuiltInMetrics,
): SkillCheck[] | null {
  const isForbidden = isAmong(CHECK_KEYS.fails, snakeCase(key));
  const convert = (check: JsonMap): SkillCheck[] =>
    tryConvert<SkillCheck[], SkillCheck[]>(
      () => convertCheck(check, isForbidden, builtIns),
      (why) => [{ why }],
    );
  if (!isForbidden && !isAmong(CHECK_KEYS.holds, snakeCase(key)))
    return typeOf(key) === null ? null : convert({ type: key, value });
  return [value ?? []].flat().flatMap((entry): SkillCheck[] => {
    if (isMap(entry)) return convert(entry);
    return typeof entry === 'string' && entry.trim() !== ''
      ? [{ statement: criterionText(entry, isForbidden) }]
      : [{ why: 'it has no text' }];
  });
}

function criterionText(text: string, negate: boolean): string {
  return negate ? `The answer does not do, say or contain this: ${text}` : text;
}

function firstValue(check: JsonMap, keys: string): Json | undefined {
  return keys
    .split(' ')
    .map((key) => check[key] ?? undefined)
    .find((value) => value !== undefined);
}

function convertCheck(
  written: JsonMap,
  isForbidden: boolean,
  builtIns: BuiltInMetrics,
): SkillCheck[] {
  const members = Object.entries(written).map(([key, value]) => [snakeCase(key), value] as const);
  const check: JsonMap = Object.fromEntries(members);
  const [unread] = Object.keys(check).filter((key) => !isAmong(READABLE_KEYS, key));
  const said = firstValue(check, 'type kind');
  if (unread !== undefined) {
    const { [unread]: value = null, ...others } = check;
    return said === undefined && typeOf(unread) !== null
      ? convertCheck({ ...others, type: unread, value }, isForbidden, builtIns)
      : refuse(`its ${unread.slice(0, 60)} is not supported`);
  }
  const { type, negate } =
    said === undefined
      ? UNTYPED
      : (typeOf(jsonText(said)) ??
        refuse(`its type "${checkType(check).slice(0, 60)}" is not supported`));
  const turns = [isForbidden, negate, check['negate']].filter(Boolean).length;
  if (turns > 1) refuse('it has a double negation');
  refuseUnclear(check, type);
  const found = readCheck(check, type, turns === 1, builtIns);
  return found.map((each) => withOptional(each, check));
}

function refuseUnclear(check: JsonMap, type: string): void {
  if ((check['weight'] ?? 1) !== 1) refuse('it has a weight, but all checks count equally');
  const given = (keys: string): Json[] => {
    const values = keys.split(' ').map((key) => check[key] ?? null);
    return values.filter((value) => value !== null);
  };
  const isSeveral = [OPERANDS, SUBJECTS, SENTENCES.replace(' description', '')].some(
    (keys) => given(keys).length > 1,
  );
  const texts = given(`${SUBJECTS} ${SENTENCES} fail_if`);
  const isOdd = texts.some((text) => typeof text !== 'string');
  const isBoth = !/statement$/.test(type) && ('pass_if' in check || 'fail_if' in check);
  if (isSeveral || isOdd || isBoth) refuse('it has more than one text or value');
}

function checkType(check: JsonMap, name = 'type'): string {
  return jsonText(firstValue(check, `${name} type kind`) ?? '');
}

function readCheck(
  check: JsonMap,
  type: string,
  negate: boolean,
  builtIns: BuiltInMetrics,
): SkillCheck[] {
  if (type === UNTYPED.type || type === 'statement')
    return statementsOf(check, negate, type === 'statement');
  const isSentence = snakeCase(checkType(check)).endsWith('string_match');
  if (!isSentence || firstValue(check, OPERANDS) !== undefined)
    return [comparison(type, check, negate, builtIns)];
  const remark = 'a string_match without a value is judged as a sentence';
  return statementsOf(check, negate, true).map((found) => ({ ...found, remark }));
}

/** An optional check cannot fail a test. */
function withOptional(found: SkillCheck, { required, optional: isOptional }: JsonMap): SkillCheck {
  if ('why' in found || (required !== false && isOptional !== true)) return found;
  return 'metric' in found
    ? { ...found, metric: { ...found.metric, skip: true } }
    : { ...found, statement: { statement: found.statement, required: false } };
}

function statementsOf(check: JsonMap, negate: boolean, isTyped: boolean): SkillCheck[] {
  const operand = firstValue(check, OPERANDS);
  const body = firstValue(check, SENTENCES) ?? (isTyped ? operand : undefined);
  const words = [firstValue(check, SUBJECTS), body].filter(
    (text) => typeof text === 'string' && text.trim() !== '',
  );
  const fails = check['fail_if'];
  if (words.length === 0) refuse('it has no text');
  if (operand !== undefined && body !== operand)
    refuse('it has a value but no type to compare it by');
  return [
    { statement: criterionText(words.join(': '), negate) },
    ...(typeof fails === 'string' ? [{ statement: criterionText(fails, !negate) }] : []),
  ];
}

function comparison(
  type: string,
  check: JsonMap,
  negate: boolean,
  builtIns: BuiltInMetrics,
): SkillCheck {
  const value = firstValue(check, `${OPERANDS} text check statement`);
  if (value === undefined && type !== 'is-json') refuse('it has no value');
  const found =
    type === 'ends-with'
      ? uses('ends_with', { value: jsonText(value ?? ''), ...(negate ? { negate } : {}) })
      : convertText(...assertionFor(type, value, negate), builtIns);
  if (!('uses' in found)) refuse('the metric regex does not support its pattern');
  const { trim: _, ...values } = (ownEntry(found, 'with') ?? {}) as JsonMap;
  const isEither = check['ignore_case'] === true || check['case_sensitive'] === false;
  if (isEither) values['ignore_case'] = true;
  return { name: checkType(check, 'name'), metric: { ...found, with: values } };
}

function assertionFor(type: string, value: Json | undefined, negate: boolean) {
  const name = type === 'contains' ? `contains-${negate ? 'any' : 'all'}` : type;
  const operand = value === true ? undefined : value;
  const list = name.includes('contains') ? [value ?? []].flat() : operand;
  return [name, { value: list, negate }] as const;
}
