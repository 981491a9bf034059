import { problem } from '../errors.ts';
import { comparesEmbeddings, everyMetric, isModelGraded, namedModels } from '../suite/metrics.ts';
import type { Settings, Suite, Tests } from '../suite/suite.ts';
import { asksNothing } from '../suite/template.ts';
import { suggestion } from '../text/suggest.ts';
import type { Rubric } from '../types/metric.ts';
import type { Place, Problem } from '../types/plain.ts';

/**
 * Problems of models that `allowed` does not name, at the lines that name them. What counts is the
 * model that the vendor is asked for: a file could give an allowed name to any other model. Local
 * programs and recordings ask no vendor.
 */
export function checkModels(
  settings: Settings,
  suites: readonly Suite[],
  allowed: readonly string[],
): Problem[] {
  const problems: Problem[] = [];
  const refuse = (name: string, place: Place | null) => {
    const known = settings.models.get(name);
    if (known?.provider === 'program' || known?.provider === 'replay') return;
    const asked = known?.model ?? name;
    if (allowed.includes(asked)) return;
    const stands =
      asked === name ? `model "${name}"` : `model "${name}" stands for "${asked}", which`;
    problems.push(problem(place, `${stands} is not in allowed-models`));
  };
  for (const { prompt, tests } of suites) {
    if (prompt.model !== null && !isRecorded(tests))
      refuse(prompt.model, { file: prompt.file, line: prompt.lines['model'] ?? 0 });
    for (const { model, place } of [
      ...(tests.conversation?.evaluators ?? []),
      ...everyMetric(tests).flatMap(namedModels),
    ])
      refuse(model, place);
  }
  for (const { model, place } of [settings.grader, ...settings.voters, settings.embeddings].filter(
    (one) => one !== null,
  ))
    refuse(model, place);
  for (const model of settings.sweep['model'] ?? [])
    refuse(String(model), settings.file === null ? null : { file: settings.file, line: 0 });
  return problems;
}

/** Whether the suite holds nothing but recorded answers, for which nobody is asked. */
function isRecorded({ references, conversation }: Tests): boolean {
  return (
    conversation === null &&
    references.length > 0 &&
    references.every(({ thread }) => thread !== null && asksNothing(thread))
  );
}

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
