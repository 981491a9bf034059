import type { FormatTools } from '../../../config/formats.ts';
import { pathsOf, variableOf } from '../../../config/templates.ts';
import { type Document, valueAt } from '../../../documents/document.ts';
import { folderOf } from '../../../documents/paths.ts';
import { problem } from '../../../errors.ts';
import { canonicalJson } from '../../../kernel/suite/canonical-json.ts';
import type { Problem } from '../../../types/plain.ts';
import {
  A_PROMPT,
  A_TEST,
  isScalar,
  lastSteps,
  nothingImported,
  placed,
  type DraftFile,
  type Imported,
  uniqueNames,
  variablesEntry,
} from '../shared/draft.ts';
import { importFiles } from '../shared/files.ts';
import { readForeignParameters } from '../shared/models.ts';
import { Node, type Losses } from '../shared/node.ts';
import { mapTexts } from '../shared/templates.ts';
import { madeMessages, sourceOf } from './made-prompts.ts';
import { structuredNames, testsDraft, type ImportContext } from './promptfoo-drafts.ts';
import {
  answersAsData,
  importedGrader,
  readModels,
  type LocatedModel,
} from './promptfoo-models.ts';
import { convertibleMembers, withFiles } from './promptfoo-parameters.ts';
import {
  readPrompts,
  fileVariables,
  ONLY_VARIABLES,
  type ForeignPrompt,
} from './promptfoo-prompts.ts';
import { readForeignTests } from './promptfoo-tests.ts';
import type { ForeignTest } from './promptfoo-values.ts';

/** Including keys that change no answer. */
const PROMPTFOO_KEYS =
  'prompts providers targets tests scenarios defaultTest description evaluateOptions $schema ' +
  'outputPath envPath env sharing commandLineOptions derivedMetrics metadata tags author';

const UNSUPPORTED_CONFIG = 'extensions nunjucksFilters tracing redteam passRateThreshold';

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
  const root = new Node(document, imported);
  if (!['prompts', 'providers', 'targets', 'tests', 'scenarios'].some((key) => key in root.map)) {
    problems.push(
      problem(
        document.file,
        'is not a promptfoo configuration: it has neither prompts, providers nor tests',
      ),
    );
    return imported;
  }
  root.loseUnread({
    read: PROMPTFOO_KEYS,
    lost: UNSUPPORTED_CONFIG,
    why: { passRateThreshold: 'set it in the settings, such as gate: { min_pass_rate: 0.85 }' },
  });
  // Providers are read last, but their losses are listed first.
  const later: Losses = { ...imported, left: [] };
  const suites = new Node(document, later);
  const prompts = await readPrompts(suites.at('prompts'), context);
  const shown = fileVariables(prompts);
  const read = await readForeignTests(suites, { ...context, shown }, isFixed(prompts));
  const tests = await sharedOptions(read, prompts, context);
  const structured = structuredNames(tests);
  const models = await readModels(root, { ...context, structured }, imported.models);
  const unread = later.left.filter(({ what }) => what === A_PROMPT).length;
  imported.left.push(...later.left);
  later.left = imported.left;
  imported.grader = importedGrader(root, imported.models);
  const isJson = prompts.length > 0 && prompts.every(({ form }) => form === 'json');
  const parts = { ...context, root, prompts, models, inputs: isJson ? 'vars' : 'sent' } as const;
  const asData = answersAsData(models);
  const { draft, carried } = await testsDraft(tests, { ...parts, asData, imported });
  const kept = await addDrafts({ ...parts, written: tests }, draft, imported);
  imported.carried = [
    { unit: 'prompt', of: prompts.length + unread, carried: kept },
    ...carried.map((share) => (kept === 0 ? { ...share, carried: 0 } : share)),
  ];
  return imported;
}

const isFixed = (prompts: readonly ForeignPrompt[]): boolean =>
  prompts.length > 0 &&
  prompts.every(
    ({ made, messages }) =>
      made === null && messages.every(({ template }) => pathsOf(template).length === 0),
  );

/** Parameters among the tests' options belong to the prompts, which all tests share. */
async function sharedOptions(
  tests: readonly ForeignTest[],
  prompts: readonly ForeignPrompt[],
  { files }: ImportContext,
): Promise<ForeignTest[]> {
  const groups = Map.groupBy(tests, ({ parameters }) => canonicalJson(parameters));
  const [shared, ...others] = [...groups.values()].sort((a, b) => b.length - a.length);
  for (const { node } of others.flat())
    node.lose(A_TEST, 'its options hold other model parameters than those of most tests');
  const [first] = shared ?? [];
  if (first === undefined) return [];
  const lost = (key: string, why: string) => first.node.lose(`options.${key}`, why);
  const given = convertibleMembers(await withFiles(first.parameters, first.node, files), lost);
  const parameters = readForeignParameters(given, lost);
  for (const prompt of prompts) prompt.parameters = { ...prompt.parameters, ...parameters };
  return shared ?? [];
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
  root: Node;
  prompts: readonly ForeignPrompt[];
  models: readonly LocatedModel[];
  written: readonly ForeignTest[];
  inputs: 'vars' | 'sent';
}

/** Returns how many prompts are converted. Some have messages that differ from test to test. */
async function addDrafts(
  parts: Parts,
  tests: DraftFile | null,
  { prompts: drafts }: Imported,
): Promise<number> {
  const { root, prompts, models, written, inputs } = parts;
  const { file } = root.place;
  const unique = uniqueNames();
  const { folder, name } = lastSteps(file);
  const stem = name.replace(/\.(?:ya?ml|json)$/, '');
  const base = folder === '' || folder === 'evals' || !stem.startsWith('promptfoo') ? stem : folder;
  let kept = 0;
  for (const [index, prompt] of prompts.entries()) {
    const made = await Promise.all(
      models.map((model) => madeMessages(prompt, model, written, inputs, parts)),
    );
    if (parts.code === 'written' && made.some((messages) => messages !== null)) {
      prompt.node.lose(A_PROMPT, ONLY_VARIABLES);
      continue;
    }
    kept += 1;
    const own = prompt.label ?? (prompts.length === 1 ? base : `${base} ${index + 1}`);
    for (const [at, model] of models.entries()) {
      const suite = unique(models.length === 1 ? own : `${own} (${model.label})`);
      const draft = promptfooPromptDraft(file, suite, prompt, model);
      drafts.push({ prompt: draft, tests, ...(made[at] && { made: made[at] }) });
    }
  }
  return kept;
}

function promptfooPromptDraft(
  file: string,
  name: string,
  prompt: ForeignPrompt,
  { model, parameters, node }: LocatedModel,
): DraftFile {
  const variables = new Set(
    prompt.messages.flatMap(({ template }) => pathsOf(template).map(variableOf)),
  );
  const value = {
    name,
    model,
    ...parameters,
    ...prompt.parameters,
    ...variablesEntry(variables),
    messages: sourceOf(prompt),
  };
  const ofModel = ['model', ...Object.keys(parameters)].map((key) => [key, node.place]);
  const ofPrompt = ['name', 'variables', 'messages', ...Object.keys(prompt.parameters)].map(
    (key) => [key, prompt.node.place],
  );
  const place = { file, line: 0 };
  const keys = Object.fromEntries([...ofModel, ...ofPrompt]);
  const draft = { value: placed(place, value, keys), place };
  return prompt.made === null
    ? { ...draft, written: prompt.messages.map(({ template }) => template.text) }
    : draft;
}
