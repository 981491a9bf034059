import { problem } from '../errors.ts';
import {
  comparesEmbeddings,
  everyMetric,
  isModelGraded,
  namedModels,
} from '../kernel/suite/metrics.ts';
import { keyPlace, type Suite } from '../kernel/suite/suite.ts';
import { isRecorded } from '../kernel/suite/template.ts';
import { boundsOf, saysWhatPasses, boundsProblem } from '../metrics/passing.ts';
import type { Settings } from '../project/settings.ts';
import { didYouMean, nearest } from '../text/suggest.ts';
import { appearance } from '../text/visible.ts';
import type { Metric, Rubric } from '../types/metric.ts';
import { placeOf } from '../types/model.ts';
import type { Notice, Place, Problem } from '../types/plain.ts';
import { isVendor } from '../types/vendors.ts';
import { entryOf, vendorOf } from './model-names.ts';
import { passProblems } from './rubric-choices.ts';
import { comparesTurns, NOT_COMPARED } from './script.ts';

const CRITICAL = 'critical';

export function metricsOf(suites: readonly Suite[]): Metric[] {
  return suites.flatMap(({ tests }) => everyMetric(tests));
}

/** Models that the suites call. Recorded answers call none. */
export function namedModelsOf(
  settings: Settings,
  suites: readonly Suite[],
): { model: string; place: Place | null }[] {
  const { grader, voters, embeddings, sweep, sweepPlace } = settings;
  return [
    ...suites.flatMap(({ prompt: { model, ...prompt }, tests }) =>
      model === null || isRecorded(tests) ? [] : [{ model, place: keyPlace(prompt, 'model') }],
    ),
    ...suites.flatMap(({ tests }) => [
      ...(tests.own?.models ?? []),
      ...everyMetric(tests).flatMap(namedModels),
    ]),
    ...[grader, ...voters, embeddings].filter((each) => each !== null),
    ...(sweep['model'] ?? []).map((model) => ({
      model: String(model),
      place: sweepPlace ?? null,
    })),
  ];
}

/** Also checks a model's server, because a file could name any server for an allowed model. */
export function checkModels(
  settings: Settings,
  suites: readonly Suite[],
  allowed: readonly string[] | null,
): Problem[] {
  if (allowed === null) return [];
  return namedModelsOf(settings, suites).flatMap(({ model, place }) => {
    const message = notAllowed(model, settings, allowed);
    return message === null ? [] : [problem(place, message)];
  });
}

/**
 * An entry `place:model` allows the model only at that vendor or endpoint. Other entries never allow
 * programs or recorded answers.
 */
function notAllowed(name: string, settings: Settings, allowed: readonly string[]): string | null {
  const entry = entryOf(settings, name);
  if (entry?.calls !== undefined)
    return (
      [entry.calls.model, ...entry.calls.further]
        .map((model) => notAllowed(model, settings, allowed))
        .find((message) => message !== null) ?? null
    );
  const asked = entry?.model ?? name;
  const place = entry === null ? vendorOf(name) : placeOf(entry);
  if (place !== null && allowed.includes(`${place}:${asked}`)) return null;
  if (place === 'program' || place === 'replay') {
    const what = place === 'program' ? 'a program' : 'a recording';
    return `model "${name}" is ${what}, and ${place}:${asked} is not in allowed-models`;
  }
  return bareNameProblem(name, asked, place, { settings, allowed });
}

function bareNameProblem(
  name: string,
  asked: string,
  place: string | null,
  { settings, allowed }: { settings: Settings; allowed: readonly string[] },
): string | null {
  const stands =
    asked === name ? `model "${name}"` : `model "${name}" stands for "${asked}", which`;
  if (!allowed.includes(asked)) return `${stands} is not in allowed-models`;
  const covered = vendorOf(asked);
  if (place === null || place === covered) return null;
  if (covered !== null)
    return (
      `model "${name}" calls "${asked}" at ${place}, but "${asked}" in allowed-models allows ` +
      `it only at ${covered}; to allow this call, add ${place}:${asked} to allowed-models in ` +
      'the workflow'
    );
  const places = new Set(
    [...settings.models.values()]
      .filter(({ provider, model }) => isVendor(provider) && model === asked)
      .map(placeOf),
  );
  return places.size === 1
    ? null
    : [
        `model "${name}": "${asked}" in allowed-models could mean any of `,
        `${[...places].map((server) => `${server}:${asked}`).join(', ')}; `,
        'replace it in the workflow with the one that you mean',
      ].join('');
}

export function checkPromptNames(suites: readonly Suite[], problems: Problem[]): void {
  const seen = new Map<string, string>();
  for (const { prompt } of suites) {
    const { name, file } = prompt;
    const earlier = seen.get(appearance(name));
    if (name === '') continue;
    if (earlier === undefined) seen.set(appearance(name), file);
    else
      problems.push(
        problem(
          keyPlace(prompt, 'name'),
          `the name "${name}" is already used by ${earlier}; give one of them another name`,
        ),
      );
  }
}

function checkTurns(
  suites: readonly Suite[],
  rubrics: ReadonlyMap<string, Rubric>,
  problems: Problem[],
): void {
  for (const { tests } of suites)
    for (const { script, metrics = [], place } of tests.references) {
      const isExpected = script?.turns?.some(({ expected }) => expected !== undefined) ?? false;
      const isCompared = [...tests.metrics, ...metrics].some((each) =>
        comparesTurns(each, rubrics),
      );
      if (isExpected && !isCompared) problems.push(problem(place, NOT_COMPARED));
    }
}

/** An unknown rubric is an error only if all rubric files were readable (`complete`). */
export function checkRubrics(
  suites: readonly Suite[],
  rubrics: ReadonlyMap<string, Rubric>,
  complete: boolean,
  problems: Problem[],
): void {
  for (const metric of metricsOf(suites)) {
    const { name, source, place } = metric;
    if (source.kind !== 'rubric') continue;
    const rubric = rubrics.get(source.rubric);
    const unknown =
      `there is no rubric "${source.rubric}"` + didYouMean(source.rubric, [...rubrics.keys()]);
    const found = rubric === undefined ? [unknown] : passingProblems(metric, rubric);
    if (rubric !== undefined || complete)
      problems.push(...found.map((message) => problem(place, `metric "${name}": ${message}`)));
  }
  if (complete) checkTurns(suites, rubrics, problems);
}

function passingProblems(metric: Metric, rubric: Rubric): string[] {
  const { better, pass } = metric;
  const bounds = boundsOf(metric, better ?? rubric.better ?? 'none');
  const wrong = boundsProblem(bounds, [...new Set(rubric.choice_scores.values())].join(' or '));
  const ofBounds = wrong === null ? [] : [wrong];
  return better === undefined && pass === undefined
    ? ofBounds
    : [
        ...ofBounds,
        ...passProblems(
          rubric.choice_scores,
          better ?? rubric.better,
          pass ?? rubric.pass?.slice(),
        ),
      ];
}

/** A typo of `critical` is one edit, or two if the length and first two letters are right. */
function isTypo(tag: string): boolean {
  const isNear = tag.length === CRITICAL.length && /^cr/i.test(tag);
  return tag !== CRITICAL && nearest(tag, [CRITICAL], isNear ? 'strict' : 'typo') !== null;
}

export function nearlyCritical(suites: readonly Suite[]): Notice[] {
  return suites.flatMap(({ tests }) => {
    const first = new Map<string, Place>();
    for (const { tags, place } of tests.references)
      for (const tag of tags.filter(isTypo)) if (!first.has(tag)) first.set(tag, place);
    return [...first].map(([tag, place]) => ({
      kind: 'settings',
      place,
      message: `the tag "${tag}" does not affect the verdict; did you mean "${CRITICAL}"?`,
    }));
  });
}

/** Rubrics with examples may be used by `evaldiff grade` alone. */
function rubricNotices(suites: readonly Suite[], rubrics: ReadonlyMap<string, Rubric>): Notice[] {
  const left = new Map(suites.length === 0 ? [] : rubrics);
  for (const { source } of metricsOf(suites))
    if (source.kind === 'rubric') left.delete(source.rubric);
  return [...left].flatMap(([name, { place, examples }]) =>
    place.line === 0 || examples.length > 0
      ? []
      : { kind: 'unused', place, message: `no metric uses the rubric "${name}"` },
  );
}

/** @param isWhole whether these are all suites of the project. */
export function withoutSilent(
  suites: readonly Suite[],
  rubrics: ReadonlyMap<string, Rubric>,
  isWhole: boolean,
): { suites: Suite[]; notices: Notice[] } {
  const notices = isWhole ? rubricNotices(suites, rubrics) : [];
  const skipSilent = (metric: Metric): Metric => {
    const { name, source, place, skip } = metric;
    if (source.kind !== 'rubric' || skip || saysWhatPasses(metric, rubrics.get(source.rubric)))
      return metric;
    const message =
      `metric "${name}" is shown, but does not affect the verdict, because neither the ` +
      `metric nor its rubric "${source.rubric}" says which answers pass. Add better: higher, ` +
      'better: lower or pass: [label] to the rubric or the metric (or threshold, min or max ' +
      'to the metric)';
    notices.push({ kind: 'unused', place, message });
    return { ...metric, skip: true };
  };
  const changed = suites.map(({ prompt, tests }) => ({
    prompt,
    tests: {
      ...tests,
      metrics: tests.metrics.map(skipSilent),
      references: tests.references.map((reference) =>
        reference.metrics === undefined
          ? reference
          : { ...reference, metrics: reference.metrics.map(skipSilent) },
      ),
    },
  }));
  return { suites: changed, notices };
}

/** Metrics that need a model, if neither they nor the settings name one. */
export function missingModels(metrics: readonly Metric[], settings: Settings): Problem[] {
  return metrics
    .filter((metric) => namedModels(metric).length === 0)
    .flatMap((metric) => {
      const refuse = (what: string) =>
        problem(metric.place, `metric "${metric.name}" needs ${what}`);
      if (settings.grader === null && isModelGraded(metric))
        return refuse('a grader: name a model in the settings file, grader: { model: … }');
      return settings.embeddings === null && comparesEmbeddings(metric)
        ? refuse(
            'an embedding model: name one in the settings file, embeddings: { model: ' +
              'text-embedding-3-small }, or in the metric, with: { model: … }',
          )
        : [];
    });
}
