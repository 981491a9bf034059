import type { AskTools } from '../explain/ask.ts';
import { draftFixes } from '../explain/draft-fix.ts';
import { editOf } from '../explain/fix-lines.ts';
import type { PromptChange } from '../explain/prompt-units.ts';
import type { Cause, Fix } from '../result/causes.ts';
import type { ReferenceResult, SideResult } from '../result/reference-result.ts';
import { suiteTest } from '../statistics/suite-test.ts';
import type { Table } from '../statistics/table.ts';
import type { MakeTries } from './cause-tries.ts';

/** References that a candidate is run on, and tries of each. */
const SAMPLE = { fallen: 5, held: 6, tries: 2 };

/** A candidate is better than head at this level. */
const LEVEL = 0.05;

/** What candidates are made of and run with. */
export interface FixBench {
  change: PromptChange;
  /** References in the order of their numbers: those that fell, then those that held. */
  references: readonly ReferenceResult[];
  fallen: number;
  make: MakeTries;
  /** Head's lines of a file; null: not known. */
  lines(file: string): readonly string[] | null;
  /** Who writes drafts; null: nobody is asked. */
  grader: AskTools | null;
}

interface Candidate {
  kind: Fix['kind'];
  /** What takes the place of the unit's text; null: nothing. */
  text: string | null;
}

/**
 * A cause with a fix that was run: it restores what fell and costs nothing of what held. A draft
 * goes before setting the cause back, for it keeps what the change is for. Null: none held.
 */
export async function fixOf(cause: Cause, bench: FixBench): Promise<Fix | null> {
  const [unit] = cause.units;
  if (unit === undefined || cause.relation === 'either') return null;
  const back: Candidate = { kind: 'set back', text: unit.base_text };
  const drafted =
    bench.grader === null || (unit.kind !== 'line' && unit.kind !== 'sentence')
      ? []
      : await draftFixes(unit, fallenBy(cause, bench), bench.grader);
  const drafts = drafted.map((text): Candidate => ({ kind: 'draft', text }));
  for (const candidate of [...drafts, back]) {
    const edit = editOf(unit, candidate.text, bench.lines(unit.head.file) ?? []);
    if (edit === null) continue;
    const found = await tried(cause, candidate, bench);
    if (found !== null) return { kind: candidate.kind, ...edit, ...found };
  }
  return null;
}

function fallenBy(cause: Cause, { references }: FixBench): ReferenceResult[] {
  const ids = new Set(cause.references.map(({ id }) => id));
  return references.filter(({ id }) => ids.has(id));
}

/** What a candidate does, where it is better than head and costs nothing; null: it is not shown. */
async function tried(
  cause: Cause,
  { kind, text }: Candidate,
  { change, references, fallen, make }: FixBench,
): Promise<Pick<Fix, 'restores' | 'costs' | 'tries'> | null> {
  const unit = change.units.findIndex((one) => one === cause.units[0]);
  const all = new Set(change.units.keys());
  const without = new Set([...all].filter((one) => one !== unit));
  const ids = new Set(cause.references.map(({ id }) => id));
  const numbers = [...references.keys()];
  const worse = numbers.filter((i) => ids.has(references[i]?.id ?? '')).slice(0, SAMPLE.fallen);
  const held = numbers.slice(fallen, fallen + SAMPLE.held);
  const draws = [...worse, ...held].flatMap((reference) =>
    Array.from({ length: SAMPLE.tries }, () => reference),
  );
  const passed = await make(
    draws.map((reference) => ({
      reference,
      prompt: `fix ${text ?? ''}`,
      generation: (one) =>
        kind === 'set back'
          ? change.generation(one, without)
          : change.generation(one, all, { unit, text: text ?? '' }),
    })),
  );
  const countOf = (reference: number): { passes: number; tries: number } => {
    const own = passed.filter((one, i) => draws[i] === reference && one !== null);
    return { passes: own.filter(Boolean).length, tries: own.length };
  };
  const tables = worse.map((reference): Table => ({
    base: countsOf(references[reference]?.head ?? null),
    head: countOf(reference),
  }));
  const restored = tables.filter(({ head }) => head.tries > 0 && head.passes === head.tries).length;
  const costs = held.filter((reference) => {
    const { passes, tries } = countOf(reference);
    return passes < tries || tries === 0;
  }).length;
  const better = tables.length > 0 && suiteTest(tables).midUp <= LEVEL;
  if (!better || costs > 0 || 2 * restored <= worse.length) return null;
  return {
    restores: { references: restored, of: worse.length },
    costs: { references: costs, of: held.length },
    tries: SAMPLE.tries,
  };
}

function countsOf(side: SideResult | null): { passes: number; tries: number } {
  return { passes: side?.passes ?? 0, tries: side?.tries_judged ?? 0 };
}
