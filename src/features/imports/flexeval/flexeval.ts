import type { FormatTools } from '../../../config/formats.ts';
import type { Document } from '../../../documents/document.ts';
import { problem } from '../../../errors.ts';
import type { BuiltInMetrics } from '../../../metrics/definition.ts';
import type { Settings } from '../../../project/settings.ts';
import { filledText, isMap, type Json, type JsonMap, type Problem } from '../../../types/plain.ts';
import {
  lastSteps,
  nothingImported,
  placed,
  type DraftFile,
  type Imported,
  uniqueNames,
} from '../shared/draft.ts';
import { importFiles } from '../shared/files.ts';
import { Node, isAmong } from '../shared/node.ts';
import {
  dataFiles,
  rubricFiles,
  type FlexEvalFiles,
  type FunctionModule,
  type LocatedFile,
  functionModules,
} from './flexeval-files.ts';
import { convertMetrics } from './flexeval-metrics.ts';
import { promptDraft, withGrader } from './flexeval-models.ts';
import { isFlexEval } from './is-flexeval.ts';

interface ForeignEval {
  key: string | null;
  node: Node;
  data: Node[];
  /** If configurations differ, later ones take precedence. */
  configs: Node[];
}

interface EvalContext {
  files: FlexEvalFiles;
  imported: Imported;
  builtIns: BuiltInMetrics;
  modules: readonly FunctionModule[];
  settingsGrader: Settings['grader'];
  unique(wanted: string): string;
}

const REPEATS = 'nb_evaluations_per_thread';

const EVAL_KEYS =
  'do_completion name metrics completion_llm grader_llm function_modules data config';

const RUN_KEYS = 'data_sources eval rubric_paths function_modules config';

const ABOUT_RUNNING = 'it configures how FlexEval runs and stores, not what it measures';

const CONFIG_KEYS =
  'logs_path env_filepath env clear_tables max_workers random_seed_conversation_sampling ' +
  'max_n_conversation_threads raise_on_completion_error raise_on_metric_error ' +
  'raise_on_duplicate_dataset_name raise_on_unnamed_dataset reuse_dataset_by_name notes ' +
  `add_default_functions database_path ${REPEATS}`;

export async function importFlexEval(
  document: Document,
  { builtIns, files: tree, settings: { grader: settingsGrader } }: FormatTools,
  problems: Problem[],
): Promise<Imported> {
  const imported = nothingImported();
  const root = new Node(document, imported);
  const { file } = document;
  const files = { ...importFiles(tree, '', problems), file, problems };
  if (!isFlexEval(root.value)) {
    problems.push(
      problem(
        file,
        'is not a FlexEval file: it has neither an eval with data_sources nor evals with metrics',
      ),
    );
    return imported;
  }
  const evals = evalsOf(root);
  const rubrics = rubricFiles(root, files);
  const modules = await functionModules(root, files);
  const unique = uniqueNames();
  for (const foreign of evals)
    importEval(foreign, { files, imported, builtIns, modules, settingsGrader, unique });
  imported.carried = carriedShares(evals, imported);
  return rubrics.length === 0 ? imported : { ...imported, rubrics };
}

function carriedShares(evals: readonly ForeignEval[], { prompts }: Imported): Imported['carried'] {
  const written = evals.flatMap(({ node }) =>
    ['function', 'rubric'].flatMap((kind) => node.at('metrics', kind).items()),
  );
  const metrics = prompts.flatMap(({ tests }) => tests?.value['metrics'] ?? []);
  return [
    { unit: 'eval', of: evals.length, carried: prompts.length },
    { unit: 'metric', of: written.length, carried: metrics.length },
  ];
}

function evalsOf(root: Node): ForeignEval[] {
  const { map } = root;
  if (!isMap(map['eval']))
    return Object.keys(map).map((key) => ({
      key,
      node: root.at(key),
      data: root.at(key, 'data').items(),
      configs: [root.at(key, 'config')],
    }));
  root.loseUnread({ read: `${RUN_KEYS} ${CONFIG_KEYS}`, otherwise: NO_PART });
  const node = root.at('eval');
  const configs = [root, root.at('config'), node.at('config')];
  return [{ key: null, node, data: root.at('data_sources').items(), configs }];
}

const NO_PART = 'it is not part of the format';

function importEval(
  { key, node, data: sources, configs }: ForeignEval,
  context: EvalContext,
): void {
  const { imported, settingsGrader, files } = context;
  const { map: written } = node;
  if (!isMap(node.value)) return;
  node.loseUnread({ read: `${EVAL_KEYS} ${CONFIG_KEYS}`, otherwise: NO_PART });
  const completes = written['do_completion'] === true;
  const metrics = convertMetrics(node.at('metrics'), { ...context, completes });
  const data = sources.flatMap((source) => dataFiles(source, files));
  const name = context.unique(evalName(written['name'], key, files.file));
  if (metrics.length === 0 || data.length === 0) {
    node.lose(
      `the eval ${name}`,
      metrics.length === 0
        ? 'no metric for its dialogues could be converted'
        : 'none of its data could be converted',
    );
    return;
  }
  const judged = completes
    ? 'only the new answer is judged, because earlier turns are the same on both sides ' +
      '(every: true judges them too)'
    : 'the share of turns that pass a rubric is compared (all: true requires all of them)';
  node.remark(
    `${name}: ${judged}; the values of function metrics are shown but do not affect the verdict, ` +
      'because FlexEval sets no bounds (to let one affect it, remove skip, or set with: ' +
      '{ min: … } or a threshold)',
  );
  withGrader(node.at('grader_llm'), metrics, imported, settingsGrader);
  imported.prompts.push({
    prompt: promptDraft(node, name, completes, imported.models),
    tests: flexEvalTestsDraft(node, configs, { completes, metrics, data }),
  });
}

function evalName(written: Json | undefined, key: string | null, file: string): string {
  if (key !== null) return key;
  return filledText(written) ?? lastSteps(file).name.replace(/(?:\.flexeval)?\.ya?ml$/, '');
}

interface TestParts {
  completes: boolean;
  metrics: readonly JsonMap[];
  data: readonly LocatedFile[];
}

function flexEvalTestsDraft(
  node: Node,
  configs: readonly Node[],
  { completes, metrics, data }: TestParts,
): DraftFile {
  const repeats = triesPerThread(node, configs);
  const value = {
    ...(repeats > 1 ? { n_tries: repeats } : {}),
    do_completion: completes,
    metrics: [...metrics],
    references_from: data.map(({ file, place }) =>
      placed(place, { file, map: { input: 'input' } }),
    ),
  };
  return { value, place: node.place };
}

function triesPerThread(node: Node, configs: readonly Node[]): number {
  let repeats = 1;
  for (const config of [...configs, node])
    for (const [key, value] of Object.entries(config.map))
      if (key === REPEATS && typeof value === 'number') repeats = value;
      else if (isAmong(CONFIG_KEYS, key))
        config.at(key).remark(`${key} is not converted: ${ABOUT_RUNNING}`);
  return repeats;
}
