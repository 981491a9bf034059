import { runNewTries, type ExtraTry } from '../../kernel/ask/rounds.ts';
import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import { type Complete, type Request, isAbandoned } from '../../types/model.ts';
import type { Price } from '../../types/price.ts';
import type { FeatureTools } from './feature.ts';

/** If `byBase`, base's metrics also judge the tries. */
export function extraTryMaker(
  tools: FeatureTools,
  price: Price,
  { byBase = false, ...asked }: Pick<Request, 'anew' | 'secondSession'> & { byBase?: boolean },
) {
  const { spent, evaluate, random, scoreMetric } = tools;
  let isEnded = false;
  const complete: Complete = async (request) => {
    const completion = await spent.meter.complete({ ...request, ...asked });
    tools.answered(request.purpose, completion.status);
    if (isAbandoned(completion)) isEnded = true;
    return completion;
  };
  const askTools = { complete, evaluate, random, scoreMetric, price };
  return {
    async make<Wanted extends ExtraTry>(run: SuiteRun, wanted: readonly Wanted[]) {
      const suite = byBase ? run : { ...run, baseScoring: null };
      const tries = await runNewTries(suite, wanted, askTools);
      return wanted.flatMap((each, i) => {
        const made = tries[i];
        return made === undefined ? [] : [{ wanted: each, made }];
      });
    },
    isEnded: () => isEnded,
  };
}
