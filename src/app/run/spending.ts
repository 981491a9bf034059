import type { ScoringTools } from '../../kernel/ask/score-metric.ts';
import type { Confirmation } from '../../kernel/judge/confirmation.ts';
import type { Halt, Unmade } from '../../kernel/plan/halt.ts';
import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import type { Prompt } from '../../kernel/suite/suite.ts';
import { createMeter, type Meter } from '../../money/meter.ts';
import type { Prepared } from '../../money/prepared.ts';
import {
  type Complete,
  type Completion,
  type Evaluate,
  type KeptRecords,
  isAbandoned,
  modelLabel,
} from '../../types/model.ts';
import type { Notice, Purpose } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { Solve } from '../../types/solver.ts';
import type { ReplacedServer } from './outdated.ts';

export interface RunWords {
  suiteNotices(comparison: SuiteComparison, result: SuiteResult): Notice[];
  driftNotice(name: string, confirmation: Confirmation | null | undefined): Notice[];
  servedNotices(replaced: readonly ReplacedServer[]): Notice[];
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
