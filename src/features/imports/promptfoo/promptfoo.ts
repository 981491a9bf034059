import type { FormatTools } from '../../../config/formats.ts';
import { pathsOf, variableOf } from '../../../config/templates.ts';
import { type Document, valueAt } from '../../../documents/document.ts';
import { folderOf } from '../../../documents/paths.ts';
import { problem } from '../../../errors.ts';
import { canonicalJson } from '../../../kernel/suite/canonical-json.ts';
import { groupByEqualKey } from '../../../report/sections/order.ts';
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
import { Node, readEach } from '../shared/node.ts';
import { mapTexts } from '../shared/templates.ts';
import { madeMessages, sourceOf } from './made-prompts.ts';
import { structuredNames, testsDraft, type TestsContext } from './promptfoo-drafts.ts';
import {
  answersAsData,
  importedGrader,
  readModel,
  readModels,
  type LocatedModel,
  type ModelContext,
} from './promptfoo-models.ts';
import { convertibleMembers, textsIn, withFiles } from './promptfoo-parameters.ts';
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
  const imported = nothingImported();
  const document = configurationOf(written);
  const root = new Node(document, imported);
  const context = { ...tools, files, root, imported };
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
  const prompts = await readPrompts(context);
  const unread = imported.left.filter(({ what }) => what === A_PROMPT).length;
  const given = { ...context, shown: fileVariables(prompts) };
  const unchained = withoutChains(await readForeignTests(given, isFixed(prompts)), prompts);
  const reading = { ...context, structured: structuredNames(unchained) };
  const models = await readModels(reading);
  imported.grader = importedGrader(context);
  const groups = await testGroups(unchained, models, reading);
  const tests = groups.flatMap((group) => group.tests);
  const isJson = prompts.length > 0 && prompts.every(({ form }) => form === 'json');
  const parts: TestsContext = {
    ...reading,
    prompts,
    models,
    inputs: isJson ? 'vars' : 'sent',
    asData: answersAsData(groups.flatMap((group) => group.models)),
  };
  const { draft, carried } = await testsDraft(tests, parts);
  const kept = await addDrafts({ ...parts, groups }, draft);
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

/**
 * Loses tests that can contain an answer to an earlier test. promptfoo runs such tests one at a time,
 * and keeps the last answer of any model.
 */
function withoutChains(
  tests: readonly ForeignTest[],
  prompts: readonly ForeignPrompt[],
): ForeignTest[] {
  const asked = prompts.flatMap(({ made, messages }) => {
    if (made === null) return messages.map(({ template }) => template.text);
    return made.kind === 'code' ? made.source : made.messages.map(({ content }) => content);
  });
  const stored = new Set<string>();
  return tests.filter(({ node, storesAs, vars, assertions }) => {
    if (storesAs !== null) stored.add(storesAs);
    const texts = [...asked, ...textsIn([vars, ...assertions.map(({ value }) => value)])];
    const name = [...stored].find((each) => each in vars || texts.some(reads(each)));
    if (name !== undefined)
      node.lose(A_TEST, `it can contain the answer to an earlier test (storeOutputAs: ${name})`);
    return name === undefined;
  });
}

/** Whether a template or code can read the variable. Code in a file can read all. */
function reads(name: string): (text: string) => boolean {
  const word = `\\b${name.replace(/\W/g, '\\W')}\\b`;
  const use = new RegExp(
    `\\{[^}]*${word}|\\bvars\\b.{0,20}${word}|^file://.*\\.(?:[cm]?[jt]s|py)\\b`,
  );
  return (text) => use.test(text);
}

type TestGroup = Awaited<ReturnType<typeof testGroups>>[number];

/** Tests with the same models and parameters, the most tests first. */
async function testGroups(
  all: readonly ForeignTest[],
  models: readonly LocatedModel[],
  context: ModelContext,
) {
  const same = groupByEqualKey(all, ({ provider, parameters }) =>
    canonicalJson([provider?.value ?? null, parameters]),
  ).sort((a, b) => b.length - a.length);
  const groups = await readEach(same, async (tests) => {
    const [{ node, provider, parameters: written }] = tests;
    const lost = (key: string, why: string) => node.lose(`options.${key}`, why);
    const given = convertibleMembers(await withFiles(written, node, context.files), lost);
    const own =
      provider &&
      (await readModel(provider, context, (why) => {
        for (const test of tests) test.node.lose(A_TEST, `its own provider does not run: ${why}`);
      }));
    const parameters = readForeignParameters(given, lost);
    if (provider !== null && own === null) return [];
    return [{ tests, models: own === null ? models : [own], parameters, own }];
  });
  return groups.length > 0 ? groups : [{ tests: [], models, parameters: {}, own: null }];
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

function labelOf(file: string): string {
  const { folder, name } = lastSteps(file);
  const stem = name.replace(/\.(?:ya?ml|json)$/, '');
  return ['', 'evals'].includes(folder) || !stem.startsWith('promptfoo') ? stem : folder;
}

/** Returns how many prompts are converted. Some have messages that differ from test to test. */
async function addDrafts(
  parts: TestsContext & { groups: readonly TestGroup[] },
  tests: DraftFile | null,
): Promise<number> {
  const { root, prompts, groups, inputs, imported } = parts;
  const { file } = root.place;
  const unique = uniqueNames();
  const base = labelOf(file);
  const references = [tests?.value['references'] ?? []].flat();
  const asked = groups.flatMap((group) => {
    const own = references.splice(0, group.tests.length);
    const draft = tests && { ...tests, value: { ...tests.value, references: own } };
    return group.models.map((model) => ({ ...group, model, draft }));
  });
  let kept = 0;
  for (const [index, prompt] of prompts.entries()) {
    const made = await Promise.all(
      asked.map((each) => madeMessages(prompt, each.model, each.tests, inputs, parts)),
    );
    if (parts.code === 'written' && made.some((messages) => messages !== null)) {
      prompt.node.lose(A_PROMPT, ONLY_VARIABLES);
      continue;
    }
    kept += 1;
    const label = prompt.label ?? (prompts.length === 1 ? base : `${base} ${index + 1}`);
    for (const [at, { model, models, own, parameters, draft }] of asked.entries()) {
      const suite = unique(
        own === null && models.length === 1 ? label : `${label} (${model.label})`,
      );
      const changed = { ...prompt, parameters: { ...prompt.parameters, ...parameters } };
      imported.prompts.push({
        prompt: promptfooPromptDraft(file, suite, changed, model),
        tests: draft,
        ...(made[at] && { made: made[at] }),
      });
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
