import type { ReferenceRun, SuiteRun } from '../plan/suite-run.ts';
import type { TryResult } from '../result/reference-result.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import { everyMetric, metricIdentity } from '../suite/metrics.ts';
import type { Reference } from '../suite/suite.ts';
import { counted, firstWords } from '../text/amounts.ts';
import type { Metric } from '../types/metric.ts';

/**
 * What a change takes from its own tests, in sentences: checks of base's that judge nothing any
 * more, and references that ask something else. No rate shows either.
 */
export function weakenedWords(suites: readonly SuiteRun[]): string[] {
  const checks = suites.flatMap(lostChecks);
  const anew = suites.flatMap(askedAnew);
  return [
    ...(checks.length === 0
      ? []
      : [`Checks of base that judge no answer on head: ${firstWords(checks)}`]),
    ...(anew.length === 0
      ? []
      : [
          `${counted(anew.length, 'reference')} edited to ask something else, so what base asked there is not compared: ${firstWords(anew)}`,
        ]),
  ];
}

function lostChecks({ suite, deciding, other, runs }: SuiteRun): string[] {
  if (other === null || deciding.side !== 'head') return [];
  const after = new Set(everyMetric(deciding.tests).map(withoutName));
  const renamed = new Set(
    everyMetric(other.tests).flatMap((metric) =>
      after.has(withoutName(metric)) ? [metric.name] : [],
    ),
  );
  const lost = runs.flatMap((run) => lostIn(run).filter((name) => !renamed.has(name)));
  return [...Map.groupBy(lost, (name) => name)].map(
    ([name, { length }]) => `${suite.name}: ${name} (${counted(length, 'reference')})`,
  );
}

function withoutName(metric: Metric): string {
  return metricIdentity({ ...metric, name: '' });
}

/** Checks that gate answers of a reference by base's scoring, and none of them by head's. */
function lostIn({ base, head }: ReferenceRun): string[] {
  const tries = [...base, ...head];
  const kept = gating(tries.map(({ result }) => result));
  const before = gating(tries.flatMap(({ other }) => other ?? []));
  return [...before].filter((name) => !kept.has(name));
}

function gating(tries: readonly TryResult[]): Set<string> {
  return new Set(
    tries.flatMap(({ scores }) =>
      scores.flatMap(({ metric, status, skip }) =>
        !skip && (status === 'pass' || status === 'fail') ? [metric] : [],
      ),
    ),
  );
}

/** References that lack a value, or words of the user, with which base asks. */
function askedAnew({ suite, runs }: SuiteRun): string[] {
  return runs.flatMap(({ affected: { reference, baseReference } }) => {
    const asked = new Set(askedWith(reference));
    return baseReference === null || askedWith(baseReference).every((part) => asked.has(part))
      ? []
      : [`${suite.path}: ${reference.id}`];
  });
}

function askedWith({ input, thread }: Reference): string[] {
  const said = (thread ?? []).filter(({ role }) => role !== 'assistant');
  return [...Object.values(input), ...said.map(({ content }) => content)].map(canonicalJson);
}
