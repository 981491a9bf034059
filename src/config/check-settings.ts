import { compileGlob, globProblem, isBelow } from '../documents/paths.ts';
import { problem } from '../errors.ts';
import type { GateSettings } from '../kernel/suite/gate-settings.ts';
import { everyMetric, metricsNamed } from '../kernel/suite/metrics.ts';
import type { Suite } from '../kernel/suite/suite.ts';
import { directionIn } from '../metrics/passing.ts';
import type { Settings, OwnSettings } from '../project/settings.ts';
import { counted } from '../text/amounts.ts';
import { didYouMean } from '../text/suggest.ts';
import type { Metric, Rubric } from '../types/metric.ts';
import type { Notice, Place, Problem } from '../types/plain.ts';
import type { SourceTree } from '../types/repository.ts';
import { LLMEVAL_FILE, SETTINGS_FILE } from './file-names.ts';

interface CheckContext {
  suites: readonly Suite[];
  rubrics: ReadonlyMap<string, Rubric>;
  placeOf(path: readonly string[]): Place;
}

/** Reports metrics and roll-ups that the gate requires and the suites lack. */
export function checkGate(settings: Settings, checked: CheckContext, problems: Problem[]): void {
  const { suites, placeOf } = checked;
  const all = suites.flatMap(({ tests }) => everyMetric(tests));
  problems.push(
    ...metricProblems(settings.gate.metrics, all, checked, (name) => placeOf(['metrics', name])),
  );
  for (const { tests } of suites) {
    const place = tests.gatePlace ?? { file: tests.file, line: 0 };
    problems.push(...metricProblems(tests.gate?.metrics, everyMetric(tests), checked, () => place));
    const unit = tests.gate?.unit ?? settings.gate.unit;
    if (unit !== 'references' || (tests.n_tries ?? settings.n_tries) !== 1) continue;
    const ofSettings = tests.gate?.unit === undefined && tests.n_tries === null;
    const message =
      'gate.unit is references, which compares what the roll-up makes of several tries, ' +
      'and n_tries is 1: set n_tries to 2 or more, or unit: tries';
    problems.push(problem(ofSettings ? placeOf(['unit']) : place, message));
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
    const known = named.some((metric) => directionIn(metric, rubrics) !== 'none');
    return known || word === 'ignore'
      ? []
      : [
          problem(
            placeOf(name),
            `gate.metrics: nothing says which way "${name}" gets worse; say better: higher ` +
              'or better: lower beside the metric',
          ),
        ];
  });
}

const MISNAMED_FILE = 'evaldiff.yml';

const MAX_LISTED_KEYS = 10;

/** Reports files that look like project files but are not read. `read`: paths that were read. */
export function checkUnread(
  tree: SourceTree,
  read: ReadonlySet<string>,
  { settings, own }: { settings: Settings; own: readonly OwnSettings[] },
  problems: Problem[],
  notices: Notice[],
): void {
  problems.push(...misnamedSettings(tree, settings.file));
  notices.push(...secondSettings(tree, settings.file));
  notices.push(
    ...unreadFiles(
      tree,
      read,
      settings,
      own.flatMap(({ key, files }) => files?.(settings[key as keyof Settings]) ?? []),
    ),
  );
}

function misnamedSettings({ files }: SourceTree, file: string | null): Problem[] {
  if (!files.has(MISNAMED_FILE) || file === MISNAMED_FILE) return [];
  const remedy =
    file === null
      ? `rename it to ${SETTINGS_FILE}`
      : `move what it says into ${file}, and delete it`;
  return [problem({ file: MISNAMED_FILE, line: 0 }, `is not read; ${remedy}`)];
}

function secondSettings({ files }: SourceTree, file: string | null): Notice[] {
  if (file !== SETTINGS_FILE || !files.has(LLMEVAL_FILE)) return [];
  const message = `is not read, for ${file} is there; move what it says into ${file}`;
  return [{ kind: 'unused', place: { file: LLMEVAL_FILE, line: 0 }, message }];
}

function unreadFiles(
  { files }: SourceTree,
  read: ReadonlySet<string>,
  { prompts, rubrics, file }: Settings,
  own: readonly string[],
): Notice[] {
  const folders = [...prompts, ...rubrics]
    .filter((pattern) => globProblem(pattern) === null)
    .map(compileGlob)
    .filter(({ exact, root }) => !exact && root !== '')
    .map(({ root }) => root);
  const unread = [...files.keys()]
    .filter((path) => /\.ya?ml$/.test(path) && !/(?:^|\/)[._]/.test(path))
    .filter((path) => folders.some((folder) => isBelow(path, folder)))
    .filter((path) => !read.has(path) && !own.includes(path) && path !== file)
    .sort();
  const rest = unread.length - MAX_LISTED_KEYS;
  return unread.slice(0, MAX_LISTED_KEYS).map((path, index) => ({
    kind: 'unused',
    place: { file: path, line: 0 },
    message:
      `is not read: no pattern of prompts or rubrics takes it, and no prompt names it in its defaults` +
      (index === MAX_LISTED_KEYS - 1 && rest > 0
        ? `; the same holds for ${counted(rest, 'further file')}`
        : ''),
  }));
}
