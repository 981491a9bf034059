import { asksNothing } from '../core/fingerprint/generation.ts';
import { namedModels } from '../core/fingerprint/metric-models.ts';
import { everyMetric } from '../core/trial/own-metrics.ts';
import { problem } from '../errors.ts';
import type { Place, Problem, Settings, Suite, Tests } from '../types.ts';

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
