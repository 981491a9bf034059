import { refusedIn } from '../../types/apis.ts';
import type { Notice, Problem, Scalar, Side } from '../../types/plain.ts';
import type { Variant } from '../result/pieces.ts';
import type { Because } from '../result/suite-result.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import { countsIn } from '../suite/gate.ts';
import { askedModel } from '../suite/models.ts';
import type { Answerer } from '../suite/own-suite.ts';
import { keyPlace, type Settings, type Suite } from '../suite/suite.ts';
import { affectedReferences, type AffectedReference, type MovesHere } from './affected.ts';
import type { ResolvedVariant } from './generation.ts';
import { findMoves, pairSuites } from './pair.ts';
import type { SuiteSide } from './prompt-changes.ts';
import type { Scoring } from './scoring.ts';
import {
  isProblem,
  metricModels,
  resolveTarget,
  type ProjectSide,
  type TargetContext,
} from './targets.ts';

/** One suite in one variant, with the references that have to run; none: it is not affected. */
export interface AffectedSuite {
  path: string;
  name: string;
  variant: Variant;
  baseVariant: Variant | null;
  base: SuiteSide | null;
  head: SuiteSide | null;
  because: Because[];
  references: AffectedReference[];
  unaffected: number;
  /** Ids of references of the base branch's tip that head's prompt cannot be asked; absent: none. */
  unasked?: string[];
}

export interface Selection {
  suites: AffectedSuite[];
  problems: Problem[];
  notices?: Notice[];
}

/** Every suite of both sides, paired, with the references whose fingerprints differ. */
export function selectAffected(base: ProjectSide | null, head: ProjectSide): Selection {
  const problems: Problem[] = [];
  const pairs = pairSuites(base?.project ?? null, head.project);
  const moves = findMoves(pairs);
  const sides = pairs.map((pair) => ({
    before: pair.base === null || base === null ? [] : suiteSides(pair.base, base, 'base', []),
    after: pair.head === null ? [] : suiteSides(pair.head, head, 'head', problems),
  }));
  const suites = sides.flatMap(({ before, after }) =>
    Array.from({ length: Math.max(before.length, after.length) }, (_, index) => {
      const others = sides.flatMap((side) => side.before[index] ?? side.before[0] ?? []);
      return affectedSuite(before[index] ?? null, after[index] ?? null, { ...moves, others });
    }),
  );
  return { suites, problems };
}

/** A sweep: every reference of head, in every variant of the settings' `sweep`. */
export function selectAll(head: ProjectSide): Selection {
  const problems: Problem[] = [];
  const suites = head.project.suites.flatMap((suite) =>
    suiteSides(suite, head, 'head', problems).map((side) => affectedSuite(null, side)),
  );
  return { suites, problems };
}

function affectedSuite(
  base: SuiteSide | null,
  head: SuiteSide | null,
  moves?: MovesHere,
): AffectedSuite {
  const shown = head ?? base;
  if (shown === null) throw new TypeError('a suite has at least one side');
  const part = affectedReferences(base, head, moves);
  const variant = plainVariant(shown.variant);
  const before = base === null ? null : plainVariant(base.variant);
  return {
    path: shown.suite.prompt.file,
    name: shown.suite.prompt.name,
    variant,
    baseVariant:
      before !== null && canonicalJson({ ...before }) !== canonicalJson({ ...variant })
        ? before
        : null,
    base,
    head,
    ...part,
  };
}

function plainVariant({ model, parameters }: ResolvedVariant): Variant {
  return { model, parameters };
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
    const variant = applySweep(suite, values);
    return 'model' in values ? withoutRefused(variant, settings) : variant;
  });
  // Two combinations that differ in nothing but what a model does not take are one.
  const distinct = new Map(variants.map((variant) => [canonicalJson(variant), variant]));
  return [...distinct.values()].map((variant) => ({
    suite,
    variant: { ...variant, target: variantTarget(suite, variant, context, problems) },
    scoring,
  }));
}

/** Of several models, those that refuse a parameter are asked without it; a notice has said so. */
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
  const targets = own.models.map(({ model, place }) => resolveTarget(model, place, context));
  problems.push(...targets.filter(isProblem));
  const found = targets.flatMap((target) => (isProblem(target) ? [] : [target]));
  return own.kind.answererOf(own, found.length === targets.length ? found : []);
}

function variantTarget(
  suite: Suite,
  variant: Variant,
  context: TargetContext,
  problems: Problem[],
): ResolvedVariant['target'] {
  if (variant.model === null) return null;
  const place = keyPlace(suite.prompt, 'model');
  const target = resolveTarget(variant.model, place, context);
  if (!isProblem(target)) return target;
  problems.push(target);
  return null;
}

function applySweep(suite: Suite, values: Record<string, Scalar>): Variant {
  const { model, ...parameters } = values;
  return {
    model: model === undefined ? suite.prompt.model : String(model),
    parameters: { ...suite.prompt.parameters, ...parameters },
  };
}

/** In the order they are written; one empty combination when nothing is swept. */
export function sweepCombinations(sweep: Record<string, Scalar[]>): Record<string, Scalar>[] {
  return Object.entries(sweep).reduce<Record<string, Scalar>[]>(
    (combinations, [key, values]) =>
      combinations.flatMap((combination) =>
        values.map((value) => ({ ...combination, [key]: value })),
      ),
    [{}],
  );
}

export function gates(suite: AffectedSuite, reference: AffectedReference): boolean {
  const tests = (suite.head ?? suite.base)?.scoring.tests;
  return tests !== undefined && countsIn(tests, reference.reference);
}
