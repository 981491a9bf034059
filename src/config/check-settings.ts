import { compileGlob, globProblem, isBelow } from '../documents/paths.ts';
import { problem } from '../errors.ts';
import type { GateSettings } from '../kernel/suite/gate-settings.ts';
import { everyMetric, metricsNamed, namedModels } from '../kernel/suite/metrics.ts';
import { askedModel, isRecorded } from '../kernel/suite/models.ts';
import type { OwnSettings } from '../kernel/suite/own-settings.ts';
import { type Prompt, type Settings, type Suite, keyPlace } from '../kernel/suite/suite.ts';
import { directionIn } from '../metrics/passing.ts';
import { counted } from '../text/amounts.ts';
import { didYouMean } from '../text/suggest.ts';
import type { Metric, Rubric } from '../types/metric.ts';
import { retirementDate, passportOf, refusalWords, refusedBy } from '../types/passports.ts';
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

/** Days before a model's end from which it is warned about. */
const WARN_DAYS = 90;

const DAY_MS = 86_400_000;

export interface ModelEnds {
  today: string;
  /** A problem in a full run. Else a notice: the change did not retire the model. */
  past: 'problem' | 'notice';
}

/** Reports parameters that models refuse, and with `ends` models that have ended or soon will. */
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
    if (swept.length === 0) found.problems.push(...refusedParameters(prompt, settings));
    else found.notices.push(...omittedParameterNotices(prompt, swept, settings));
  }
  if (ends === null) return;
  const named = [
    ...asked.flatMap((prompt) =>
      prompt.model === null ? [] : [{ model: prompt.model, place: keyPlace(prompt, 'model') }],
    ),
    ...suites.flatMap(({ tests }) => [
      ...(tests.own?.models ?? []),
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

function refusedParameters(prompt: Prompt, settings: Settings): Problem[] {
  const { model, parameters, places } = prompt;
  const passport = passportIn(settings, model);
  if (passport === null) return [];
  return refusedBy(passport, parameters).map(({ name, refusal }) => {
    const line = places[name]?.line;
    const where = line === undefined ? `remove ${name}` : `remove line ${String(line)}`;
    const fix =
      refusal.instead === undefined ? where : `write ${refusal.instead} in place of ${name}`;
    const message = `${model ?? ''} takes no ${name}${refusalWords(refusal)}: ${fix}`;
    return problem(parameterPlace(prompt, name), message);
  });
}

/** A sweep leaves a parameter out for the models that refuse it. */
function omittedParameterNotices(
  prompt: Prompt,
  swept: readonly string[],
  settings: Settings,
): Notice[] {
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
  const end = asked === null ? null : retirementDate(asked);
  if (asked === null || end === null) return;
  const stands = asked.model === name ? name : `${name} stands for ${asked.model}, which`;
  const days = Math.round((Date.parse(end) - Date.parse(ends.today)) / DAY_MS);
  if (days <= 0) {
    const fix =
      asked.model === name
        ? 'name its successor here, or in the settings with models: { NEW: { provider: ' +
          `${asked.provider}, replaces: [${name}] } }`
        : `name its successor where the settings (models) say what ${name} stands for`;
    const message = `${stands} ended on ${end}: ${fix}`;
    if (ends.past === 'problem') problems.push(problem(place, message));
    else notices.push({ kind: 'settings', place, message });
  } else if (days <= WARN_DAYS)
    notices.push({
      kind: 'settings',
      place,
      message:
        `${stands} ends on ${end}, in ${String(days)} ${days === 1 ? 'day' : 'days'}; ` +
        'docs/models.md says how to change over',
    });
}
