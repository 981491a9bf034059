import { problem } from '../errors.ts';
import { everyMetric, namedModels } from '../suite/metrics.ts';
import { askedModel, isRecorded } from '../suite/models.ts';
import { keyPlace, type Prompt, type Settings, type Suite } from '../suite/suite.ts';
import { endOf, passportOf, refusalWords, refusedBy } from '../types/passports.ts';
import type { Notice, Place, Problem } from '../types/plain.ts';

/** Days before its end from which on a model is told of. */
const WARN_DAYS = 90;

const DAY_MS = 86_400_000;

/** The day, as YYYY-MM-DD, and what a model is whose end has passed. */
export interface ModelEnds {
  today: string;
  /**
   * A problem where everything is asked. A notice where only what changed is: nobody's change made
   * the day pass, and the vendor has the last word on what is asked after all.
   */
  past: 'problem' | 'notice';
}

/**
 * What vendors say of their models, against what the files ask of them: parameters that a model
 * refuses, at their lines, and models that have ended or will soon; without `ends` the latter are
 * not looked at.
 */
export function checkPassports(
  settings: Settings,
  suites: readonly Suite[],
  ends: ModelEnds | null,
  found: { problems: Problem[]; notices: Notice[] },
): void {
  const asked = suites.filter(({ tests }) => !isRecorded(tests)).map(({ prompt }) => prompt);
  const swept = settings.sweep['model']?.map(String) ?? [];
  const sweepPlace: Place | null = settings.file === null ? null : { file: settings.file, line: 0 };
  for (const prompt of asked) {
    if (swept.length === 0) found.problems.push(...refusedOf(prompt, settings));
    else found.notices.push(...leftOut(prompt, swept, settings));
  }
  if (ends === null) return;
  const named = [
    ...asked.flatMap((prompt) =>
      prompt.model === null ? [] : [{ model: prompt.model, place: keyPlace(prompt, 'model') }],
    ),
    ...suites.flatMap(({ tests }) => [
      ...(tests.conversation?.evaluators ?? []),
      ...everyMetric(tests).flatMap(namedModels),
    ]),
    ...[settings.grader, ...settings.voters, settings.embeddings].filter(
      (grader) => grader !== null,
    ),
    ...swept.map((model) => ({ model, place: sweepPlace })),
  ];
  for (const { model, place } of named) checkEnd(model, place, { settings, ends }, found);
}

function parameterPlace(prompt: Prompt, key: string): Place {
  return prompt.places[key] ?? keyPlace(prompt, 'model');
}

function refusedOf(prompt: Prompt, settings: Settings): Problem[] {
  const { model, parameters, places } = prompt;
  const passport = passportIn(settings, model);
  if (passport === null) return [];
  return refusedBy(passport, parameters).map(({ name, refusal }) => {
    const line = places[name]?.line;
    const where = line === undefined ? `remove ${name}` : `remove line ${String(line)}`;
    const fix =
      refusal.instead === undefined ? where : `write ${refusal.instead} in place of ${name}`;
    return problem(
      parameterPlace(prompt, name),
      `${model ?? ''} takes no ${name}${refusalWords(refusal)}: ${fix}`,
    );
  });
}

/** In a sweep the models that refuse a parameter are asked without it. */
function leftOut(prompt: Prompt, swept: readonly string[], settings: Settings): Notice[] {
  const { sweep } = settings;
  return swept.flatMap((model) => {
    const passport = passportIn(settings, model);
    if (passport === null) return [];
    const values = Object.fromEntries(
      Object.entries(sweep).flatMap(([name, [value]]) =>
        value === undefined ? [] : [[name, value] as const],
      ),
    );
    return refusedBy(passport, { ...prompt.parameters, ...values }).map(({ name }): Notice => ({
      kind: 'settings',
      place: parameterPlace(prompt, name),
      message: `${model} takes no ${name}: the sweep asks it without`,
    }));
  });
}

function passportIn(settings: Settings, model: string | null): ReturnType<typeof passportOf> {
  const asked = model === null ? null : askedModel(settings, model);
  return asked === null ? null : passportOf(asked);
}

function checkEnd(
  name: string,
  place: Place | null,
  { settings, ends }: { settings: Settings; ends: ModelEnds },
  { problems, notices }: { problems: Problem[]; notices: Notice[] },
): void {
  const asked = askedModel(settings, name);
  const end = asked === null ? null : endOf(asked);
  if (asked === null || end === null) return;
  const stands = asked.model === name ? name : `${name} stands for ${asked.model}, which`;
  const days = Math.round((Date.parse(end) - Date.parse(ends.today)) / DAY_MS);
  if (days <= 0) {
    const message = `${stands} ended on ${end}: name its successor here, or in the settings with models: { NEW: { provider: ${asked.provider}, replaces: [${asked.model}] } }`;
    if (ends.past === 'problem') problems.push(problem(place, message));
    else notices.push({ kind: 'settings', place, message });
  } else if (days <= WARN_DAYS)
    notices.push({
      kind: 'settings',
      place,
      message: `${stands} ends on ${end}, in ${String(days)} ${days === 1 ? 'day' : 'days'}; docs/models.md says how to change over`,
    });
}
