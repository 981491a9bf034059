import type { FormatTools } from '../../../config/formats.ts';
import { pathsOf, readTemplate, toOurs, variableOf } from '../../../config/templates.ts';
import type { Document } from '../../../documents/document.ts';
import { problem } from '../../../errors.ts';
import {
  filledText,
  isMap,
  jsonText,
  parseMap,
  type JsonMap,
  type Place,
  type Problem,
  ownEntry,
} from '../../../types/plain.ts';
import {
  isScalar,
  lastSteps,
  nothingImported,
  placed,
  type DraftFile,
  type Imported,
  uniqueNames,
  judgeTheRest,
  variablesEntry,
} from '../shared/draft.ts';
import { publishedModel, readForeignParameters } from '../shared/models.ts';
import { tryConvert, Node, refuse } from '../shared/node.ts';
import { fillVariables, mapTexts } from '../shared/templates.ts';

const PROMPT_FILE_KEYS =
  'name description model modelParameters messages testData evaluators responseFormat ' +
  'jsonSchema';

export function importPromptYml(
  document: Document,
  { hasGrader }: FormatTools,
  problems: Problem[],
): Imported {
  const imported = nothingImported();
  const root = new Node(document, imported);
  if (!Array.isArray(root.map['messages'])) {
    problems.push(problem(document.file, 'is not a .prompt.yml: it has no list of messages'));
    return imported;
  }
  root.loseUnread({ read: PROMPT_FILE_KEYS, otherwise: 'it is not part of the format' });
  const found = promptYmlDraft(root, document.file);
  const tests = promptYmlTestsDraft(root, found?.variables ?? null, imported);
  if (found === null) {
    imported.carried = imported.carried.map((share) => ({ ...share, carried: 0 }));
    return imported;
  }
  if (tests !== null)
    judgeTheRest(tests, root.at('testData'), hasGrader || imported.grader !== null);
  imported.prompts.push({ prompt: found.prompt, tests });
  return imported;
}

function promptYmlDraft(
  root: Node,
  file: string,
): { prompt: DraftFile; variables: ReadonlySet<string> } | null {
  const messages: JsonMap[] = [];
  const written: string[] = [];
  const variables = new Set<string>();
  for (const message of root.at('messages').items()) {
    const { role = '', content } = message.map;
    const template = typeof content === 'string' ? readTemplate(content) : null;
    if (template === null || !template.ok) {
      const why =
        template === null
          ? 'a message contains more than text'
          : `${template.construct} is more than a variable`;
      message.lose('the prompt', why);
      return null;
    }
    for (const path of pathsOf(template)) variables.add(variableOf(path));
    messages.push(placed(message.place, { role, content: toOurs(template) }));
    written.push(template.text);
  }
  const stem = lastSteps(file).name.replace(/(?:[._]prompt)?\.ya?ml$/, '');
  const value = {
    name: filledText(root.map['name']) ?? stem,
    model: publishedModel(root.map['model']),
    ...convertParameters(root),
    ...variablesEntry(variables),
    messages,
  };
  const place = { file, line: 0 };
  const keys = ['name', 'model', 'messages'].map((key) => [key, root.at(key).place]);
  const prompt = { value: placed(place, value, Object.fromEntries(keys)), place, written };
  return { prompt, variables };
}

function convertParameters(root: Node): JsonMap {
  const written = root.at('modelParameters');
  const parameters = readForeignParameters(written.map, (key, why) =>
    written.at(key).lose(`modelParameters.${key}`, why),
  );
  const { responseFormat: format, jsonSchema } = root.map;
  if (format === 'json_object') return { ...parameters, response_format: { type: 'json_object' } };
  if (format !== 'json_schema') return parameters;
  const schema = typeof jsonSchema === 'string' ? parseMap(jsonSchema) : jsonSchema;
  if (isMap(schema))
    return { ...parameters, response_format: { type: 'json_schema', json_schema: schema } };
  root.at('jsonSchema').lose('jsonSchema', 'it is not the JSON text of a map');
  return parameters;
}

/** `variables`: null if the prompt is lost. */
function promptYmlTestsDraft(
  root: Node,
  variables: ReadonlySet<string> | null,
  imported: Imported,
): DraftFile | null {
  const data = root.at('testData');
  const isAlone = data.items().length === 0 && variables?.size === 0;
  const written = isAlone ? [data.at(0)] : data.items();
  const kept = written.flatMap((row): RowOfTests[] =>
    tryConvert(
      () => {
        if (!isAlone && !isMap(row.value)) refuse('it is not a map');
        const reference = rowReference(row.map, variables ?? new Set());
        return [{ row, reference: placed(row.place, reference) }];
      },
      (why) => row.lose('a row of testData', why),
    ),
  );
  const shared: JsonMap[] = [];
  const unique = uniqueNames();
  const evaluators = root.at('evaluators').items();
  const named = evaluators.map((evaluator) => ({
    evaluator,
    name: unique(evaluatorName(evaluator)),
  }));
  let lost = 0;
  for (const { evaluator, name } of named) {
    const { place } = evaluator;
    const metric = tryConvert(
      () => convertEvaluator(evaluator, imported),
      (why) => {
        lost += 1;
        evaluator.lose(`the evaluator ${name}`, why);
        return null;
      },
    );
    if (metric === null) continue;
    if (JSON.stringify(metric).includes('{{')) addRowMetrics(kept, { metric, name, place });
    else shared.push(placed(place, { name, ...metric }));
  }
  imported.carried = [
    { unit: 'test', of: written.length, carried: kept.length },
    { unit: 'evaluator', of: named.length, carried: named.length - lost },
  ];
  if (kept.length === 0) return null;
  const references = kept.map(({ reference }) => reference);
  const value = { ...(shared.length > 0 ? { metrics: shared } : {}), references };
  return { value, place: data.place };
}

function rowReference(row: JsonMap, variables: ReadonlySet<string>): JsonMap {
  const { input: inside = null, expected = null } = row;
  const shown = Object.entries(isMap(inside) ? inside : {}).filter(([name]) => variables.has(name));
  const cells = { ...Object.fromEntries(shown), ...row };
  const missing = [...variables].find((name) => !Object.hasOwn(cells, name));
  if (missing !== undefined) refuse(missingValue(row, missing));
  const input = Object.fromEntries(
    Object.entries(cells)
      .filter(([key]) => key !== 'expected' || variables.has(key))
      .map(([key, cell]) => [key, isScalar(cell) ? cell : JSON.stringify(cell)]),
  );
  return { input, ...(expected === null ? {} : { expected }) };
}

function missingValue(row: JsonMap, missing: string): string {
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

interface RowOfTests {
  row: Node;
  reference: JsonMap;
}

function addRowMetrics(
  rows: readonly RowOfTests[],
  { name, metric, place }: { name: string; metric: JsonMap; place: Place },
): void {
  for (const { row, reference } of rows) {
    const own = Array.isArray(reference['metrics']) ? reference['metrics'] : [];
    tryConvert(
      () => {
        const filled = { name, ...fillInAll(metric, row.map) };
        reference['metrics'] = [...own, placed(place, filled)];
      },
      (why) => row.lose(`the evaluator ${name} for this row`, why),
    );
  }
}

function fillInAll(metric: JsonMap, vars: JsonMap): JsonMap {
  return mapTexts(metric, (text) => {
    const template = readTemplate(text);
    return template.ok
      ? fillVariables(template, vars)
      : refuse(`${template.construct} is more than a variable`);
  }) as JsonMap;
}

const COMPARISONS: Readonly<Record<string, string>> = {
  equals: 'exact_match',
  contains: 'contains',
  startsWith: 'starts_with',
  endsWith: 'ends_with',
};

const NEAREST: Readonly<Record<string, JsonMap>> = {
  similarity: { uses: 'factuality' },
  relevance: { uses: 'answer_relevance' },
  groundedness: { uses: 'faithfulness' },
  coherence: {
    uses: 'g_eval',
    with: {
      criteria: 'Coherence: the sentences of the answer fit together and follow from each other.',
    },
  },
  fluency: {
    uses: 'g_eval',
    with: { criteria: 'Fluency: the answer is grammatical, natural language.' },
  },
};

function evaluatorName({ map }: Node): string {
  return filledText(map['name']) ?? 'evaluator';
}

/** The first judge becomes the grader unless one is set. The others are set on their metrics. */
function convertEvaluator(evaluator: Node, imported: Imported): JsonMap {
  if (!isMap(evaluator.value)) return refuse('it is not a map');
  const judge = evaluator.at('llm');
  const metric = evaluatorMetric(evaluator.map);
  const otherwise = 'it is not part of the format';
  const what = (key: string) => `${key} of the evaluator ${evaluatorName(evaluator)}`;
  evaluator.loseUnread({ read: 'name description string llm uses', otherwise, what });
  judge.loseUnread({ read: 'modelId prompt systemPrompt choices', otherwise, what });
  const { modelId } = judge.map;
  if (!isScalar(modelId)) return metric;
  const model = publishedModel(modelId);
  imported.grader ??= { model, place: evaluator.place };
  return model === imported.grader.model ? metric : { ...metric, grader: { model } };
}

function evaluatorMetric({ string, llm, uses }: JsonMap): JsonMap {
  if (isMap(string)) return convertString(string);
  if (isMap(llm)) return convertJudge(llm);
  if (typeof uses !== 'string') return refuse('it has neither string, llm nor uses');
  return ownEntry(NEAREST, uses.replace(/^github\//, '')) ?? refuse(`${uses} is unknown`);
}

function convertString(string: JsonMap): JsonMap {
  const [[kind, value] = ['', null], ...more] = Object.entries(string);
  const metric = ownEntry(COMPARISONS, kind);
  if (metric === undefined || more.length > 0)
    return refuse('a string evaluator must be equals, contains, startsWith or endsWith');
  return isScalar(value)
    ? { uses: metric, with: { value: String(value), ignore_case: true } }
    : refuse('its value is not text');
}

/** The judge chooses from a list. A choice with a score above 0 passes. */
function convertJudge({ prompt, choices, systemPrompt }: JsonMap): JsonMap {
  if (typeof prompt !== 'string') return refuse('its judge has no prompt');
  const scored = (Array.isArray(choices) ? choices : [])
    .map((choice) => (isMap(choice) ? choice : {}))
    .filter(({ choice, score }) => isScalar(choice) && typeof score === 'number')
    .map(({ choice, score }) => `${choice} (${score})`);
  // evaldiff's grader prompt already contains the answer.
  const question = prompt.replace(/\{\{\s*(?:completion|output)\s*\}\}/g, '(the answer)');
  const grades =
    scored.length === 0
      ? null
      : `The possible grades with their scores: ${scored.join(', ')}. The criterion is ` +
        'fulfilled by a grade with a score above 0.';
  const words = [systemPrompt, question, grades].filter((text) => filledText(text ?? null));
  return { uses: 'llm_rubric', with: { criteria: words.join('\n\n') } };
}
