import type { Field } from '../documents/document.ts';
import type { Files } from '../documents/files.ts';
import { compileGlob, globProblem, isBelow, stemOf } from '../documents/paths.ts';
import { problem } from '../errors.ts';
import type { GateSettings } from '../kernel/suite/gate-settings.ts';
import { everyMetric, metricsNamed } from '../kernel/suite/metrics.ts';
import type { Suite } from '../kernel/suite/suite.ts';
import { directionIn } from '../metrics/passing.ts';
import type { Settings, OwnSettings } from '../project/settings.ts';
import { counted } from '../text/amounts.ts';
import { didYouMean, nearest } from '../text/suggest.ts';
import type { Metric, Rubric } from '../types/metric.ts';
import type { Notice, Place, Problem } from '../types/plain.ts';
import type { SourceTree } from '../types/repository.ts';
import { metricsOf } from './check-suites.ts';
import { LLMEVAL_FILE, SETTINGS_FILE } from './file-names.ts';
import { isPrompt } from './prompt.ts';

interface CheckContext {
  suites: readonly Suite[];
  rubrics: ReadonlyMap<string, Rubric>;
  gate: Field;
}

export function checkGate(settings: Settings, checked: CheckContext, problems: Problem[]): void {
  const { suites, gate } = checked;
  const all = metricsOf(suites);
  problems.push(
    ...metricProblems(
      settings.gate.metrics,
      all,
      checked,
      (name) => gate.at('metrics', name).place,
    ),
  );
  for (const { tests } of suites) {
    const place = tests.gatePlace ?? { file: tests.file, line: 0 };
    problems.push(...metricProblems(tests.gate?.metrics, everyMetric(tests), checked, () => place));
    const unit = tests.gate?.unit ?? settings.gate.unit;
    if (unit !== 'references' || (tests.n_tries ?? settings.n_tries) !== 1) continue;
    const ofSettings = tests.gate?.unit === undefined && tests.n_tries === null;
    const message =
      'gate.unit is references, which combines several tries of each reference, but n_tries ' +
      'is 1: set n_tries to 2 or more, or unit to tries';
    problems.push(problem(ofSettings ? gate.at('unit').place : place, message));
  }
}

function metricProblems(
  written: GateSettings['metrics'],
  metrics: readonly Metric[],
  { rubrics }: CheckContext,
  placeOf: (name: string) => Place,
): Problem[] {
  return Object.entries(written ?? {}).flatMap(([name, word]): Problem[] => {
    const named = metricsNamed(name, metrics);
    if (named.length === 0)
      return [
        problem(
          placeOf(name),
          `gate.metrics: there is no metric "${name}"` +
            `${didYouMean(name, [...new Set(metrics.map((metric) => metric.name))])}`,
        ),
      ];
    const known = named.some(
      (metric) => directionIn(metric, rubrics, metric.name === name ? null : name) !== 'none',
    );
    return known || word === 'ignore'
      ? []
      : [
          problem(
            placeOf(name),
            `gate.metrics: it is unknown which values of "${name}" are better; add better: ` +
              'higher or better: lower to the metric',
          ),
        ];
  });
}

const MAX_LISTED_KEYS = 10;

export function misnamedSettings(paths: readonly string[], file: string | null): Problem[] {
  const isMisnamed = (path: string) =>
    path === 'evaldiff.yml' ||
    (file === null &&
      /^[\w-]+\.ya?ml$/.test(path) &&
      nearest(stemOf(path), ['evaldiff'], 'strict') !== null);
  const misnamed = paths.filter(
    (path) => path !== file && path !== SETTINGS_FILE && isMisnamed(path),
  );
  const remedy =
    file === null
      ? `rename it to ${SETTINGS_FILE}`
      : `move its content into ${file}, and delete it`;
  return misnamed.map((path) => problem(path, `is not read; ${remedy}`));
}

export async function unreadFiles(
  tree: SourceTree,
  files: Files,
  { settings, own }: { settings: Settings; own: readonly OwnSettings[] },
): Promise<Notice[]> {
  const { prompts, rubrics, file } = settings;
  const named = own.flatMap(({ key, files: of }) => of?.(settings[key as keyof Settings]) ?? []);
  const folders = [...prompts, ...rubrics]
    .filter((pattern) => globProblem(pattern) === null)
    .map(compileGlob)
    .filter(({ exact, root }) => !exact && root !== '')
    .map(({ root }) => root);
  const folderOf = (path: string) => folders.find((folder) => isBelow(path, folder));
  const unread = [...tree.files.keys()]
    .filter((path) => /\.(?:ya?ml|jsonl|ndjson|csv|tsv)$/.test(path) && !/(?:^|\/)[._]/.test(path))
    .filter((path) => folderOf(path) !== undefined)
    .filter((path) => !files.read.has(path) && !named.includes(path) && path !== file)
    .sort();
  const rest = unread.length - MAX_LISTED_KEYS;
  const listed = unread.slice(0, MAX_LISTED_KEYS).map(async (path, index): Promise<Notice> => {
    const why = isPrompt((await files.document(path, []))?.value)
      ? 'no pattern under prompts in the settings matches this prompt; write prompts: ' +
        `${folderOf(path) ?? ''}/**/*.{yaml,yml}`
      : 'no pattern under prompts or rubrics in the settings matches it, and no prompt names it ' +
        'in its defaults or tests';
    const more =
      index === MAX_LISTED_KEYS - 1 && rest > 0
        ? `; the same applies to ${counted(rest, 'further file')}`
        : '';
    const place = { file: path, line: 0 };
    return { kind: 'unused', place, message: `is not read: ${why}${more}` };
  });
  const message = `is not read, because ${SETTINGS_FILE} exists; move its content into ${SETTINGS_FILE}`;
  const second: Notice = { kind: 'unused', place: { file: LLMEVAL_FILE, line: 0 }, message };
  return [
    ...(file === SETTINGS_FILE && tree.files.has(LLMEVAL_FILE) ? [second] : []),
    ...(await Promise.all(listed)),
  ];
}
