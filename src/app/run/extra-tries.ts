import { runExtraTries, runNewTries, type ExtraTry } from '../../kernel/ask/rounds.ts';
import type { SuiteRun, Try } from '../../kernel/plan/suite-run.ts';
import type { TryResult } from '../../kernel/result/reference-result.ts';
import { type Complete, type Request, wasNotMade } from '../../types/model.ts';
import type { Price } from '../../types/price.ts';
import type { FeatureTools } from './feature.ts';

/** Makes tries of a suite beyond those of the plan. */
interface ExtraTryMaker {
  /** In the order of `wanted`. */
  make(run: SuiteRun, wanted: readonly ExtraTry[]): Promise<TryResult[]>;
  /** The same, scored by both sides' scorings. */
  makeTries(run: SuiteRun, wanted: readonly ExtraTry[]): Promise<Try[]>;
  /** Whether a call was not made, because a cap or a signal ended the run. */
  isEnded(): boolean;
}

export function extraTryMaker(
  tools: FeatureTools,
  price: Price,
  asked: Pick<Request, 'anew' | 'secondSession'>,
): ExtraTryMaker {
  const { spent, evaluate, checkSchema, random, scoreMetric } = tools;
  let isEnded = false;
  const complete: Complete = async (request) => {
    const completion = await spent.meter.complete({ ...request, ...asked });
    tools.answered(request.purpose);
    if (wasNotMade(completion)) isEnded = true;
    return completion;
  };
  const made = { complete, evaluate, checkSchema, random, scoreMetric, price };
  return {
    make: (run, wanted) => runExtraTries(run, wanted, made),
    makeTries: (run, wanted) => runNewTries(run, wanted, made),
    isEnded: () => isEnded,
  };
}
