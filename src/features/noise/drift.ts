import { z } from 'zod';
import type { Edges } from '../../app/run/record.ts';
import { evaluateWith, plannedSuite } from '../../app/session/evaluate.ts';
import { readNote } from '../../app/session/refusal-memory.ts';
import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import type { Counts } from '../../kernel/statistics/table.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { DAY_MS } from '../../text/amounts.ts';
import { byCodeUnits } from '../../text/order.ts';
import { questionKeys } from '../../trials/question-keys.ts';
import type { KeptRecords } from '../../types/model.ts';
import { countSchema } from '../../types/usage-totals.ts';
import { addDay, changeEvidence, ERROR_RATE } from './evidence.ts';
import type { NoiseInput } from './measure.ts';
import { ONCE_A_DAY } from './plan.ts';

const daySchema = z.strictObject({
  day: z.string(),
  passes: countSchema,
  tries: countSchema,
  /** Models that answered, by the vendor's own account. */
  served: z.string(),
});

const watchedSchema = z.strictObject({
  days: z.array(daySchema),
  /** Day of the last report of a change. */
  reported: z.string().nullable(),
});

/** By the hash of a suite's questions and their scoring. */
const driftNoteSchema = z.strictObject({
  drift_version: z.literal(1),
  suites: z.record(z.string(), watchedSchema),
});

type WatchedDay = z.infer<typeof daySchema>;

type WatchedSuite = z.infer<typeof watchedSchema>;

type KnownSuites = z.infer<typeof driftNoteSchema>['suites'];

export interface DriftRow {
  suite: string;
  variant: SuiteResult['variant'];
  /** `skipped`: a try ended in an error, so the day does not count. */
  status: 'changed' | 'unchanged' | 'started' | 'skipped';
  /** Days before the change, or all days but the last. */
  before: Counts;
  after: Counts;
  since: string;
  /** Set if other models answer than on the day before: `a, now b`. */
  served: string | null;
}

export interface Drift extends Pick<Result, 'head' | 'n_tries' | 'notices' | 'problems' | 'usage'> {
  drift_version: 1;
  measured_at: string;
  suites: DriftRow[];
}

/** Asks all questions of a commit again, and compares with all earlier days. */
export async function measureDrift(
  { tree, runs: _, ...rest }: NoiseInput,
  edges: Edges,
): Promise<Drift> {
  const { today } = rest;
  const stores = (await edges.kept?.()) ?? [];
  const { result, plan } = await evaluateWith(
    { ...rest, mode: 'sweep', base: null, head: tree, failOn: 'never', again: ONCE_A_DAY },
    edges,
  );
  const suites = keptDrift(stores);
  const rows: DriftRow[] = [];
  for (const found of result.suites) {
    const run = plannedSuite(plan, found);
    if (run === undefined || found.references.length === 0) continue;
    const { path, name, variant } = found;
    const asked = askedIn(run);
    const key = edges.hash(
      `${canonicalJson([path, name, { ...variant }])} ${[...new Set(asked)].join()}`,
    );
    const references = withoutRepeats(found.references, asked);
    const { row, watched } = watchSuite({ ...found, references }, suites[key], today);
    rows.push(row);
    suites[key] = watched;
  }
  const { head, n_tries, notices, problems, usage } = result;
  const isKept = rows.length === 0 || keepDrift(stores, suites, today);
  const message = 'these pass rates could not be stored, so the next run cannot use them';
  return {
    drift_version: 1,
    ...{ head, n_tries, problems, usage, measured_at: today },
    suites: rows,
    notices: isKept ? notices : [...notices, { kind: 'settings', place: null, message }],
  };
}

/** What each reference of the suite asks. Null: nothing. */
function askedIn(run: SuiteRun): (string | null)[] {
  const key = questionKeys(run);
  return run.runs.map((reference) => key(reference, 'head'));
}

/** References that ask the same share their answers, which must count once. */
function withoutRepeats(
  references: SuiteResult['references'],
  asked: readonly (string | null)[],
): SuiteResult['references'] {
  const seen = new Set<string>();
  return references.filter((_, at) => {
    const own = asked[at] ?? null;
    if (own === null) return true;
    const isNew = !seen.has(own);
    seen.add(own);
    return isNew;
  });
}

/** A repeated run adds only the answers that are new, so that no answer counts twice. */
function watchSuite(
  { name: suite, variant, references }: SuiteResult,
  known: WatchedSuite = { days: [], reported: null },
  today: string,
): { row: DriftRow; watched: WatchedSuite } {
  const sameDay = known.days.filter(({ day }) => day === today);
  const earlier = daysToCompare(known, today);
  const made = answersOfDay(references, sameDay.length > 0);
  const after = totalOfDays(made.isWhole ? [...sameDay, made] : sameDay);
  const row = {
    ...{ suite, variant, before: totalOfDays(earlier), after, since: today },
    served: otherModels(earlier.at(-1), made.served),
  };
  if (after.tries === 0 || (made.hasErrors && known.reported !== today))
    return { row: { ...row, status: 'skipped' }, watched: known };
  const days: WatchedDay[] = [...earlier, { day: today, ...after, served: made.served }];
  const { value, since } = changeEvidence(days);
  if (value < 1 / ERROR_RATE && known.reported !== today) {
    const status = earlier.length === 0 ? 'started' : 'unchanged';
    return { row: { ...row, status }, watched: { ...known, days } };
  }
  const changed = {
    before: totalOfDays(days.slice(0, since)),
    after: totalOfDays(days.slice(since)),
    since: days[since]?.day ?? today,
  };
  return { row: { ...row, ...changed, status: 'changed' }, watched: { days, reported: today } };
}

/** A change that was reported on another day ends the comparison. Today begins the next one. */
function daysToCompare({ days, reported }: WatchedSuite, today: string): WatchedDay[] {
  const isOver = reported !== null && reported === days.at(-1)?.day && reported < today;
  return isOver ? [] : days.filter(({ day }) => day !== today);
}

function otherModels(before: WatchedDay | undefined, now: string): string | null {
  const was = before?.served ?? '';
  return was === '' || now === '' || was === now ? null : `${was}, now ${now}`;
}

function answersOfDay(references: SuiteResult['references'], isRepeated: boolean) {
  const all = references.map(({ head }) => head?.tries ?? []);
  const made = all.map((tries) => tries.filter(({ stored }) => !isRepeated || stored !== true));
  const outcomes = made.flatMap((tries) => tries.map(({ outcome }) => outcome));
  const hasErrors = outcomes.some((outcome) => outcome !== 'pass' && outcome !== 'fail');
  const models = all.flat().flatMap((tried) => tried.served?.model ?? []);
  return {
    passes: outcomes.filter((outcome) => outcome === 'pass').length,
    tries: outcomes.length,
    served: [...new Set(models)].sort().join(', '),
    hasErrors,
    // The mean difficulty of a day is the same only if all tests have equally many tries.
    isWhole: !hasErrors && made.every(({ length }) => length === made[0]?.length),
  };
}

function totalOfDays(days: readonly Counts[]): Counts {
  return days.reduce<Counts>(addDay, { passes: 0, tries: 0 });
}

const DRIFT_NOTE = 'drift';

/** Of the stores, the one that was used last knows most of a suite. */
function keptDrift(stores: readonly KeptRecords[]): KnownSuites {
  const known = stores
    .flatMap((store) =>
      Object.entries(readNote(driftNoteSchema, store.note(DRIFT_NOTE))?.suites ?? {}),
    )
    .reverse()
    .sort(([, a], [, b]) => byCodeUnits(lastDay(a), lastDay(b)));
  return Object.fromEntries(known);
}

function lastDay({ days }: WatchedSuite): string {
  return days.at(-1)?.day ?? '';
}

/** Questions that were last asked longer ago are forgotten. */
const KEPT_DAYS = 400;

function keepDrift([store]: readonly KeptRecords[], suites: KnownSuites, today: string): boolean {
  const oldest = new Date(Date.parse(today) - KEPT_DAYS * DAY_MS).toISOString();
  const kept = Object.entries(suites).filter(([, suite]) => lastDay(suite) > oldest);
  const body = JSON.stringify({ drift_version: 1, suites: Object.fromEntries(kept) });
  return store?.setNote?.(DRIFT_NOTE, body) ?? false;
}
