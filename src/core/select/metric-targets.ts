import type {
  Grader,
  GraderSettings,
  Metric,
  Problem,
  Project,
  Suite,
  Target,
} from '../../types.ts';
import { canonicalJson } from '../fingerprint/canonical.ts';
import {
  comparesEmbeddings,
  graderOf,
  isModelGraded,
  namedModels,
  type MetricModels,
} from '../fingerprint/metric-models.ts';
import { everyMetric } from '../trial/own-metrics.ts';
import { isProblem, resolveTarget, type TargetContext } from './target.ts';

/** A project with what is needed to find its models. */
export interface ProjectSide {
  project: Project;
  context: TargetContext;
}

/**
 * The models behind a suite's metrics; what cannot be asked, or is not named, goes to `problems`
 * with its line.
 */
export function metricModels(
  { tests }: Suite,
  side: ProjectSide,
  problems: Problem[],
): MetricModels {
  const all = everyMetric(tests);
  const left = all.filter((metric) => namedModels(metric).length === 0);
  const embedder = embedderOfSettings(left.find(comparesEmbeddings), side, problems);
  const named = namedTargets(all, side, problems);
  return {
    graders: gradersOfSettings(left.find(isModelGraded), side, problems),
    ...(embedder === null ? {} : { embedder }),
    ...(named.size === 0 ? {} : { named }),
  };
}

function gradersOfSettings(
  metric: Metric | undefined,
  side: ProjectSide,
  problems: Problem[],
): Grader[] {
  if (metric === undefined) return [];
  const { settings } = side.project;
  if (settings.grader === null)
    problems.push({
      place: metric.place,
      message: `metric "${metric.name}" needs a grader; name a model in ${settings.file ?? 'evaldiff.yaml'}: grader: { model: … }`,
    });
  return gradersOf(side, problems);
}

function embedderOfSettings(
  metric: Metric | undefined,
  { project: { settings }, context }: ProjectSide,
  problems: Problem[],
): Grader | null {
  if (metric === undefined) return null;
  if (settings.embeddings !== null) return embedderOf(settings.embeddings, context, problems);
  problems.push({
    place: metric.place,
    message: `metric "${metric.name}" needs a model of embeddings; name one in ${settings.file ?? 'evaldiff.yaml'}: embeddings: { model: … }`,
  });
  return null;
}

function namedTargets(
  all: readonly Metric[],
  { context }: ProjectSide,
  problems: Problem[],
): Map<string, Target> {
  const named = new Map<string, Target>();
  for (const metric of all) {
    for (const written of namedModels(metric)) {
      const target = comparesEmbeddings(metric)
        ? embedderOf(written, context, problems)?.target
        : found(written, context, problems);
      if (target !== undefined && target !== null) named.set(written.model, target);
    }
  }
  return named;
}

/** Where a project's graders are asked. */
export function gradersOf(
  { project: { settings }, context }: ProjectSide,
  problems: Problem[],
): Grader[] {
  return [...(settings.grader === null ? [] : [settings.grader]), ...settings.voters].flatMap(
    (written) => graderOf(written, found(written, context, problems) ?? undefined),
  );
}

/**
 * The different sets of graders that a project's metrics judge by a rubric with; one, of the
 * settings, where no metric names the rubric.
 */
export function graderSetsOf(
  rubric: string,
  side: ProjectSide,
  problems: Problem[] = [],
): Grader[][] {
  const users = side.project.suites
    .flatMap(({ tests }) => everyMetric(tests))
    .filter(({ source }) => source.kind === 'rubric' && source.rubric === rubric);
  const written = new Map(
    users.map(({ graders }) => [
      canonicalJson((graders ?? []).map(({ model, parameters }) => ({ model, parameters }))),
      graders,
    ]),
  );
  const sets = users.length === 0 ? [undefined] : [...written.values()];
  return sets.map((set) =>
    set === undefined
      ? gradersOf(side, problems)
      : set.flatMap((one) => graderOf(one, found(one, side.context, problems) ?? undefined)),
  );
}

function found(
  { model, place }: GraderSettings,
  context: TargetContext,
  problems: Problem[],
): Target | null {
  const target = resolveTarget(model, place, context);
  if (!isProblem(target)) return target;
  problems.push(target);
  return null;
}

/** Where vectors come from: OpenAI, a server that speaks like it, or recordings. */
function embedderOf(
  written: GraderSettings,
  context: TargetContext,
  problems: Problem[],
): Grader | null {
  // Vectors are asked for directly: they are many, small and cheap.
  const target = found(written, { ...context, batches: false }, problems);
  if (target === null || target.provider === 'openai' || target.provider === 'replay')
    return target === null ? null : { target, parameters: written.parameters };
  const why = target.provider === 'anthropic' ? 'Anthropic has none' : 'a program answers in words';
  problems.push({
    place: written.place,
    message: `the model "${written.model}" gives no embeddings: ${why}; name one of OpenAI's (text-embedding-3-small), or of a server that speaks like it`,
  });
  return null;
}
