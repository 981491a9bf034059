import type { FormatTools } from '../../../config/formats.ts';
import { type Document, type Path, valueAt } from '../../../documents/document.ts';
import { problem } from '../../../errors.ts';
import { isMap, type Json, type Place, type Problem, ownEntry } from '../../../types/plain.ts';
import {
  isAmong,
  createDraft,
  lastSteps,
  nothingImported,
  type DraftFile,
  type Imported,
  uniqueNames,
  lose,
  addRemark,
} from '../shared/draft.ts';
import {
  dataFile,
  listAt,
  rubricFiles,
  type EvalContext,
  type FlexEvalContext,
  functionModules,
} from './flexeval-files.ts';
import { convertMetrics, type ForeignMetric } from './flexeval-metrics.ts';
import { promptDraft, withGrader } from './flexeval-models.ts';
import { isFlexEval } from './is-flexeval.ts';

interface ForeignEval {
  key: string | null;
  path: Path;
  data: { path: Path; value: Json }[];
}

const REPEATS = 'nb_evaluations_per_thread';

const EVAL_KEYS =
  'do_completion name metrics completion_llm grader_llm function_modules data config';

const RUN_KEYS = ['data_sources', 'eval', 'rubric_paths', 'function_modules', 'config'];

const ABOUT_RUNNING = 'it is about how FlexEval runs and stores, not about what is measured';

const UNSUPPORTED_EVAL_KEYS: Readonly<Record<string, string>> = {
  notes: 'notes stay in the file',
  add_default_functions: 'built-in metrics are there in any case',
  max_n_conversation_threads:
    'every dialogue runs; references_from names another file for a sample',
  random_seed_conversation_sampling: 'every dialogue runs',
  database_path: ABOUT_RUNNING,
  env: "keys come from the run's environment",
  env_filepath: "keys come from the run's environment",
};

const LOSSES = ['max_n_conversation_threads'];

const CONFIG_KEYS = [
  ...(
    'logs_path env_filepath env clear_tables max_workers random_seed_conversation_sampling ' +
    'max_n_conversation_threads raise_on_completion_error raise_on_metric_error ' +
    'raise_on_duplicate_dataset_name raise_on_unnamed_dataset reuse_dataset_by_name'
  ).split(' '),
  REPEATS,
];

/** Dialogues become references; functions and rubrics become metrics. */
export async function importFlexEval(
  document: Document,
  { builtIns, files }: FormatTools,
  problems: Problem[],
): Promise<Imported> {
  const context: FlexEvalContext = {
    builtIns,
    absence: files.absence,
    text: async (path) => {
      const read = await files.data(path, { file: '', line: 0 }, problems);
      return read && new TextDecoder().decode(read.content).replaceAll('\r\n', '\n');
    },
  };
  const imported = nothingImported();
  if (!isMap(document.value) || !isFlexEval(document.value)) {
    problems.push(
      problem(
        { file: document.file, line: 0 },
        'is not a file of FlexEval: it has neither an eval with data_sources nor evals with metrics',
      ),
    );
    return imported;
  }
  const evals = evalsOf(document, imported);
  const rubrics = rubricFiles(document, context, problems);
  const modules = await functionModules(document, context, imported.left, problems);
  const unique = uniqueNames();
  for (const foreign of evals)
    importEval(document, foreign, { ...context, modules, imported, unique, problems });
  imported.carried = carriedShares(document, evals, imported);
  return rubrics.length === 0 ? imported : { ...imported, rubrics };
}

function carriedShares(
  document: Document,
  evals: readonly ForeignEval[],
  { prompts }: Imported,
): Imported['carried'] {
  const written = evals.flatMap(({ path }) =>
    ['function', 'rubric'].flatMap((kind) => listAt(document, [...path, 'metrics', kind])),
  );
  const metrics = prompts.flatMap(({ tests }) => tests?.value['metrics'] ?? []);
  return [
    { unit: 'eval', of: evals.length, carried: prompts.length },
    { unit: 'metric', of: written.length, carried: metrics.length },
  ];
}

function evalsOf(document: Document, { left, remarks }: Imported): ForeignEval[] {
  const value = document.value;
  if (!isMap(value)) return [];
  if (!isMap(value['eval']))
    return Object.keys(value).map((key) => ({
      key,
      path: [key],
      data: listAt(document, [key, 'data']),
    }));
  for (const key of Object.keys(value).filter((each) => !RUN_KEYS.includes(each))) {
    const why = ownEntry(UNSUPPORTED_EVAL_KEYS, key);
    lose(
      why === undefined || LOSSES.includes(key) ? left : remarks,
      document.placeOf([key]),
      key,
      why ?? 'it is not part of the format',
    );
  }
  return [{ key: null, path: ['eval'], data: listAt(document, ['data_sources']) }];
}

function importEval(document: Document, foreign: ForeignEval, context: EvalContext): void {
  const { imported, builtIns, modules } = context;
  const { left } = imported;
  const written = valueAt(document.value, foreign.path);
  if (!isMap(written)) return;
  for (const key of Object.keys(written).filter(
    (each) => !isAmong(EVAL_KEYS, each) && !CONFIG_KEYS.includes(each),
  ))
    lose(
      left,
      document.placeOf([...foreign.path, key]),
      key,
      ownEntry(UNSUPPORTED_EVAL_KEYS, key) ?? 'it is not part of the format',
    );
  const completes = written['do_completion'] === true;
  const metrics = convertMetrics(
    document,
    [...foreign.path, 'metrics'],
    { builtIns, modules, completes },
    left,
  );
  const data = foreign.data.flatMap((source) => dataFile(document, source, context) ?? []);
  const name = context.unique(evalName(written['name'], foreign.key, document.file));
  const place = document.placeOf(foreign.path);
  if (metrics.length === 0) {
    lose(left, place, `the eval ${name}`, 'nothing is left that judges its dialogues');
    return;
  }
  if (data.length === 0) {
    lose(left, place, `the eval ${name}`, 'no data is left that could be judged');
    return;
  }
  addRemark(
    imported.remarks,
    place,
    [
      `${name}: `,
      completes
        ? 'the new answer is judged; the turns before it are the same on both sides (every: true ' +
          'judges them too)'
        : 'a dialogue passes a rubric when all of its turns do (every: 0.9 asks for nine of ten)',
      '; functions are shown and do not gate, for they have no bounds there ',
      '(remove skip, or give with: { min: … } or a threshold, to make one gate)',
    ].join(''),
  );
  withGrader(document, foreign.path, metrics, imported);
  imported.prompts.push({
    prompt: promptDraft(document, foreign.path, name, completes, imported),
    tests: flexEvalTestsDraft(document, foreign, { completes, metrics, data }, imported),
  });
}

function evalName(written: Json | undefined, key: string | null, file: string): string {
  if (key !== null) return key;
  return typeof written === 'string' && written !== ''
    ? written
    : lastSteps(file).name.replace(/(?:\.flexeval)?\.ya?ml$/, '');
}

interface TestParts {
  completes: boolean;
  metrics: readonly ForeignMetric[];
  data: readonly { file: string; place: Place }[];
}

function flexEvalTestsDraft(
  document: Document,
  { path }: ForeignEval,
  { completes, metrics, data }: TestParts,
  imported: Imported,
): DraftFile {
  const draft = createDraft(document.placeOf(path));
  const repeats = configOf(document, path, imported);
  Object.assign(draft.value, {
    ...(repeats === null ? {} : { n_tries: repeats }),
    do_completion: completes,
    metrics: metrics.map(({ metric }) => metric),
    references_from: data.map(({ file }) => ({ file, map: { input: 'input' } })),
  });
  metrics.forEach((metric, index) => {
    draft.from(['metrics', index], document.placeOf(metric.path));
    if (metric.code !== null)
      draft.from(['metrics', index, 'code'], { file: metric.code, line: 0 });
    listAt(document, [...metric.path, 'depends_on']).forEach((condition, at) => {
      draft.from(['metrics', index, 'depends_on', at], document.placeOf(condition.path));
    });
  });
  data.forEach(({ place }, index) => {
    draft.from(['references_from', index], place);
  });
  return draft;
}

function configOf(document: Document, path: Path, { left, remarks }: Imported): number | null {
  // The eval's key wins over its configuration's, and that over the run's.
  const places: Path[] = [...(path[0] === 'eval' ? [['config']] : []), [...path, 'config'], path];
  const written = places.flatMap((at) => {
    const map = valueAt(document.value, at);
    return Object.entries(isMap(map) ? map : {})
      .filter(([key]) => at !== path || CONFIG_KEYS.includes(key))
      .map(([key, value]) => ({ key, value, at: [...at, key] }));
  });
  const isRepeats = ({ key, value }: { key: string; value: Json }): boolean =>
    key === REPEATS && typeof value === 'number';
  for (const { key, at } of written.filter((entry) => !isRepeats(entry)))
    lose(
      LOSSES.includes(key) ? left : remarks,
      document.placeOf(at),
      key,
      ownEntry(UNSUPPORTED_EVAL_KEYS, key) ?? ABOUT_RUNNING,
    );
  const repeats = written.findLast(isRepeats)?.value;
  return typeof repeats === 'number' && repeats > 1 ? repeats : null;
}
