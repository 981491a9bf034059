import { type Document, type Path, valueAt } from '../../documents/document.ts';
import { folderOf } from '../../documents/paths.ts';
import { problem } from '../../errors.ts';
import { isMap, type Json, type JsonMap, type Place, type Problem } from '../../types/plain.ts';
import { factsOf } from '../../types/vendors.ts';
import {
  A_PROMPT,
  createDraft,
  ownEntry,
  isScalar,
  lastSteps,
  leftOut,
  nothingImported,
  remark,
  type Draft,
  type Imported,
  type Loss,
  uniqueNames,
} from './draft.ts';
import { codeFileIn, codeModel } from './host-code.ts';
import { madeMessages, sourceOf } from './made-prompts.ts';
import { UNNAMED_MODEL, convertProvider, providerMap, type ImportedModel } from './models.ts';
import { configurationOf } from './promptfoo-configuration.ts';
import { structuredNames, testsDraft, type ImportContext } from './promptfoo-drafts.ts';
import { readPrompts, type ForeignPrompt } from './promptfoo-prompts.ts';
import type { ForeignTest } from './promptfoo-rows.ts';
import { readForeignTests } from './promptfoo-tests.ts';
import { pathsOf, variableOf } from './templates.ts';

/** Keys of a configuration that are read, and those that have no effect on what is evaluated. */
const READ = [
  'prompts',
  'providers',
  'targets',
  'tests',
  'scenarios',
  'defaultTest',
  'description',
  'evaluateOptions',
  '$schema',
];

/** Keys by which nothing is lost that an evaluation needs, with what stands in their place here. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  outputPath: 'reports go where the run is told (--report, input report-path)',
  envPath: "keys come from the run's environment",
  env: "keys come from the run's environment",
  sharing: 'results are uploaded nowhere',
  commandLineOptions: 'options of a run are given to the run',
  derivedMetrics: 'every metric is shown by itself',
  metadata: 'it changes no answer',
  tags: 'they change no answer',
  author: 'it changes no answer',
};

const WHY: Readonly<Record<string, string>> = {
  extensions: 'hooks in code are not run',
  redteam: 'attacks are not generated here',
  passRateThreshold: 'the settings ask for a pass rate: gate: { min_pass_rate: 0.85 }, say',
};

/**
 * A promptfoo configuration as prompts of ours: one for each prompt and provider, all with the same
 * tests.
 */
export async function importPromptfoo(
  written: Document,
  context: ImportContext,
  problems: Problem[],
): Promise<Imported> {
  const imported = nothingImported();
  const document = await configurationOf(written, context.files);
  const { value } = document;
  if (
    !isMap(value) ||
    !['prompts', 'providers', 'targets', 'tests', 'scenarios'].some((key) => key in value)
  ) {
    problems.push(
      problem(
        { file: document.file, line: 0 },
        'is not a promptfoo configuration: it has none of prompts, providers and tests',
      ),
    );
    return imported;
  }
  sayUnread(document, value, imported);
  const left: Loss[] = [];
  const prompts = (await readPrompts(document, context)).flatMap((read): ForeignPrompt[] => {
    if (!('why' in read)) {
      for (const { key, why } of read.unread)
        left.push(leftOut(read.place, `${key} of a prompt`, why));
      return [read];
    }
    left.push(leftOut(read.place, A_PROMPT, read.why));
    return [];
  });
  const tests = withItself(document, prompts, await readForeignTests(document, context, left));
  const models = readModels(document, { ...context, structured: structuredNames(tests) }, imported);
  imported.left.push(...left);
  imported.grader = graderOf(document, imported);
  const { draft, carried } = await testsDraft(tests, {
    ...context,
    document,
    prompts,
    asData: answersAsData(models, imported),
    imported,
  });
  await assemble({ document, prompts, models, tests }, draft, context, imported);
  const lost = imported.left.filter(({ what }) => what === A_PROMPT).length;
  imported.carried = [
    { unit: 'prompt', of: prompts.length + lost, carried: prompts.length },
    ...carried.map((share) => (prompts.length === 0 ? { ...share, carried: 0 } : share)),
  ];
  return imported;
}

/** Where no tests are written, a prompt that is filled in with nothing is one by itself. */
function withItself(
  document: Document,
  prompts: readonly ForeignPrompt[],
  tests: ForeignTest[],
): ForeignTest[] {
  const isWritten = ['tests', 'scenarios'].some(
    (key) => valueAt(document.value, [key]) !== undefined,
  );
  const isFixed = prompts.every(
    ({ made, messages }) =>
      made === null && messages.every(({ template }) => pathsOf(template).length === 0),
  );
  return tests.length > 0 || isWritten || !isFixed || prompts.length === 0
    ? tests
    : [
        {
          description: null,
          vars: {},
          files: {},
          assertions: [],
          place: document.placeOf(['prompts']),
        },
      ];
}

function sayUnread(document: Document, value: JsonMap, { left, remarks }: Imported): void {
  for (const key of Object.keys(value).filter((each) => !READ.includes(each))) {
    const place = document.placeOf([key]);
    const elsewhere = ownEntry(ELSEWHERE, key);
    if (elsewhere !== undefined) remarks.push(remark(place, `${key} is not needed: ${elsewhere}`));
    else left.push(leftOut(place, key, ownEntry(WHY, key) ?? 'it has no counterpart'));
  }
}

interface LocatedModel extends ImportedModel {
  place: Place;
}

function readModels(
  document: Document,
  context: Pick<ImportContext, 'code' | 'host'> & { structured: readonly string[] },
  imported: Imported,
): LocatedModel[] {
  const key = valueAt(document.value, ['providers']) === undefined ? 'targets' : 'providers';
  const written = valueAt(document.value, [key]);
  const list: { value: Json; path: Path }[] = Array.isArray(written)
    ? written.map((value, index) => ({ value, path: [key, index] }))
    : written === undefined
      ? []
      : [{ value: written, path: [key] }];
  const unread: Loss[] = [];
  const models = list.flatMap(({ value, path }): LocatedModel[] => {
    const place = document.placeOf(path);
    const found = codeProvider(value, document, context) ?? convertProvider(value);
    if ('why' in found) {
      unread.push(leftOut(place, `the provider ${nameOf(value)}`, found.why));
      return [];
    }
    for (const { key: part, why } of found.left)
      imported.left.push(leftOut(place, `${part} of ${found.label}`, why));
    for (const { why } of found.aside)
      imported.remarks.push(remark(place, `${found.label}: ${why}`));
    const model = namedApart(found, imported.models);
    if (found.entry !== null) imported.models[model] = found.entry;
    return [{ ...found, model, place }];
  });
  if (models.length > 0) {
    imported.left.push(...unread);
    return models;
  }
  return [withoutProvider(document.placeOf(list.length === 0 ? [] : [key]), unread, imported)];
}

/** A provider in code, where code may run: a program of the settings that the shipped one stands for. */
function codeProvider(
  written: Json,
  { file }: Document,
  {
    code,
    host,
    structured,
  }: Pick<ImportContext, 'code' | 'host'> & { structured: readonly string[] },
): ImportedModel | null {
  const { id, label, config } = providerMap(written);
  const found = typeof id === 'string' ? codeFileIn(id, folderOf(file)) : null;
  if (code === 'refused' || found === null || typeof id !== 'string') return null;
  const named = typeof label === 'string' && label !== '' ? label : id;
  return {
    label: named,
    model: named,
    parameters: {},
    entry: codeModel(found, id, config, host, structured),
    left: [],
    aside:
      code === 'written'
        ? [{ key: 'id', why: `${found.file} is code of yours, which runs with code: host alone` }]
        : [],
  };
}

/**
 * Whether checks in code get data: where a model answers by a schema, the other tool reads its
 * answer before it is judged. Checks are the same for all models, so it is all of them or none.
 */
function answersAsData(models: readonly LocatedModel[], { remarks }: Imported): boolean {
  const bySchema = models.filter(({ parameters }) => {
    const format = parameters['response_format'] ?? null;
    return isMap(format) && format['type'] === 'json_schema';
  });
  const [first] = bySchema;
  if (first !== undefined && bySchema.length < models.length)
    remarks.push(
      remark(
        first.place,
        `${first.label} answers by a schema, which promptfoo's checks in code are given as data; other models here do not, so checks get the text of every answer`,
      ),
    );
  return first !== undefined && bySchema.length === models.length;
}

/** The same file may be there several times, each with a configuration of its own. */
function namedApart(
  { model, entry }: ImportedModel,
  models: Readonly<Record<string, JsonMap>>,
): string {
  const same = (name: string): boolean =>
    JSON.stringify(models[name]) === JSON.stringify(entry ?? undefined);
  let name = model;
  for (
    let ordinal = 2;
    entry?.['provider'] === 'program' && Object.hasOwn(models, name) && !same(name);
    ordinal += 1
  )
    name = `${model} ${String(ordinal)}`;
  return name;
}

/** What no provider of the file can be asked goes to the model that the settings name for it. */
function withoutProvider(
  place: Place,
  unread: readonly Loss[],
  { remarks }: Imported,
): LocatedModel {
  const instead = `its prompts and tests go to the model "${UNNAMED_MODEL}", which the settings name: models: { ${UNNAMED_MODEL}: { provider: openai, model: ${factsOf('openai').starterModel} } }, say`;
  remarks.push(
    ...unread.map((one) => remark(one.place, `${one.what} is not asked: ${one.why}; ${instead}`)),
    ...(unread.length === 0 ? [remark(place, `no provider is named; ${instead}`)] : []),
  );
  return {
    label: UNNAMED_MODEL,
    model: UNNAMED_MODEL,
    parameters: {},
    entry: null,
    left: [],
    aside: [],
    place,
  };
}

function nameOf(value: Json): string {
  const id = isMap(value) ? (value['id'] ?? Object.keys(value)[0]) : value;
  return isScalar(id) ? String(id).slice(0, 100) : '';
}

/** The model that grades where an assertion names none: `defaultTest.options.provider`. */
function graderOf(document: Document, { left, models }: Imported): Imported['grader'] {
  const options = valueAt(document.value, ['defaultTest', 'options', 'provider']);
  if (options === undefined || options === null) return null;
  const place = document.placeOf(['defaultTest', 'options', 'provider']);
  const written =
    isMap(options) && !('id' in options) && isMap(options['text'] ?? null)
      ? (options['text'] ?? null)
      : options;
  const found = convertProvider(written);
  if ('why' in found) {
    left.push(leftOut(place, 'the grading provider', found.why));
    return null;
  }
  if (found.entry !== null) models[found.model] = found.entry;
  return { model: found.model, place };
}

interface Parts {
  document: Document;
  prompts: readonly ForeignPrompt[];
  models: readonly LocatedModel[];
  tests: readonly ForeignTest[];
}

/** A prompt of ours for each of theirs and each model; names tell them apart. */
async function assemble(
  { document, prompts, models, tests: written }: Parts,
  tests: Draft | null,
  context: ImportContext,
  imported: Imported,
): Promise<void> {
  const unique = uniqueNames();
  const { folder, name: file } = lastSteps(document.file);
  const stem = file.replace(/\.(?:ya?ml|json)$/, '');
  const base = folder === '' || folder === 'evals' || !stem.startsWith('promptfoo') ? stem : folder;
  for (const [index, prompt] of prompts.entries()) {
    for (const model of models) {
      const own = prompt.label ?? (prompts.length === 1 ? base : `${base} ${String(index + 1)}`);
      const name = unique(models.length === 1 ? own : `${own} (${model.label})`);
      const made = await madeMessages(prompt, model, written, context);
      imported.prompts.push({
        prompt: promptDraft(document, name, prompt, model),
        tests,
        ...(made === null ? {} : { made }),
      });
    }
  }
}

function promptDraft(
  document: Document,
  name: string,
  prompt: ForeignPrompt,
  model: LocatedModel,
): Draft {
  const draft = createDraft({ file: document.file, line: 0 });
  const parameters = { ...model.parameters, ...prompt.parameters };
  const variables = [
    ...new Set(prompt.messages.flatMap(({ template }) => pathsOf(template).map(variableOf))),
  ];
  Object.assign(draft.value, {
    name,
    model: model.model,
    ...parameters,
    ...(variables.length === 0
      ? {}
      : { variables: variables.map((variable) => ({ name: variable })) }),
    messages: sourceOf(prompt),
  });
  for (const key of ['model', ...Object.keys(model.parameters)]) draft.from([key], model.place);
  for (const key of ['name', 'variables', 'messages', ...Object.keys(prompt.parameters)])
    draft.from([key], prompt.place);
  return draft;
}
