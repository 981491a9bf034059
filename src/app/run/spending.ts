import type { Answer } from '../../kernel/ask/execute.ts';
import { runRounds } from '../../kernel/ask/rounds.ts';
import type { ScoringTools } from '../../kernel/ask/score-metric.ts';
import { type Halt, type Unmade, wasNotMade } from '../../kernel/plan/halt.ts';
import type { Prepared } from '../../kernel/plan/prepared.ts';
import type { SuiteComparison, NextTries } from '../../kernel/plan/suite-run.ts';
import type { Prompt } from '../../kernel/suite/suite.ts';
import { createMeter, type Meter } from '../../money/price.ts';
import type { CheckSchema } from '../../types/metric.ts';
import type {
  Complete,
  Completion,
  Evaluate,
  KeptRecords,
  Purpose,
  Target,
  Usage,
} from '../../types/model.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { Solve } from '../../types/solver.ts';

export interface JudgeEdges {
  complete: Complete;
  evaluate: Evaluate;
  /** Holds answers against schemas where that can be stopped; absent: on the spot. */
  checkSchema?: CheckSchema;
  random: ScoringTools['random'];
  scoreMetric: ScoringTools['scoreMetric'];
  /** Any collision-resistant hash of text. */
  hash(text: string): string;
  /** Solves the program by which references get their attributes. */
  solve: Solve;
  /** Told after each answer, grade and evaluation that was asked for; for progress only. */
  answered(purpose: Purpose): void;
  /** What stores keep beside answers, first the one that is written to; absent: there is none. */
  kept?(): Promise<readonly KeptRecords[]>;
  /** Both sides' files, for the lines of what changed; absent: there are no lines. */
  sources?: { base: SourceTree | null; head: SourceTree };
  /** Head's prompts as they are read where one of its files has this text; absent: nobody reads. */
  reread?(file: string, text: string): Promise<readonly Prompt[]>;
  /** Told, in a few words, what the run is at once the verdict stands; for progress only. */
  looking?(words: string): void;
  /** Why no further call is made; null while calls are. Absent: nothing ends a run early. */
  halted?(): Halt | null;
}

/** The calls that an answer took at least, by purpose: what is saved where it is shared. */
function callsOf({ own, planned }: Answer): readonly Purpose[] {
  return own?.calls ?? (planned.generation.kind === 'recorded' ? [] : ['prompt']);
}

/**
 * What a shared answer would have cost; not known in a suite of its own kind, where usage is one
 * sum over several models.
 */
function savedBy({
  own,
  completion,
  planned: { generation },
}: Answer): { target: Target; usage: Usage | null } | null {
  if (own !== null || generation.kind !== 'request' || completion.status === 'error') return null;
  return { target: generation.target, usage: completion.usage };
}

/** What a run asks through, and what it could not ask any more because it was ended. */
export interface Spending {
  meter: Meter;
  /** Asks, counts, and tells whoever watches. */
  complete: Complete;
  /** Why no further call is made; the error of a request is named with the cap it used up. */
  halted(): Halt | null;
  unmade: Unmade;
}

/**
 * Answers are counted as tries; and what is asked about attributes and for fixes comes after the
 * verdict, which lacks nothing without it.
 */
const NO_GRADE: ReadonlySet<Purpose> = new Set(['prompt', 'qualeval', 'insight', 'fix']);

export function startSpending({ price }: Prepared, edges: JudgeEdges): Spending {
  const meter = createMeter(edges.complete, price);
  const unmade = { tries: 0, grades: 0, rounds: 0 };
  let failed: string | null = null;
  const complete: Complete = async (request) => {
    const completion = await meter.complete(request);
    if (!NO_GRADE.has(request.purpose) && wasNotMade(completion)) unmade.grades += 1;
    failed = errorIn(completion) ?? failed;
    edges.answered(request.purpose);
    return completion;
  };
  const halted = (): Halt | null => {
    const halt = edges.halted?.() ?? null;
    return halt === null || failed === null || halt.title !== 'Budget reached'
      ? halt
      : { ...halt, why: `${halt.why} (the last error: ${failed})` };
  };
  return { meter, complete, halted, unmade };
}

/** The error of a request that was made; null: there was none. */
function errorIn(completion: Completion): string | null {
  if (completion.status === 'ok' || completion.unsent) return null;
  return wasNotMade(completion) ? (completion.before ?? null) : completion.message;
}

/** Makes and scores every round of tries that a suite wants, while calls are made. */
export async function executeRounds(
  { suites, price, next }: Prepared,
  { evaluate, checkSchema, random, scoreMetric }: JudgeEdges,
  { meter, complete, halted, unmade }: Spending,
): Promise<SuiteComparison[]> {
  const whileCalled = (begun: readonly SuiteComparison[]): NextTries => {
    const wanted = next(begun);
    return (run) => {
      const tries = wanted(run);
      if (halted() === null || tries.size === 0) return tries;
      unmade.rounds += 1;
      return new Map();
    };
  };
  return runRounds(suites, whileCalled, {
    complete,
    evaluate,
    checkSchema,
    random,
    scoreMetric,
    price,
    answered: (answer, shared) => {
      if (shared) for (const purpose of callsOf(answer)) meter.shared(purpose, savedBy(answer));
      if (wasNotMade(answer.completion)) unmade.tries += 1;
    },
  });
}
