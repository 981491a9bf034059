import { problem } from '../errors.ts';
import type { GateSettings } from '../suite/gate-settings.ts';
import { directionIn, everyMetric, metricsNamed, type BuiltInMetrics } from '../suite/metrics.ts';
import type { Settings, Suite } from '../suite/suite.ts';
import { suggestion } from '../text/suggest.ts';
import type { Metric, Rubric } from '../types/metric.ts';
import type { Place, Problem } from '../types/plain.ts';

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
          `gate.metrics: there is no metric "${name}"${suggestion(name, [...new Set(metrics.map((one) => one.name))])}`,
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
