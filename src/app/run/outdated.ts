import {
  mapRuns,
  type ReferenceRun,
  type SuiteComparison,
  type Try,
} from '../../kernel/plan/suite-run.ts';
import type { Generation } from '../../kernel/select/affected-suite.ts';
import { isHosted } from '../../types/model.ts';
import type { Side } from '../../types/plain.ts';

/** A model that answers under its name today by another model than earlier. */
export interface ReplacedServer {
  model: string;
  /** As the server names them. */
  before: string[];
  now: string[];
  /** Stored answers that are asked again. */
  tries: number;
}

/**
 * Without the stored answers of models that the server has replaced since: they cannot be compared
 * with answers of today. A side of a reference that has one is asked again as a whole.
 */
export function withoutOutdated(suites: readonly SuiteComparison[]): {
  suites: SuiteComparison[];
  replaced: ReplacedServer[];
} {
  const found = new Map<string, ReplacedServer>();
  const fresh = freshServers(suites);
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

/** Models that answered in this run, as their servers name them, by the name they were asked by. */
function freshServers(
  suites: readonly SuiteComparison[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { run } of suites)
    for (const { affected, ...made } of run.runs)
      for (const side of ['base', 'head'] as const) {
        const model = nameOf(affected[side]);
        if (model === null) continue;
        const names = found.get(model) ?? new Set();
        for (const { byHead } of made[side]) {
          const name = byHead.served?.model ?? null;
          if (byHead.stored !== true && name !== null) names.add(name);
        }
        if (names.size > 0) found.set(model, names);
      }
  return found;
}

function nameOf(generation: Generation | null): string | null {
  if (generation?.kind !== 'request' || !isHosted(generation.target)) return null;
  const { provider, endpoint, model } = generation.target;
  return endpoint === null ? `${provider} ${model}` : `${provider} ${endpoint} ${model}`;
}
