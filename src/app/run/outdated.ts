import {
  mapRuns,
  type ReferenceRun,
  type SuiteComparison,
  type Try,
} from '../../kernel/plan/suite-run.ts';
import type { Generation } from '../../kernel/select/affected-suite.ts';
import { isHosted, type Target } from '../../types/model.ts';
import { SIDES, type Side } from '../../types/plain.ts';

/** The server now uses a different model for this name than when the answers were stored. */
export interface ReplacedServer {
  model: string;
  before: string[];
  now: string[];
  tries: number;
}

/**
 * Removes stored answers of models that the server has since replaced. Removes all tries of a
 * reference and side, or none.
 */
export function withoutOutdated(suites: readonly SuiteComparison[]): {
  suites: SuiteComparison[];
  replaced: ReplacedServer[];
} {
  const found = new Map<string, ReplacedServer>();
  const fresh = servedNow(suites);
  const kept = (run: ReferenceRun, side: Side): readonly Try[] => {
    const model = nameOf(run.affected[side]);
    const now = model === null ? undefined : fresh.get(model);
    if (model === null || now === undefined) return run[side];
    const before = run[side].flatMap(({ byHead: { stored, served } }) => {
      const name = served?.model ?? null;
      return stored === true && name !== null && !now.has(name) ? [name] : [];
    });
    if (before.length === 0) return run[side];
    const entry = found.get(model) ?? { model, before: [], now: [...now].sort(), tries: 0 };
    const all = [...new Set([...entry.before, ...before])].sort();
    found.set(model, { ...entry, before: all, tries: entry.tries + before.length });
    return [];
  };
  const cleaned = suites.map((suite) =>
    mapRuns(suite, (run) => ({
      ...run,
      base: kept(run, 'base'),
      head: kept(run, 'head'),
    })),
  );
  return { suites: found.size === 0 ? [...suites] : cleaned, replaced: [...found.values()] };
}

function servedNow(suites: readonly SuiteComparison[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { model, made } of triesOf(suites)) {
    const name = made.served?.model ?? null;
    if (made.stored !== true && name !== null)
      found.set(model, (found.get(model) ?? new Set()).add(name));
  }
  return found;
}

function triesOf(suites: readonly SuiteComparison[]) {
  return suites.flatMap(({ run }) =>
    run.runs.flatMap(({ affected, ...sides }) =>
      SIDES.flatMap((side) => {
        const model = nameOf(affected[side]);
        return model === null ? [] : sides[side].map(({ byHead }) => ({ model, made: byHead }));
      }),
    ),
  );
}

function nameOf(generation: Generation | null): string | null {
  return generation?.kind === 'request' ? hostedModelName(generation.target) : null;
}

/** Null for a program, which has no server. */
export function hostedModelName(target: Target): string | null {
  if (!isHosted(target)) return null;
  const { provider, endpoint, model } = target;
  return endpoint === null ? `${provider} ${model}` : `${provider} ${endpoint} ${model}`;
}
