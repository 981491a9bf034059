import { type Document, type Path, valueAt } from '../../documents/document.ts';
import { problem } from '../../errors.ts';
import { isMap, type Json, type Place, type Problem } from '../../types/plain.ts';
import {
  createDraft,
  ownEntry,
  isScalar,
  lastSteps,
  leftOut,
  type Draft,
  type Imported,
  uniqueNames,
} from './draft.ts';
import { convertProvider, type ImportedModel } from './models.ts';
import { testsDraft, type ImportContext } from './promptfoo-drafts.ts';
import { readPrompts, type ForeignPrompt } from './promptfoo-prompts.ts';
import { readForeignTests } from './promptfoo-tests.ts';
import { pathsOf, toOurs, variableOf } from './templates.ts';

/** Keys of a configuration that are read, and those that have no effect on what is evaluated. */
const READ = [
  'prompts',
  'providers',
  'targets',
  'tests',
  'defaultTest',
  'description',
  'evaluateOptions',
  '$schema',
];

const WHY: Readonly<Record<string, string>> = {
  outputPath: 'reports go where the run is told (--report, input report-path)',
  envPath: "keys come from the run's environment",
  env: "keys come from the run's environment",
  extensions: 'hooks in code are not run',
  redteam: 'attacks are not generated here',
  sharing: 'results are uploaded nowhere',
  scenarios: 'write their tests out',
};

/**
 * A promptfoo configuration as prompts of ours: one for each prompt and provider, all with the same
 * tests.
 */
export async function importPromptfoo(
  document: Document,
  context: ImportContext,
  problems: Problem[],
): Promise<Imported> {
  const imported: Imported = { prompts: [], models: {}, grader: null, left: [] };
  const { value } = document;
  if (!isMap(value) || !['prompts', 'providers', 'targets', 'tests'].some((key) => key in value)) {
    problems.push(
      problem(
        { file: document.file, line: 0 },
        'is not a promptfoo configuration: it has none of prompts, providers and tests',
      ),
    );
    return imported;
  }
  for (const key of Object.keys(value).filter((each) => !READ.includes(each))) {
    imported.left.push(
      leftOut(document.placeOf([key]), key, ownEntry(WHY, key) ?? 'it has no counterpart'),
    );
  }
  const models = readModels(document, imported);
  const prompts = (await readPrompts(document, context.files)).flatMap((read): ForeignPrompt[] => {
    if (!('why' in read)) return [read];
    imported.left.push(leftOut(read.place, 'a prompt', read.why));
    return [];
  });
  const tests = await readForeignTests(document, context.files, context.limits, imported.left);
  imported.grader = graderOf(document, imported);
  const shared =
    tests.length === 0
      ? null
      : await testsDraft(tests, { ...context, document, prompts, left: imported.left });
  assemble(document, prompts, models, shared, imported);
  return imported;
}

interface LocatedModel extends ImportedModel {
  place: Place;
}

function readModels(document: Document, imported: Imported): LocatedModel[] {
  const key = valueAt(document.value, ['providers']) === undefined ? 'targets' : 'providers';
  const written = valueAt(document.value, [key]);
  const list: { value: Json; path: Path }[] = Array.isArray(written)
    ? written.map((value, index) => ({ value, path: [key, index] }))
    : written === undefined
      ? []
      : [{ value: written, path: [key] }];
  return list.flatMap(({ value, path }): LocatedModel[] => {
    const place = document.placeOf(path);
    const found = convertProvider(value);
    if ('why' in found) {
      imported.left.push(leftOut(place, `the provider ${nameOf(value)}`, found.why));
      return [];
    }
    for (const { key: part, why } of found.left)
      imported.left.push(leftOut(place, `${part} of ${found.label}`, why));
    if (found.entry !== null) imported.models[found.model] = found.entry;
    return [{ ...found, place }];
  });
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

/** A prompt of ours for each of theirs and each model; names tell them apart. */
function assemble(
  document: Document,
  prompts: readonly ForeignPrompt[],
  models: readonly LocatedModel[],
  tests: Draft | null,
  imported: Imported,
): void {
  const unique = uniqueNames();
  const { folder, name: file } = lastSteps(document.file);
  const base = folder === '' || folder === 'evals' ? file.replace(/\.ya?ml$/, '') : folder;
  prompts.forEach((prompt, index) => {
    for (const model of models) {
      const own = prompt.label ?? (prompts.length === 1 ? base : `${base} ${String(index + 1)}`);
      const name = unique(models.length === 1 ? own : `${own} (${model.label})`);
      imported.prompts.push({ prompt: promptDraft(document, name, prompt, model), tests });
    }
  });
}

function promptDraft(
  document: Document,
  name: string,
  prompt: ForeignPrompt,
  model: LocatedModel,
): Draft {
  const draft = createDraft({ file: document.file, line: 0 });
  const variables = [
    ...new Set(prompt.messages.flatMap(({ template }) => pathsOf(template).map(variableOf))),
  ];
  Object.assign(draft.value, {
    name,
    model: model.model,
    ...model.parameters,
    ...(variables.length === 0
      ? {}
      : { variables: variables.map((variable) => ({ name: variable })) }),
    messages: prompt.messages.map(({ role, template }) => ({ role, content: toOurs(template) })),
  });
  for (const key of ['model', ...Object.keys(model.parameters)]) draft.from([key], model.place);
  for (const key of ['name', 'variables', 'messages']) draft.from([key], prompt.place);
  return draft;
}
