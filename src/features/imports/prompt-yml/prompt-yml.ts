import type { FormatTools } from '../../../config/formats.ts';
import { pathsOf, readTemplate, toOurs, variableOf } from '../../../config/templates.ts';
import { type Document, type Path, valueAt } from '../../../documents/document.ts';
import { problem } from '../../../errors.ts';
import { isMap, type Json, type JsonMap, jsonText, type Problem } from '../../../types/plain.ts';
import {
  isAmong,
  createDraft,
  isScalar,
  lastSteps,
  nothingImported,
  type DraftFile,
  type Imported,
  type Loss,
  uniqueNames,
  judgeTheRest,
  lose,
} from '../shared/draft.ts';
import { publishedModel, readForeignParameters } from '../shared/models.ts';
import { fillVariables, mapTexts } from '../shared/templates.ts';
import { convertEvaluator, withJudge, evaluatorName } from './prompt-yml-evaluators.ts';

const PROMPT_FILE_KEYS =
  'name description model modelParameters messages testData evaluators responseFormat ' +
  'jsonSchema';

/** Converts a `.prompt.yml`: messages, test data (references) and evaluators (metrics). */
export function importPromptYml(
  document: Document,
  { hasGrader }: FormatTools,
  problems: Problem[],
): Imported {
  const imported = nothingImported();
  const { value } = document;
  if (!isMap(value) || !Array.isArray(value['messages'])) {
    problems.push(
      problem({ file: document.file, line: 0 }, 'is not a .prompt.yml: it has no list of messages'),
    );
    return imported;
  }
  for (const key of Object.keys(value).filter((each) => !isAmong(PROMPT_FILE_KEYS, each)))
    lose(imported.left, document.placeOf([key]), key, 'it is not part of the format');
  const prompt = promptYmlDraft(document, value, imported.left);
  const tests = promptYmlTestsDraft(document, value, variablesOf(prompt), imported);
  if (prompt === null) {
    imported.carried = imported.carried.map((share) => ({ ...share, carried: 0 }));
    return imported;
  }
  if (tests !== null)
    judgeTheRest(
      tests,
      document.placeOf(['testData']),
      hasGrader || imported.grader !== null,
      imported.remarks,
    );
  imported.prompts.push({ prompt, tests });
  return imported;
}

function promptYmlDraft(document: Document, value: JsonMap, left: Loss[]): DraftFile | null {
  const draft = createDraft({ file: document.file, line: 0 });
  const messages: JsonMap[] = [];
  const written: string[] = [];
  const variables = new Set<string>();
  for (const [index, message] of (value['messages'] as Json[]).entries()) {
    const [role, content] = [valueAt(message, ['role']), valueAt(message, ['content'])];
    const place = document.placeOf(['messages', index]);
    const template = typeof content === 'string' ? readTemplate(content) : null;
    if (template === null || !template.ok) {
      lose(
        left,
        place,
        'the prompt',
        template === null
          ? 'a message holds more than text'
          : `${template.construct} is more than a variable`,
      );
      return null;
    }
    for (const path of pathsOf(template)) variables.add(variableOf(path));
    draft.from(['messages', index], place);
    messages.push({ role: role ?? '', content: toOurs(template) });
    written.push(template.text);
  }
  const name = value['name'];
  const stem = lastSteps(document.file).name.replace(/(?:[._]prompt)?\.ya?ml$/, '');
  Object.assign(draft.value, {
    name: typeof name === 'string' && name !== '' ? name : stem,
    model: publishedModel(value['model']),
    ...convertParameters(document, value, left),
    ...(variables.size === 0
      ? {}
      : { variables: [...variables].map((variable) => ({ name: variable })) }),
    messages,
  });
  for (const key of ['name', 'model', 'messages']) draft.from([key], document.placeOf([key]));
  return { ...draft, written };
}

function variablesOf(prompt: DraftFile | null): string[] | null {
  const variables = prompt?.value['variables'] ?? [];
  return prompt && (variables as JsonMap[]).map(({ name }) => String(name));
}

function convertParameters(document: Document, value: JsonMap, left: Loss[]): JsonMap {
  const written = value['modelParameters'];
  const { parameters, left: refused } = readForeignParameters(isMap(written) ? written : {});
  for (const { key, why } of refused)
    lose(left, document.placeOf(['modelParameters', key]), `modelParameters.${key}`, why);
  const format = value['responseFormat'];
  if (format === 'json_object') return { ...parameters, response_format: { type: 'json_object' } };
  if (format !== 'json_schema') return parameters;
  const schema = schemaOf(value['jsonSchema']);
  if (schema !== null)
    return { ...parameters, response_format: { type: 'json_schema', json_schema: schema } };
  lose(left, document.placeOf(['jsonSchema']), 'jsonSchema', 'it is not the JSON text of a map');
  return parameters;
}

function schemaOf(written: Json | undefined): JsonMap | null {
  if (typeof written !== 'string') return isMap(written) ? written : null;
  try {
    const parsed: unknown = JSON.parse(written);
    return isMap(parsed as Json) ? (parsed as JsonMap) : null;
  } catch {
    return null;
  }
}

function promptYmlTestsDraft(
  document: Document,
  value: JsonMap,
  variables: readonly string[] | null,
  imported: Imported,
): DraftFile | null {
  const rows = value['testData'];
  const evaluators = Array.isArray(value['evaluators']) ? value['evaluators'] : [];
  const written =
    Array.isArray(rows) && rows.length > 0 ? rows : variables?.length === 0 ? [{}] : [];
  const { left } = imported;
  const draft = createDraft(document.placeOf(['testData']));
  const unique = uniqueNames();
  const named = evaluators.map((evaluator, index) => ({
    evaluator,
    path: ['evaluators', index] as Path,
    name: unique(evaluatorName(evaluator)),
  }));
  const kept = written.flatMap((row, index) => {
    const path = ['testData', index];
    const why = isMap(row) ? whyUnfilled(row, variables ?? []) : 'it is not a map';
    if (why === null && isMap(row)) return [{ row, path }];
    lose(left, document.placeOf(path), 'a row of testData', why ?? '');
    return [];
  });
  const references = kept.map(({ row }) => rowReference(row, variables ?? []));
  kept.forEach(({ path }, index) => {
    draft.from(['references', index], document.placeOf(path));
  });
  const shared: JsonMap[] = [];
  for (const { evaluator, path, name } of named) {
    const place = document.placeOf(path);
    const converted = isMap(evaluator)
      ? withJudge(convertEvaluator(evaluator), evaluator, place, imported)
      : { why: 'it is not a map' };
    if ('why' in converted) lose(left, place, `the evaluator ${name}`, converted.why);
    else if (JSON.stringify(converted.metric).includes('{{'))
      addRowMetrics(document, kept, references, { ...converted, name, path }, left, draft);
    else {
      draft.from(['metrics', shared.length], place);
      shared.push({ name, ...converted.metric });
    }
  }
  const isLost = (name: string) => left.some(({ what }) => what === `the evaluator ${name}`);
  const lost = named.filter(({ name }) => isLost(name));
  imported.carried = [
    { unit: 'test', of: written.length, carried: kept.length },
    { unit: 'evaluator', of: named.length, carried: named.length - lost.length },
  ];
  if (kept.length === 0) return null;
  if (shared.length > 0) draft.value['metrics'] = shared;
  draft.value['references'] = references;
  return draft;
}

/** The columns of a row, plus the members of an `input` map that the prompt uses. */
function rowCells(row: JsonMap, variables: readonly string[]): JsonMap {
  const inside = isMap(row['input'] ?? null) ? (row['input'] as JsonMap) : {};
  const shown = Object.entries(inside).filter(([name]) => variables.includes(name));
  return { ...Object.fromEntries(shown), ...row };
}

function whyUnfilled(row: JsonMap, variables: readonly string[]): string | null {
  const cells = rowCells(row, variables);
  const missing = variables.find((name) => !Object.hasOwn(cells, name));
  if (missing === undefined) return null;
  const text = Object.keys(row).find((key) =>
    jsonText(row[key] ?? null)
      .split('\n')
      .some((line) => line.trim().startsWith(`${missing}:`)),
  );
  return text === undefined
    ? `it has no value for {{${missing}}}`
    : `its ${text} is one text, in which {{${missing}}} is not found: drop the | behind ` +
        `${text}:, and it is a map`;
}

/** Column `expected` is the expected value; other columns and used members are variables. */
function rowReference(row: JsonMap, variables: readonly string[]): JsonMap {
  const { expected } = row;
  const input = Object.fromEntries(
    Object.entries(rowCells(row, variables))
      .filter(([key]) => key !== 'expected' || variables.includes(key))
      .map(([key, cell]) => [key, isScalar(cell) ? cell : JSON.stringify(cell)]),
  );
  return { input, ...(expected === undefined || expected === null ? {} : { expected }) };
}

function addRowMetrics(
  document: Document,
  rows: readonly { row: JsonMap; path: Path }[],
  references: readonly JsonMap[],
  { name, metric, path }: { name: string; metric: JsonMap; path: Path },
  left: Loss[],
  draft: DraftFile,
): void {
  rows.forEach(({ row, path: at }, index) => {
    const reference = references[index];
    const filled = fillInAll(metric, row);
    if (reference === undefined) return;
    if (!filled.ok) {
      lose(left, document.placeOf(at), `the evaluator ${name} for this row`, filled.why);
      return;
    }
    const own = Array.isArray(reference['metrics']) ? reference['metrics'] : [];
    draft.from(['references', index, 'metrics', own.length], document.placeOf(path));
    reference['metrics'] = [...own, { name, ...(filled.value as JsonMap) }];
  });
}

function fillInAll(
  value: Json,
  vars: JsonMap,
): { ok: true; value: Json } | { ok: false; why: string } {
  const errors: string[] = [];
  const filled = mapTexts(value, (text) => {
    const template = readTemplate(text);
    const read = template.ok
      ? fillVariables(template, vars)
      : { ok: false as const, why: `${template.construct} is more than a variable` };
    if (!read.ok) errors.push(read.why);
    return read.ok ? read.text : text;
  });
  const [why] = errors;
  return why === undefined ? { ok: true, value: filled } : { ok: false, why };
}
