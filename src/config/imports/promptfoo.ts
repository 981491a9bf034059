import { problem } from '../../errors.ts';
import type { Json, Notice, Place, Problem } from '../../types.ts';
import { isMap, valueAt } from '../document.ts';
import type { Document, JsonMap, Path } from '../document.ts';
import type { Limits } from '../limits.ts';
import type { BuiltInMetrics } from '../metric.ts';
import { ASSERTION_KEYS, convertAssertion, embeddingModel } from './assertions.ts';
import { inputOf, pathsOf, toOurs, variableOf } from './braces.ts';
import type { ImportFiles } from './files.ts';
import {
  createDraft,
  entryOf,
  isScalar,
  lastSteps,
  leftOut,
  uniqueNames,
  type Draft,
  type Imported,
} from './imported.ts';
import { convertProvider, type ImportedModel } from './models.ts';
import { readPrompts, type ForeignPrompt } from './promptfoo-prompts.ts';
import { readForeignTests, type ForeignAssertion, type ForeignTest } from './promptfoo-tests.ts';

export interface ImportContext {
  files: ImportFiles;
  limits: Limits;
  builtIns: BuiltInMetrics;
}

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
        'is no promptfoo configuration: it has none of prompts, providers and tests',
      ),
    );
    return imported;
  }
  for (const key of Object.keys(value).filter((each) => !READ.includes(each))) {
    imported.left.push(
      leftOut(document.placeOf([key]), key, entryOf(WHY, key) ?? 'it has no counterpart'),
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

interface TestsContext extends ImportContext {
  document: Document;
  prompts: readonly ForeignPrompt[];
  left: Notice[];
}

/**
 * All tests as one test file of ours: every reference has its own metrics, since every test has its
 * own assertions.
 */
async function testsDraft(
  tests: readonly ForeignTest[],
  context: TestsContext,
): Promise<Draft | null> {
  const { document, left } = context;
  const draft = createDraft({ file: document.file, line: document.placeOf(['tests']).line });
  const structured = [
    ...new Set(
      tests.flatMap(({ vars }) =>
        Object.entries(vars).flatMap(([name, value]) =>
          isScalar(value) || value === null ? [] : [name],
        ),
      ),
    ),
  ];
  const texts = await codeFiles(tests, context);
  const paths = context.prompts.flatMap(({ messages }) =>
    messages.flatMap(({ template }) => pathsOf(template)),
  );
  const ids = uniqueDescriptions(tests);
  const references: JsonMap[] = [];
  for (const test of tests) {
    const metrics = metricsOf(test, { context, structured, texts });
    if (metrics.length === 0) {
      left.push(
        leftOut(
          test.place,
          test.description === null ? 'a test' : `the test "${test.description}"`,
          'nothing is left that judges its answers',
        ),
      );
      continue;
    }
    const path = ['references', references.length];
    draft.from(path, test.place);
    metrics.forEach(({ place }, index) => {
      draft.from([...path, 'metrics', index], place);
    });
    const id =
      test.description !== null && ids.has(test.description) ? { id: test.description } : {};
    references.push({
      ...id,
      input: inputOf(test.vars, paths),
      metrics: metrics.map(({ metric }) => metric),
    });
  }
  if (references.length === 0) return null;
  const repeat = valueAt(document.value, ['evaluateOptions', 'repeat']);
  if (typeof repeat === 'number') draft.value['n_tries'] = repeat;
  draft.value['references'] = references;
  return draft;
}

/** Descriptions that name one test only. */
function uniqueDescriptions(tests: readonly ForeignTest[]): Set<string> {
  const all = tests.flatMap(({ description }) => (description === null ? [] : [description]));
  return new Set(all.filter((one) => all.indexOf(one) === all.lastIndexOf(one)));
}

/** The texts of the files that assertions name, by path as written. */
async function codeFiles(
  tests: readonly ForeignTest[],
  { files, document }: TestsContext,
): Promise<Map<string, string>> {
  const named = new Map(
    tests
      .flatMap(({ assertions }) => assertions)
      .flatMap(({ value: { value }, place }): [string, Place][] => {
        const path =
          typeof value === 'string'
            ? /^file:\/\/(.+?\.(?:[cm]?js|py|json|ya?ml))(?::[A-Za-z_$][\w$]*)?$/.exec(
                value.trim(),
              )?.[1]
            : undefined;
        return path === undefined
          ? []
          : [[path, { file: document.file, line: place.file === document.file ? place.line : 0 }]];
      }),
  );
  const texts = new Map<string, string>();
  for (const [path, place] of named) {
    const [found] = await files.texts(path, place);
    if (found !== undefined) texts.set(path, found.text);
  }
  return texts;
}

interface MetricsContext {
  context: TestsContext;
  structured: readonly string[];
  texts: ReadonlyMap<string, string>;
}

function metricsOf(
  test: ForeignTest,
  { context: { builtIns, left }, structured, texts }: MetricsContext,
): { metric: JsonMap; place: Place }[] {
  const unique = uniqueNames();
  return test.assertions.flatMap((assertion) => {
    const { value, place } = assertion;
    const type = isScalar(value['type']) ? String(value['type']) : 'an assertion';
    const converted = convertAssertion(value, {
      vars: test.vars,
      builtIns,
      structured,
      textOf: (path) => texts.get(path) ?? null,
    });
    sayUnread(assertion, type, left);
    if ('why' in converted) {
      left.push(leftOut(place, `the assertion ${type}`, converted.why));
      return [];
    }
    const label = value['metric'];
    const name = unique(
      typeof label === 'string' && label !== '' && !label.includes('{{') ? label : type,
    );
    // A weight of nothing: shown, and without a say.
    return [
      {
        place,
        metric: { name, ...converted.metric, ...(value['weight'] === 0 ? { skip: true } : {}) },
      },
    ];
  });
}

function sayUnread({ value, place }: ForeignAssertion, type: string, left: Notice[]): void {
  const compares = type.endsWith('similar') && embeddingModel(value['provider']) !== null;
  for (const key of Object.keys(value).filter(
    (each) => !ASSERTION_KEYS.includes(each) && !(each === 'provider' && compares),
  )) {
    left.push(
      leftOut(
        place,
        `${key} of the assertion ${type}`,
        key === 'provider'
          ? "all grades are given by the settings' grader"
          : 'it has no counterpart',
      ),
    );
  }
  const weight = value['weight'];
  if (weight !== undefined && weight !== 0 && weight !== 1)
    left.push(
      leftOut(place, `weight of the assertion ${type}`, 'every gating metric counts alike'),
    );
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
