import type { FormatTools } from '../../../config/formats.ts';
import { pathsOf, readTemplate, toOurs, variableOf } from '../../../config/templates.ts';
import type { Document } from '../../../documents/document.ts';
import { problem } from '../../../errors.ts';
import {
  filledText,
  isMap,
  jsonText,
  parseMap,
  type Json,
  type JsonMap,
  type Place,
  type Problem,
} from '../../../types/plain.ts';
import {
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
import { loseUnread, nodeOf, type Node } from '../shared/node.ts';
import { fillVariables, mapTexts } from '../shared/templates.ts';
import { convertEvaluator, withJudge, evaluatorName } from './prompt-yml-evaluators.ts';

const PROMPT_FILE_KEYS =
  'name description model modelParameters messages testData evaluators responseFormat ' +
  'jsonSchema';

export function importPromptYml(
  document: Document,
  { hasGrader }: FormatTools,
  problems: Problem[],
): Imported {
  const imported = nothingImported();
  const root = nodeOf(document);
  if (!Array.isArray(root.map['messages'])) {
    problems.push(problem(document.file, 'is not a .prompt.yml: it has no list of messages'));
    return imported;
  }
  const otherwise = 'it is not part of the format';
  loseUnread(imported.left, root, { read: PROMPT_FILE_KEYS, otherwise });
  const prompt = promptYmlDraft(root, document.file, imported.left);
  const tests = promptYmlTestsDraft(root, variablesOf(prompt), imported);
  if (prompt === null) {
    imported.carried = imported.carried.map((share) => ({ ...share, carried: 0 }));
    return imported;
  }
  if (tests !== null)
    judgeTheRest(
      tests,
      root.at('testData').place,
      hasGrader || imported.grader !== null,
      imported.remarks,
    );
  imported.prompts.push({ prompt, tests });
  return imported;
}

function promptYmlDraft(root: Node, file: string, left: Loss[]): DraftFile | null {
  const draft = createDraft({ file, line: 0 });
  const messages: JsonMap[] = [];
  const written: string[] = [];
  const variables = new Set<string>();
  for (const [index, { map, place }] of root.at('messages').items().entries()) {
    const { role = '', content } = map;
    const template = typeof content === 'string' ? readTemplate(content) : null;
    if (template === null || !template.ok) {
      lose(
        left,
        place,
        'the prompt',
        template === null
          ? 'a message contains more than text'
          : `${template.construct} is more than a variable`,
      );
      return null;
    }
    for (const path of pathsOf(template)) variables.add(variableOf(path));
    draft.from(['messages', index], place);
    messages.push({ role, content: toOurs(template) });
    written.push(template.text);
  }
  const stem = lastSteps(file).name.replace(/(?:[._]prompt)?\.ya?ml$/, '');
  Object.assign(draft.value, {
    name: filledText(root.map['name']) ?? stem,
    model: publishedModel(root.map['model']),
    ...convertParameters(root, left),
    ...(variables.size === 0
      ? {}
      : { variables: [...variables].map((variable) => ({ name: variable })) }),
    messages,
  });
  for (const key of ['name', 'model', 'messages']) draft.from([key], root.at(key).place);
  return { ...draft, written };
}

function variablesOf(prompt: DraftFile | null): string[] | null {
  const variables = prompt?.value['variables'] ?? [];
  return prompt && (variables as JsonMap[]).map(({ name }) => String(name));
}

function convertParameters({ map, at }: Node, left: Loss[]): JsonMap {
  const { parameters, left: refused } = readForeignParameters(at('modelParameters').map);
  for (const { key, why } of refused)
    lose(left, at('modelParameters', key).place, `modelParameters.${key}`, why);
  const format = map['responseFormat'];
  if (format === 'json_object') return { ...parameters, response_format: { type: 'json_object' } };
  if (format !== 'json_schema') return parameters;
  const written = map['jsonSchema'];
  const schema = typeof written === 'string' ? parseMap(written) : isMap(written) ? written : null;
  if (schema !== null)
    return { ...parameters, response_format: { type: 'json_schema', json_schema: schema } };
  lose(left, at('jsonSchema').place, 'jsonSchema', 'it is not the JSON text of a map');
  return parameters;
}

function promptYmlTestsDraft(
  root: Node,
  variables: readonly string[] | null,
  imported: Imported,
): DraftFile | null {
  const data = root.at('testData');
  const rows = data.items();
  const isAlone = rows.length === 0 && variables?.length === 0;
  const written = isAlone ? [{ ...data.at(0), value: {} }] : rows;
  const { left } = imported;
  const draft = createDraft(data.place);
  const unique = uniqueNames();
  const named = root
    .at('evaluators')
    .items()
    .map((evaluator) => ({ evaluator, name: unique(evaluatorName(evaluator.value)) }));
  const kept = written.flatMap((row): RowOfTests[] => {
    const why = isMap(row.value) ? whyUnfilled(row.map, variables ?? []) : 'it is not a map';
    if (why === null) return [{ row, reference: rowReference(row.map, variables ?? []) }];
    lose(left, row.place, 'a row of testData', why);
    return [];
  });
  for (const [index, { row }] of kept.entries()) draft.from(['references', index], row.place);
  const shared: JsonMap[] = [];
  for (const { evaluator, name } of named) {
    const { value, place } = evaluator;
    const converted = isMap(value)
      ? withJudge(convertEvaluator(value), value, place, imported)
      : 'it is not a map';
    if (typeof converted === 'string') lose(left, place, `the evaluator ${name}`, converted);
    else if (JSON.stringify(converted).includes('{{'))
      addRowMetrics(kept, { metric: converted, name, place }, left, draft);
    else {
      draft.from(['metrics', shared.length], place);
      shared.push({ name, ...converted });
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
  draft.value['references'] = kept.map(({ reference }) => reference);
  return draft;
}

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
    : `its ${text} is one text, which does not define {{${missing}}}: remove the | after ` +
        `${text}: to make it a map`;
}

function rowReference(row: JsonMap, variables: readonly string[]): JsonMap {
  const { expected } = row;
  const input = Object.fromEntries(
    Object.entries(rowCells(row, variables))
      .filter(([key]) => key !== 'expected' || variables.includes(key))
      .map(([key, cell]) => [key, isScalar(cell) ? cell : JSON.stringify(cell)]),
  );
  return { input, ...(expected === undefined || expected === null ? {} : { expected }) };
}

interface RowOfTests {
  row: Node;
  reference: JsonMap;
}

function addRowMetrics(
  rows: readonly RowOfTests[],
  { name, metric, place }: { name: string; metric: JsonMap; place: Place },
  left: Loss[],
  draft: DraftFile,
): void {
  for (const [index, { row, reference }] of rows.entries()) {
    const filled = fillInAll(metric, row.map);
    if (!filled.ok) {
      lose(left, row.place, `the evaluator ${name} for this row`, filled.why);
      continue;
    }
    const own = Array.isArray(reference['metrics']) ? reference['metrics'] : [];
    draft.from(['references', index, 'metrics', own.length], place);
    reference['metrics'] = [...own, { name, ...(filled.value as JsonMap) }];
  }
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
