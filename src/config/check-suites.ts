import {
  comparesEmbeddings,
  isModelGraded,
  namedModels,
} from '../core/fingerprint/metric-models.ts';
import { everyMetric } from '../core/trial/own-metrics.ts';
import { problem } from '../errors.ts';
import type { Problem, Rubric, Settings, Suite } from '../types.ts';
import { suggestion } from './suggest.ts';

/*
 * What shows only when all files are read: each check adds the problems that it finds, with their
 * places.
 */

/** Two prompts of one name could not be told apart by overrides, nor in a report. */
export function checkNames(suites: readonly Suite[], problems: Problem[]): void {
  const seen = new Map<string, string>();
  for (const {
    prompt: { name, file, lines },
  } of suites) {
    const earlier = seen.get(name);
    if (name === '') continue;
    if (earlier === undefined) seen.set(name, file);
    else
      problems.push(
        problem(
          { file, line: lines['name'] ?? 0 },
          `the name "${name}" is already used by ${earlier}`,
        ),
      );
  }
}

/** Rubrics that a metric names and nobody defines, with the nearest that is. */
export function checkRubricNames(
  suites: readonly Suite[],
  rubrics: ReadonlyMap<string, Rubric>,
  problems: Problem[],
): void {
  for (const { name, source, place } of suites.flatMap(({ tests }) => everyMetric(tests))) {
    if (source.kind !== 'rubric' || rubrics.has(source.rubric)) continue;
    problems.push(
      problem(
        place,
        `metric "${name}": there is no rubric "${source.rubric}"${suggestion(source.rubric, [...rubrics.keys()])}`,
      ),
    );
  }
}

/**
 * Each metric that a model judges, or compares embeddings, names that model or leaves it to the
 * settings.
 */
export function checkGraders(
  suites: readonly Suite[],
  settings: Settings,
  problems: Problem[],
): void {
  for (const metric of suites.flatMap(({ tests }) => everyMetric(tests))) {
    const { name, place } = metric;
    if (namedModels(metric).length > 0) continue;
    if (settings.grader === null && isModelGraded(metric))
      problems.push(
        problem(
          place,
          `metric "${name}" is judged by a model: name one in the settings file, grader: { model: … }`,
        ),
      );
    if (settings.embeddings === null && comparesEmbeddings(metric)) {
      problems.push(
        problem(
          place,
          `metric "${name}" compares embeddings: name a model of them in the settings file, embeddings: { model: text-embedding-3-small }, or in the metric's with: { model: … }`,
        ),
      );
    }
  }
}
