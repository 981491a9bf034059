import { countsForVerdict, ungradedSuites } from '../kernel/result/counts.ts';
import type { ReferenceResult } from '../kernel/result/reference-result.ts';
import type { Result } from '../kernel/result/result.ts';
import type { SuiteResult } from '../kernel/result/suite-result.ts';
import { sum } from '../kernel/statistics/sums.ts';

/** The numbers that reports name of a whole run, each counted in one place. */
export interface Figures {
  /** Suites of which something ran. */
  ran: number;
  /** References that ran, and how many of them are in new suites. */
  references: number;
  fresh: number;
  /** References that are worse by their own tries in suites that did not regress. */
  worse: number;
  /** References with evidence, of all that need it; null: all have it. */
  evidence: { references: number; of: number } | null;
  /** Tries without a readable grade in suites with many, of their tries; null: no such suite. */
  ungraded: { tries: number; of: number } | null;
}

export function figuresOf({ suites }: Pick<Result, 'suites'>): Figures {
  const ran = suites.map(({ references }) => references.filter(hasRun));
  const fresh = suites.filter(({ verdict }) => verdict === 'new');
  const alone = suites.filter(({ verdict }) => verdict !== 'regressed');
  const ungraded = ungradedSuites(suites);
  const evidence = {
    references: sum(suites.map((suite) => suite.evidence.references)),
    of: sum(suites.map((suite) => suite.evidence.of)),
  };
  return {
    ran: ran.filter((references) => references.length > 0).length,
    references: ran.flat().length,
    fresh: sum(fresh.map(({ references }) => references.length)),
    worse: alone
      .flatMap(({ references }) => references)
      .filter((reference) => reference.status === 'regressed' && countsForVerdict(reference))
      .length,
    evidence: evidence.references === evidence.of ? null : evidence,
    ungraded:
      ungraded.length === 0
        ? null
        : {
            tries: sum(ungraded.map((suite) => suite.ungraded)),
            of: sum(ungraded.map(({ tries }) => tries)),
          },
  };
}

function hasRun({ base, head }: ReferenceResult): boolean {
  return base !== null || head !== null;
}

/** Nothing but new suites ran. */
export function comparesNothing({ references, fresh }: Figures): boolean {
  return fresh > 0 && fresh >= references;
}

interface NamedRates {
  name: string;
  base: number | null;
  head: number | null;
}

/** Suites whose rate fell with the model: base's by stored answers, and by answers of today. */
export function driftedSuites(suites: readonly SuiteResult[]): NamedRates[] {
  return suites.flatMap(({ name, reason, confirmation }) => {
    const drift = reason?.by === 'model' ? (confirmation?.drift ?? null) : null;
    return drift === null || confirmation?.metric !== undefined
      ? []
      : [{ name, base: drift.stored, head: drift.today }];
  });
}

/** References because of which a suite is red although its rate is not lower; else null. */
export function brokenUnderRise({
  verdict,
  reason,
  pass_rate: { base, head },
}: SuiteResult): string[] | null {
  if (verdict !== 'regressed' || reason?.by !== 'references') return null;
  return base === null || head === null || head < base ? null : reason.references;
}

/** The metric that fell most, with its own pass rates, where a suite is red because of it. */
export function fallenMetric({ verdict, reason, metrics }: SuiteResult): NamedRates | null {
  const [name] = reason?.metrics ?? [];
  if (verdict !== 'regressed' || reason?.by !== 'fall' || name === undefined) return null;
  const row = metrics.find((metric) => metric.name === name);
  return { name, base: row?.base ?? null, head: row?.head ?? null };
}

/** References that base answers and head does not, or less often, where that decides. */
export function unansweredIn({ reason, references }: SuiteResult): ReferenceResult[] {
  const ids = new Set(reason?.by === 'unanswered' ? reason.references : []);
  return references.filter(({ id }) => ids.has(id));
}

/** Whether head answers none of their tries. */
export function isSilent(suite: SuiteResult): boolean {
  return unansweredIn(suite).every(({ head }) => (head?.tries_judged ?? 0) === 0);
}
