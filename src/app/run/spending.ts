import type { AnsweredTry } from '../../kernel/ask/execute.ts';
import { runRounds } from '../../kernel/ask/rounds.ts';
import type { ScoringTools } from '../../kernel/ask/score-metric.ts';
import type { Confirmation } from '../../kernel/judge/confirmation.ts';
import type { Halt, Unmade } from '../../kernel/plan/halt.ts';
import type { SuiteComparison, NextTries } from '../../kernel/plan/suite-run.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import type { Prompt } from '../../kernel/suite/suite.ts';
import { createMeter, type Meter } from '../../money/meter.ts';
import type { Prepared } from '../../money/prepared.ts';
import type { Usage } from '../../types/answer.ts';
import {
  type Complete,
  type Completion,
  type Evaluate,
  type KeptRecords,
  type Target,
  isAbandoned,
  modelLabel,
} from '../../types/model.ts';
import type { Notice, Purpose } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { Solve } from '../../types/solver.ts';
import { withoutOutdated, type OtherBuild, type ReplacedServer } from './outdated.ts';
import { unknownModels } from './unknown-models.ts';

export interface RunWords {
  suiteNotices(comparison: SuiteComparison, result: SuiteResult): Notice[];
  driftNotice(name: string, confirmation: Confirmation | null | undefined): Notice[];
  servedNotices(found: {
    replaced: readonly ReplacedServer[];
    otherBuilds: readonly OtherBuild[];
  }): Notice[];
  confirmationWords(confirmation: Confirmation): string;
  /** The model that a name stands for that its vendor does not know. */
  meantModel(name: string, others: readonly string[]): string | null;
}

export interface JudgeEdges {
  words: RunWords;
  complete: Complete;
  evaluate: Evaluate;
  random: ScoringTools['random'];
  scoreMetric: ScoringTools['scoreMetric'];
  hash(text: string): string;
  solve: Solve;
  answered(purpose: Purpose, status: Completion['status']): void;
  /** One item per store. Only the first is writable. */
  kept?(): Promise<readonly KeptRecords[]>;
  sources?: { base: SourceTree | null; head: SourceTree };
  reread?(file: string, text: string): Promise<readonly Prompt[]>;
  onStage?(words: string): void;
  isPreview?: true;
  halted?(): Halt | null;
}

function callPurposes({ own, planned }: AnsweredTry): readonly Purpose[] {
  return own?.calls ?? (planned.generation.kind === 'recorded' ? [] : ['prompt']);
}

/** Null if a feature produced the answer, because its usage is a sum over several models. */
function savedBy({
  own,
  completion,
  planned: { generation },
}: AnsweredTry): { target: Target; usage: Usage | null } | null {
  if (own !== null || generation.kind !== 'request' || completion.status === 'error') return null;
  return { target: generation.target, usage: completion.usage };
}

export interface Spending {
  meter: Meter;
  complete: Complete;
  halted(): Halt | null;
  unmade: Unmade;
  /** Errors of models that do not exist, by the model's label. */
  missing: Map<string, string>;
}

const NO_GRADE: ReadonlySet<Purpose> = new Set(['prompt', 'qualeval', 'fix']);

export function startSpending({ price }: Prepared, edges: JudgeEdges): Spending {
  const meter = createMeter(edges.complete, price);
  const unmade = { tries: 0, grades: 0, rounds: 0 };
  const missing = new Map<string, string>();
  let failed: string | null = null;
  const complete: Complete = async (request) => {
    const completion = await meter.complete(request);
    if (!NO_GRADE.has(request.purpose) && isAbandoned(completion)) unmade.grades += 1;
    failed = errorIn(completion) ?? failed;
    if (completion.status === 'error' && completion.noModel)
      missing.set(modelLabel(request.target), completion.message);
    edges.answered(request.purpose, completion.status);
    return completion;
  };
  const halted = (): Halt | null => {
    const halt = edges.halted?.() ?? null;
    return halt === null || failed === null || halt.code !== 'budget'
      ? halt
      : { ...halt, why: `${halt.why} (the last error: ${failed})` };
  };
  return { meter, complete, halted, unmade, missing };
}

function errorIn(completion: Completion): string | null {
  if (completion.status === 'ok' || completion.unsent) return null;
  return isAbandoned(completion) ? (completion.before ?? null) : completion.message;
}

export async function askRounds(
  prepared: Prepared,
  edges: JudgeEdges,
  spent: Spending,
): Promise<ReturnType<typeof withoutOutdated>> {
  const made = withoutOutdated(await executeRounds(prepared, edges, spent));
  if (made.replaced.length === 0) return made;
  const complete: Complete = (request) => spent.complete({ ...request, anew: true });
  const again = { ...prepared, suites: made.suites };
  return { ...made, suites: await executeRounds(again, edges, { ...spent, complete }) };
}

async function executeRounds(
  prepared: Prepared,
  { evaluate, random, scoreMetric, words }: JudgeEdges,
  { meter, complete, halted, unmade, missing }: Spending,
): Promise<SuiteComparison[]> {
  const { suites, price, next } = prepared;
  const whileCalled = (begun: readonly SuiteComparison[]): NextTries => {
    if (unknownModels(prepared, missing, words).length > 0) return () => new Map();
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
    random,
    scoreMetric,
    price,
    answered: (answer, shared) => {
      if (shared)
        for (const purpose of callPurposes(answer)) meter.shared(purpose, savedBy(answer));
      else if (answer.planned.generation.kind === 'code') meter.ran('prompt');
      if (isAbandoned(answer.completion)) unmade.tries += 1;
    },
  });
}
