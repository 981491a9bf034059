import {
  comparesEmbeddings,
  everyMetric,
  graderOf,
  isModelGraded,
  namedModels,
  type MetricModels,
} from '../kernel/suite/metrics.ts';
import type { Suite } from '../kernel/suite/suite.ts';
import type { ModelSettings, Settings } from '../project/settings.ts';
import type { GraderSettings, Metric } from '../types/metric.ts';
import { isHosted, type Grader, type ProgramTarget, type Target } from '../types/model.ts';
import type { Place, Problem } from '../types/plain.ts';
import { factsOf, ownersIn, vendorNames } from '../types/vendors.ts';
import { missingModels } from './check-suites.ts';
import {
  UNNAMED_MODEL,
  askedModel,
  entryOf,
  hasBatches,
  knownAs,
  modelMeant,
  vendorOf,
} from './model-names.ts';
import { programFiles } from './programs.ts';
import type { ProjectSide, TargetContext } from './project-side.ts';

export function resolveTarget(
  model: string,
  place: Place,
  context: TargetContext,
): Target | Problem {
  const entry = entryOf(context.settings, model);
  if (entry !== null) return modelTarget(entry, context);
  const provider = vendorOf(model);
  if (provider !== null)
    return {
      provider,
      endpoint: null,
      model,
      ...transportOf({ provider, endpoint: null }, context),
    };
  return { place, message: unknownModel(model, context.settings.file ?? 'evaldiff.yaml') };
}

function unknownModel(model: string, settingsFile: string): string {
  const meant = modelMeant(model);
  const name = meant === null ? 'name' : `did you mean "${meant}"? Else name`;
  const asked = model === UNNAMED_MODEL ? `, model: ${factsOf('openai').starterModel}` : '';
  const provider = model.includes('/') ? 'openrouter' : 'openai';
  const entry = `models: { ${JSON.stringify(model)}: { provider: ${provider}${asked} } }`;
  return (
    `it is unknown which provider has the model "${model}"; ${name} one in ${settingsFile}: ` +
    `${entry}`
  );
}

function modelTarget(entry: ModelSettings, context: TargetContext): Target {
  const { provider, endpoint, model } = entry;
  const pace = entry.pace === undefined ? {} : { pace: entry.pace };
  if (provider === 'program') {
    return {
      provider,
      model,
      command: [...entry.command, ...(entry.calls?.afterwards ?? [])],
      setup: entry.setup,
      ...programOf(entry, context),
      commit: context.tree.commit,
      ...(entry.process && { process: entry.process }),
      ...targetCalls(entry, context),
      ...pace,
    };
  }
  if (provider === 'replay') {
    const file = entry.file ?? '';
    return {
      provider,
      model,
      file,
      content: context.tree.files.get(file)?.id ?? '',
      commit: context.tree.commit,
    };
  }
  return { provider, endpoint, model, ...knownAs(entry), ...transportOf(entry, context), ...pace };
}

function targetCalls(
  { calls }: ModelSettings,
  { settings }: TargetContext,
): Pick<ProgramTarget, 'calls'> {
  const asked = calls === undefined ? null : askedModel(settings, calls.model);
  return asked === null || calls === undefined
    ? {}
    : { calls: { ...asked, most: calls.most, usd: calls.usd } };
}

type ProgramFiles = ReturnType<typeof programFiles>;

const programs = new WeakMap<TargetContext, Map<ModelSettings, ProgramFiles>>();

/** Cached, because finding the files searches the whole tree. */
function programOf(entry: ModelSettings, context: TargetContext): ProgramFiles {
  const known = programs.get(context) ?? new Map<ModelSettings, ProgramFiles>();
  const found = known.get(entry) ?? programFiles(entry, context);
  programs.set(context, known.set(entry, found));
  return found;
}

function transportOf(
  entry: BatchChoice,
  { batches = false, settings }: TargetContext,
): { transport?: 'batch' } {
  return batches && wantsBatches(entry, settings) ? { transport: 'batch' } : {};
}

type BatchChoice = Pick<ModelSettings, 'provider' | 'endpoint' | 'transport'>;

export function wantsBatches(
  { provider, endpoint, transport }: BatchChoice,
  settings: Settings,
): boolean {
  return hasBatches(provider, endpoint) && (transport ?? settings.transport) === 'batch';
}

export function metricModels(
  { tests }: Suite,
  side: ProjectSide,
  problems: Problem[],
): MetricModels {
  const { settings } = side.project;
  const all = everyMetric(tests);
  problems.push(...missingModels(all, settings));
  const left = all.filter((metric) => namedModels(metric).length === 0);
  const embedder =
    settings.embeddings !== null && left.some(comparesEmbeddings)
      ? embedderOf(settings.embeddings, side.context, problems)
      : null;
  const named = namedTargets(all, side, problems);
  return {
    graders: left.some(isModelGraded) ? gradersOf(side, problems) : [],
    ...(embedder === null ? {} : { embedder }),
    ...(named.size === 0 ? {} : { named }),
  };
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
        : resolveOrReport(written, context, problems);
      if (target !== undefined && target !== null) named.set(written.model, target);
    }
  }
  return named;
}

export function gradersOf(
  { project: { settings }, context }: ProjectSide,
  problems: Problem[],
): Grader[] {
  return [...(settings.grader === null ? [] : [settings.grader]), ...settings.voters].flatMap(
    (written) => graderOf(written, resolveOrReport(written, context, problems) ?? undefined),
  );
}

export function resolveOrReport(
  { model, place }: Pick<GraderSettings, 'model' | 'place'>,
  context: TargetContext,
  problems: Problem[],
): Target | null {
  const target = resolveTarget(model, place, context);
  if (!('message' in target)) return target;
  problems.push(target);
  return null;
}

function embedderOf(
  written: GraderSettings,
  context: TargetContext,
  problems: Problem[],
): Grader | null {
  // Embedding requests never use batches, because they are many, small and cheap.
  const target = resolveOrReport(written, { ...context, batches: false }, problems);
  if (target === null) return null;
  const has = isHosted(target)
    ? factsOf(target.provider).embeddings !== null
    : target.provider === 'replay';
  if (has) return { target, parameters: written.parameters };
  const why = isHosted(target)
    ? `${factsOf(target.provider).label} has none`
    : 'a program returns text';
  const vectors = vendorNames().flatMap((vendor) => factsOf(vendor).embeddings ?? []);
  problems.push({
    place: written.place,
    message:
      `the model "${written.model}" cannot be used for embeddings: ` +
      `${why}; name one of ${ownersIn('or', (vendor) => factsOf(vendor).embeddings !== null)} ` +
      `(${vectors.join(', ')}), or of a compatible server`,
  });
  return null;
}
