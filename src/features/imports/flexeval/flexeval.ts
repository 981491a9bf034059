import type { FormatTools } from '../../../config/formats.ts';
import { UNNAMED_MODEL, vendorOf } from '../../../config/model-names.ts';
import type { Document } from '../../../documents/document.ts';
import { folderOf } from '../../../documents/paths.ts';
import { problem } from '../../../errors.ts';
import type { Settings } from '../../../project/settings.ts';
import {
  type JsonMap,
  type Place,
  type Problem,
  filledText,
  isMap,
  ownEntry,
} from '../../../types/plain.ts';
import { isVendor } from '../../../types/vendors.ts';
import {
  type DraftFile,
  type Imported,
  lastSteps,
  nothingImported,
  placed,
} from '../shared/draft.ts';
import { type ImportFiles, importFiles } from '../shared/files.ts';
import {
  type ImportedModel,
  entryFor,
  readForeignParameters,
  unknownProvider,
} from '../shared/models.ts';
import { Node, refuse, tryConvert } from '../shared/node.ts';
import { convertMetrics } from './flexeval-metrics.ts';

const REPEATS = 'nb_evaluations_per_thread';

const EVAL_KEYS =
  'do_completion name metrics completion_llm grader_llm function_modules data config';

const RUN_KEYS = 'data_sources eval rubric_paths function_modules config';

const CONFIG_KEYS =
  'logs_path env_filepath env clear_tables max_workers random_seed_conversation_sampling ' +
  'max_n_conversation_threads raise_on_completion_error raise_on_metric_error ' +
  'raise_on_duplicate_dataset_name raise_on_unnamed_dataset reuse_dataset_by_name notes ' +
  `add_default_functions database_path ${REPEATS}`;

export function importFlexEval(
  document: Document,
  { builtIns, files: all, settings: { grader } }: FormatTools,
  problems: Problem[],
): Imported {
  const imported = nothingImported();
  const root = new Node(document, imported);
  const { file } = document;
  const files = importFiles(all, folderOf(file), problems);
  const node = root.at('eval');
  if (!isMap(node.value) || !Array.isArray(root.map['data_sources'])) {
    problems.push(problem(file, 'is not a FlexEval file: it has no eval with data_sources'));
    return imported;
  }
  const otherwise = 'it is not part of the format';
  root.loseUnread({ read: `${RUN_KEYS} ${CONFIG_KEYS}`, otherwise });
  node.loseUnread({ read: `${EVAL_KEYS} ${CONFIG_KEYS}`, otherwise });
  const rubrics = rubricFiles(root, files, problems);
  const completes = node.map['do_completion'] === true;
  const metrics = convertMetrics(node.at('metrics'), { builtIns, completes });
  const data = root
    .at('data_sources')
    .items()
    .flatMap((source) => dataFile(source, files));
  const name =
    filledText(node.map['name']) ?? lastSteps(file).name.replace(/(?:\.flexeval)?\.ya?ml$/, '');
  const isEmpty = metrics.length === 0 || data.length === 0;
  const share = isEmpty ? 0 : 1;
  const written = ['function', 'rubric'].flatMap((kind) => node.at('metrics', kind).items());
  imported.carried = [
    { unit: 'eval', of: 1, carried: share },
    { unit: 'metric', of: written.length, carried: share * metrics.length },
  ];
  if (isEmpty)
    node.lose(
      `the eval ${name}`,
      metrics.length === 0
        ? 'no metric for its dialogues could be converted'
        : 'none of its data could be converted',
    );
  else {
    node.remark(`${name}: ${completes ? ONLY_NEW : SHARE}; ${NO_BOUNDS}`);
    withGrader(node.at('grader_llm'), metrics, imported, grader);
    const repeats = [node, node.at('config'), root.at('config'), root]
      .map(({ map }) => map[REPEATS] ?? null)
      .find((value) => value !== null);
    const tests = {
      ...(repeats === undefined || repeats === 1 ? {} : { n_tries: repeats }),
      do_completion: completes,
      metrics,
      references_from: data,
    };
    imported.prompts.push({
      prompt: promptDraft(node, name, completes, imported.models),
      tests: { value: tests, place: node.place },
    });
  }
  return rubrics.length === 0 ? imported : { ...imported, rubrics };
}

const ONLY_NEW =
  'only the new answer is judged, because earlier turns are the same on both sides ' +
  '(every: true judges them too)';

const SHARE = 'the share of turns that pass a rubric is compared (every: 1 requires all of them)';

const NO_BOUNDS =
  'the values of function metrics are shown but do not affect the verdict, because FlexEval sets ' +
  'no bounds (to let one affect it, remove skip, or set with: { min: … } or a threshold)';

function dataFile(source: Node, files: ImportFiles): JsonMap[] {
  const { value, map } = source;
  const written: JsonMap = typeof value === 'string' ? { path: value } : map;
  const { path, type = 'file', format = 'jsonl' } = written;
  const isRead = type === 'file' && format === 'jsonl' && typeof path === 'string';
  return isRead && !/\.(?:db|sqlite3?)$/.test(path)
    ? locateFile(path, source.place, files).map(({ file, place }) =>
        placed(place, { file, map: { input: 'input' } }),
      )
    : source.lose('a data source', 'only JSONL files of the repository are read');
}

/** Paths are relative to FlexEval's working directory, the root. */
const locateFile = (path: string, place: Place, files: ImportFiles) =>
  files.paths(path, place, '').map((file) => ({ file, place }));

function rubricFiles(root: Node, files: ImportFiles, problems: Problem[]) {
  return root
    .at('rubric_paths')
    .items()
    .flatMap(({ value, place }) => {
      if (typeof value === 'string') return locateFile(value, place, files);
      problems.push(problem(place, 'rubric_paths must be a list of files'));
      return [];
    });
}

const OWN_ARGUMENTS = ['model_name', 'model', 'api_key_name', 'key_name', 'endpoint', 'n'];

const OTHER_COMPLETION =
  'only OpenAI and LiteLLM are read; use a server: models: { app: { provider: openai, ' +
  'endpoint: app } }, or your own program: models: { app: { provider: program, command: […] } }';

type Read = (kwargs: JsonMap) => Pick<ImportedModel, 'model' | 'entry'>;

const FUNCTIONS: Readonly<Record<string, Read>> = {
  open_ai_completion: readOpenAiModel,
  open_ai_completion_async: readOpenAiModel,
  litellm_completion: litellm,
};

/** Reports what is lost of it as parts of `what`. */
export function convertLlm(written: Node, what: string): Omit<ImportedModel, 'label'> {
  const { function_name: name, kwargs: given } = written.map;
  if (typeof name !== 'string') return refuse('it names no completion function');
  const kwargs = isMap(given) ? given : {};
  const { model, entry } = tryConvert(
    () => (ownEntry(FUNCTIONS, name) ?? refuse(OTHER_COMPLETION))(kwargs),
    (why) => refuse(`${name}: ${why}`),
  );
  const lost = (key: string, why: string) => written.lose(`${key} of ${what}`, why);
  if ((kwargs['n'] ?? 1) !== 1) lost('n', 'for several answers use n_tries');
  const rest = Object.entries(kwargs).filter(([key]) => !OWN_ARGUMENTS.includes(key));
  const parameters = readForeignParameters(Object.fromEntries(rest), lost);
  return { model, entry, parameters };
}

function readOpenAiModel(kwargs: JsonMap): ReturnType<Read> {
  const model = filledText(kwargs['model_name']) ?? refuse('it names no model');
  return { model, entry: entryFor('openai', model) };
}

/** Reads LiteLLM's names of models, such as `anthropic/claude-sonnet-4-5`. */
function litellm(kwargs: JsonMap): ReturnType<Read> {
  const written =
    filledText(kwargs['model']) ?? filledText(kwargs['model_name']) ?? refuse('it names no model');
  const slash = written.indexOf('/');
  const vendor = slash === -1 ? (vendorOf(written) ?? '') : written.slice(0, slash);
  const model = written.slice(slash + 1);
  return isVendor(vendor)
    ? { model, entry: entryFor(vendor, model) }
    : refuse(unknownProvider(`the provider of "${written}"`));
}

const RECORDED = 'recorded';

/**
 * The first grader without parameters becomes the project's grader. The others are set on their
 * metrics.
 */
function withGrader(
  grader: Node,
  metrics: readonly JsonMap[],
  imported: Imported,
  settingsGrader: Settings['grader'],
): void {
  if (grader.value === null) return;
  const found = llmAt(grader, 'grader_llm', imported.models);
  if (found === null) return;
  const plain = Object.keys(found.parameters).length === 0;
  if (plain && settingsGrader === null)
    imported.grader ??= { model: found.model, place: grader.place };
  if (plain && (settingsGrader ?? imported.grader)?.model === found.model) return;
  for (const metric of metrics)
    if ('rubric' in metric) metric['grader'] = { model: found.model, ...found.parameters };
}

function llmAt(
  written: Node,
  what: string,
  models: Imported['models'],
  instead = '',
): ReturnType<typeof convertLlm> | null {
  return tryConvert(
    () => {
      const found = convertLlm(written, what);
      if (found.entry !== null) models[found.model] = found.entry;
      return found;
    },
    (why) => {
      written.lose(what, `${why}${instead}`);
      return null;
    },
  );
}

/** The prompt's message is never sent, because each recorded dialogue replaces it. */
function promptDraft(
  foreign: Node,
  name: string,
  completes: boolean,
  models: Imported['models'],
): DraftFile {
  const { place } = foreign;
  const completion = foreign.at('completion_llm');
  const messages = [
    { role: 'user', content: 'The dialogue of each reference replaces this message.' },
  ];
  if (!completes) {
    models[RECORDED] = { provider: 'openai', model: RECORDED };
    return { value: { name, model: RECORDED, messages }, place };
  }
  const instead = `; models: { ${UNNAMED_MODEL}: … } in the settings sets the model`;
  const found = llmAt(completion, 'completion_llm', models, instead);
  if (completion.map['include_system_prompt'] === false)
    completion.lose(
      'include_system_prompt',
      'the recorded system prompt is sent; a system message of the prompt replaces it',
    );
  const model = found?.model ?? UNNAMED_MODEL;
  const value = { name, model, ...found?.parameters, messages };
  return { value: placed(place, value, { model: completion.place }), place };
}
