import { compileGlob, globProblem, isBelow } from '../documents/paths.ts';
import { problem } from '../errors.ts';
import type { GateSettings } from '../suite/gate-settings.ts';
import { directionIn, everyMetric, metricsNamed, type BuiltInMetrics } from '../suite/metrics.ts';
import type { Settings, Suite } from '../suite/suite.ts';
import { counted } from '../text/amounts.ts';
import { suggestion } from '../text/suggest.ts';
import type { Metric, Rubric } from '../types/metric.ts';
import type { Place, Problem, Notice } from '../types/plain.ts';
import type { SourceTree } from '../types/repository.ts';
import { SETTINGS_FILE } from './settings.ts';

/** What the checks of a gate look at. */
interface Checked {
  suites: readonly Suite[];
  rubrics: ReadonlyMap<string, Rubric>;
  tools: { builtInMetrics: BuiltInMetrics };
  /** Where a key below `gate` of the settings is written. */
  placeOf(path: readonly string[]): Place;
}

/** What the gate asks of metrics and roll-ups that these suites cannot give. */
export function checkGate(settings: Settings, checked: Checked, problems: Problem[]): void {
  const { suites, placeOf } = checked;
  const all = suites.flatMap(({ tests }) => everyMetric(tests));
  problems.push(
    ...metricProblems(settings.gate.metrics, all, checked, (name) => placeOf(['metrics', name])),
  );
  for (const { tests } of suites) {
    const place = tests.gatePlace ?? { file: tests.file, line: 0 };
    const own = everyMetric(tests);
    problems.push(...metricProblems(tests.gate?.metrics, own, checked, () => place));
    const unit = tests.gate?.unit ?? settings.gate.unit;
    if (unit !== 'references' || (tests.n_tries ?? settings.n_tries) !== 1) continue;
    const ofSettings = tests.gate?.unit === undefined && tests.n_tries === null;
    problems.push(
      problem(
        ofSettings ? placeOf(['unit']) : place,
        'gate.unit is references, which compares what the roll-up makes of several tries, and n_tries is 1: set n_tries to 2 or more, or unit: tries',
      ),
    );
  }
}

function metricProblems(
  written: GateSettings['metrics'],
  metrics: readonly Metric[],
  { rubrics, tools }: Checked,
  placeOf: (name: string) => Place,
): Problem[] {
  return Object.entries(written ?? {}).flatMap(([name, word]): Problem[] => {
    const named = metricsNamed(name, metrics);
    if (named.length === 0)
      return [
        problem(
          placeOf(name),
          `gate.metrics: there is no metric "${name}"${suggestion(name, [...new Set(metrics.map((metric) => metric.name))])}`,
        ),
      ];
    const known = named.some(
      (metric) => directionIn(metric, rubrics, tools.builtInMetrics) !== 'none',
    );
    return known || word === 'ignore'
      ? []
      : [
          problem(
            placeOf(name),
            `gate.metrics: nothing says which way "${name}" gets worse; say better: higher or better: lower beside the metric`,
          ),
        ];
  });
}

/** What people write in place of the settings file's name. */
const MISNAMED = 'evaldiff.yml';

/** Files named one by one; the others are counted. */
const NAMED = 10;

/**
 * What lies in the project's places and is not read, though somebody wrote it to be. `read`: the
 * paths that were read under these settings.
 */
export function checkUnread(
  tree: SourceTree,
  read: ReadonlySet<string>,
  settings: Settings,
  problems: Problem[],
  notices: Notice[],
): void {
  problems.push(...misnamedSettings(tree, settings.file));
  notices.push(...unreadFiles(tree, read, settings));
}

/** Settings that nobody reads because of their file's name; `file`: the one that is read. */
function misnamedSettings({ files }: SourceTree, file: string | null): Problem[] {
  if (!files.has(MISNAMED) || file === MISNAMED) return [];
  const remedy =
    file === null
      ? `rename it to ${SETTINGS_FILE}`
      : `move what it says into ${file}, and delete it`;
  return [problem({ file: MISNAMED, line: 0 }, `is not read; ${remedy}`)];
}

/**
 * YAML files that lie where prompts, tests and rubrics do, and that nothing takes: no pattern of
 * the settings, and no `defaults` of a prompt.
 */
function unreadFiles(
  { files }: SourceTree,
  read: ReadonlySet<string>,
  { prompts, rubrics, qualeval, file }: Settings,
): Notice[] {
  const folders = [...prompts, ...rubrics]
    .filter((pattern) => globProblem(pattern) === null)
    .map(compileGlob)
    .filter(({ exact, root }) => !exact && root !== '')
    .map(({ root }) => root);
  const unread = [...files.keys()]
    .filter((path) => /\.ya?ml$/.test(path) && !/(?:^|\/)[._]/.test(path))
    .filter((path) => folders.some((folder) => isBelow(path, folder)))
    .filter((path) => !read.has(path) && path !== qualeval.attributes && path !== file)
    .sort();
  const rest = unread.length - NAMED;
  return unread.slice(0, NAMED).map((path, index) => ({
    kind: 'unused',
    place: { file: path, line: 0 },
    message:
      `is not read: no pattern of prompts or rubrics takes it, and no prompt names it in its defaults` +
      (index === NAMED - 1 && rest > 0
        ? `; the same holds for ${counted(rest, 'further file')}`
        : ''),
  }));
}
