import type { Variant } from '../kernel/result/pieces.ts';
import type { ResolvedSuite, SuiteSide } from '../kernel/select/affected-suite.ts';
import type { Scoring } from '../kernel/select/scoring.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import type { Answerer } from '../kernel/suite/own-suite.ts';
import { keyPlace, type Suite } from '../kernel/suite/suite.ts';
import type { Settings } from '../project/settings.ts';
import { refusedIn } from '../types/apis.ts';
import type { Problem, Scalar, Side } from '../types/plain.ts';
import { askedModel } from './model-names.ts';
import type { ProjectSide, TargetContext } from './project-side.ts';
import { metricModels, resolveOrReport } from './targets.ts';

export function resolveSuites(
  { project, context }: ProjectSide,
  side: Side,
): { suites: ResolvedSuite[]; problems: Problem[] } {
  const problems: Problem[] = [];
  const suites = project.suites.map((suite): ResolvedSuite => ({
    suite,
    variants: suiteSides(suite, { project, context }, side, problems),
  }));
  return { suites, problems };
}

function suiteSides(
  suite: Suite,
  { project, context }: ProjectSide,
  side: Side,
  problems: Problem[],
): SuiteSide[] {
  const { settings, rubrics } = project;
  const settingsFile = settings.file ?? 'evaldiff.yaml';
  const models = metricModels(suite, { project, context }, problems);
  const answerer = answererFor(suite, context, problems);
  const scoring: Scoring = {
    side,
    tests: suite.tests,
    rubrics,
    ...models,
    answerer,
    settingsFile,
  };
  const variants = sweepCombinations(settings.sweep).map((values) => {
    const { model = suite.prompt.model, ...parameters } = values;
    const variant: Variant = {
      model: model === null ? null : String(model),
      parameters: { ...suite.prompt.parameters, ...parameters },
    };
    return 'model' in values ? withoutRefused(variant, settings) : variant;
  });
  // Combinations that differ only in a parameter that the model does not accept run once.
  const distinct = new Map(variants.map((variant) => [canonicalJson(variant), variant]));
  const place = keyPlace(suite.prompt, 'model');
  return [...distinct.values()].map((variant) => {
    const { model } = variant;
    const target = model === null ? null : resolveOrReport({ model, place }, context, problems);
    return { suite, variant: { ...variant, target }, scoring };
  });
}

function withoutRefused(variant: Variant, settings: Settings): Variant {
  const asked = variant.model === null ? null : askedModel(settings, variant.model);
  if (asked === null) return variant;
  const refused = new Set(refusedIn(asked, variant.parameters).map(({ name }) => name));
  const kept = Object.entries(variant.parameters).filter(([name]) => !refused.has(name));
  return { ...variant, parameters: Object.fromEntries(kept) };
}

export function answererFor(
  { tests: { own } }: Suite,
  context: TargetContext,
  problems: Problem[],
): Answerer | null {
  if (own === null) return null;
  const targets = own.models.flatMap(
    (written) => resolveOrReport(written, context, problems) ?? [],
  );
  return own.kind.answererOf(own, targets.length === own.models.length ? targets : []);
}

export function sweepCombinations(sweep: Record<string, Scalar[]>): Record<string, Scalar>[] {
  return Object.entries(sweep).reduce<Record<string, Scalar>[]>(
    (combinations, [key, values]) =>
      combinations.flatMap((combination) =>
        values.map((value) => ({ ...combination, [key]: value })),
      ),
    [{}],
  );
}
