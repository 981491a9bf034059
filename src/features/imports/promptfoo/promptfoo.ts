import type { FormatTools } from '../../../config/formats.ts';
import { pathsOf, variableOf } from '../../../config/templates.ts';
import { type Document, valueAt } from '../../../documents/document.ts';
import { folderOf } from '../../../documents/paths.ts';
import { problem } from '../../../errors.ts';
import { isMap, type JsonMap, type Problem, ownEntry } from '../../../types/plain.ts';
import {
  isAmong,
  A_PROMPT,
  createDraft,
  importFiles,
  isScalar,
  lastSteps,
  nothingImported,
  type DraftFile,
  type Imported,
  type Loss,
  uniqueNames,
  lose,
  addRemark,
} from '../shared/draft.ts';
import { mapTexts } from '../shared/templates.ts';
import { madeMessages, sourceOf } from './made-prompts.ts';
import { structuredNames, testsDraft, type ImportContext } from './promptfoo-drafts.ts';
import {
  answersAsData,
  importedGrader,
  readModels,
  type LocatedModel,
} from './promptfoo-models.ts';
import {
  readPrompts,
  fileVariables,
  ONLY_VARIABLES,
  type ForeignPrompt,
} from './promptfoo-prompts.ts';
import { readForeignTests } from './promptfoo-tests.ts';
import type { ForeignTest } from './promptfoo-values.ts';

const PROMPTFOO_KEYS =
  'prompts providers targets tests scenarios defaultTest description evaluateOptions $schema';

const SET_ELSEWHERE: Readonly<Record<string, string>> = {
  outputPath: 'the run sets the report path (--report, input report-path)',
  envPath: "keys come from the run's environment",
  env: "keys come from the run's environment",
  sharing: 'results are not uploaded',
  commandLineOptions: 'set run options on the run itself',
  derivedMetrics: 'every metric is shown separately',
  metadata: 'it does not change answers',
  tags: 'they do not change answers',
  author: 'it does not change answers',
};

const UNSUPPORTED_CONFIG: Readonly<Record<string, string>> = {
  extensions: 'hooks in code do not run',
  redteam: 'evaldiff does not generate attacks',
  passRateThreshold: 'set a pass rate in the settings, for example gate: { min_pass_rate: 0.85 }',
};

/** Makes one suite for each prompt and provider. The suites share the tests. */
export async function importPromptfoo(
  written: Document,
  tools: FormatTools,
  problems: Problem[],
): Promise<Imported> {
  const files = importFiles(tools.files, folderOf(written.file), problems);
  const context = { ...tools, files };
  const imported = nothingImported();
  const document = configurationOf(written);
  const { value } = document;
  if (
    !isMap(value) ||
    !['prompts', 'providers', 'targets', 'tests', 'scenarios'].some((key) => key in value)
  ) {
    problems.push(
      problem(
        document.file,
        'is not a promptfoo configuration: it has neither prompts, providers nor tests',
      ),
    );
    return imported;
  }
  reportUnreadKeys(document, value, imported);
  const left: Loss[] = [];
  const prompts = await readPrompts(document, { ...context, left });
  const tests = withItself(
    document,
    prompts,
    await readForeignTests(document, { ...context, shown: fileVariables(prompts), left }),
  );
  const structured = structuredNames(tests);
  const models = await readModels(document, { ...context, structured }, imported);
  imported.left.push(...left);
  imported.grader = importedGrader(document, imported);
  const inputs =
    prompts.length > 0 && prompts.every(({ form }) => form === 'json') ? 'vars' : 'sent';
  const { draft, carried } = await testsDraft(tests, {
    ...context,
    document,
    prompts,
    inputs,
    asData: answersAsData(models, imported),
    imported,
  });
  const unread = left.filter(({ what }) => what === A_PROMPT).length;
  const parts = { ...context, document, prompts, models, written: tests, inputs } as const;
  const kept = await addDrafts(parts, draft, imported);
  imported.carried = [
    { unit: 'prompt', of: prompts.length + unread, carried: kept },
    ...carried.map((share) => (kept === 0 ? { ...share, carried: 0 } : share)),
  ];
  return imported;
}

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
          given: {},
          vars: {},
          sent: {},
          files: {},
          assertions: [],
          isTransformed: false,
          place: document.placeOf(['prompts']),
        },
      ];
}

function reportUnreadKeys(document: Document, value: JsonMap, { left, remarks }: Imported): void {
  // Keys that start with `x-` only define YAML anchors.
  const unread = Object.keys(value).filter(
    (key) => !isAmong(PROMPTFOO_KEYS, key) && !key.startsWith('x-'),
  );
  for (const key of unread) {
    const place = document.placeOf([key]);
    const elsewhere = ownEntry(SET_ELSEWHERE, key);
    if (elsewhere !== undefined) addRemark(remarks, place, `${key} is not needed: ${elsewhere}`);
    else lose(left, place, key, ownEntry(UNSUPPORTED_CONFIG, key) ?? 'evaldiff has no equivalent');
  }
}

const ENVIRONMENT = /\{\{\s*env\.([A-Za-z_]\w*)\s*\}\}/g;

function configurationOf(document: Document): Document {
  const filled = (text: string): string =>
    text.replace(ENVIRONMENT, (written, name: string) => {
      const value = valueAt(document.value, ['env', name]);
      return isScalar(value) ? String(value) : written;
    });
  return { ...document, value: mapTexts(document.value, filled) };
}

interface Parts extends ImportContext {
  document: Document;
  prompts: readonly ForeignPrompt[];
  models: readonly LocatedModel[];
  written: readonly ForeignTest[];
  inputs: 'vars' | 'sent';
}

/** Returns how many prompts are converted. Some have messages that differ from test to test. */
async function addDrafts(
  parts: Parts,
  tests: DraftFile | null,
  { prompts: drafts, left }: Imported,
): Promise<number> {
  const { document, prompts, models, written, inputs } = parts;
  const unique = uniqueNames();
  const { folder, name: file } = lastSteps(document.file);
  const stem = file.replace(/\.(?:ya?ml|json)$/, '');
  const base = folder === '' || folder === 'evals' || !stem.startsWith('promptfoo') ? stem : folder;
  let kept = 0;
  for (const [index, prompt] of prompts.entries()) {
    const made = await Promise.all(
      models.map((model) => madeMessages(prompt, model, written, inputs, parts)),
    );
    if (parts.code === 'written' && made.some((messages) => messages !== null)) {
      lose(left, prompt.place, A_PROMPT, ONLY_VARIABLES);
      continue;
    }
    kept += 1;
    const own = prompt.label ?? (prompts.length === 1 ? base : `${base} ${String(index + 1)}`);
    for (const [at, model] of models.entries()) {
      const name = unique(models.length === 1 ? own : `${own} (${model.label})`);
      const draft = promptfooPromptDraft(document, name, prompt, model);
      drafts.push({ prompt: draft, tests, ...(made[at] && { made: made[at] }) });
    }
  }
  return kept;
}

function promptfooPromptDraft(
  document: Document,
  name: string,
  prompt: ForeignPrompt,
  model: LocatedModel,
): DraftFile {
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
  if (prompt.made === null) draft.written = prompt.messages.map(({ template }) => template.text);
  return draft;
}
