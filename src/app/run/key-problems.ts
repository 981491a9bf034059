import { scoringsOf } from '../../kernel/plan/suite-run.ts';
import type { Scoring } from '../../kernel/select/scoring.ts';
import { embedderFor, everyMetric, gradersFor } from '../../kernel/suite/metrics.ts';
import { answerersOf, targetsOf, type Prepared } from '../../money/prepared.ts';
import type { Target } from '../../types/model.ts';
import type { Problem } from '../../types/plain.ts';

export function keyProblems(
  prepared: Prepared,
  missingKeys: (targets: readonly Target[]) => Problem[],
): Problem[] {
  const running = prepared.suites.map(({ run }) => run).filter(({ runs }) => runs.length > 0);
  const answering = missingKeys(running.flatMap(answerersOf)).map(({ message }) => message);
  const wanted = running
    .flatMap(scoringsOf)
    .flatMap(modelsByMetric)
    .flatMap(({ target, ...metric }) =>
      missingKeys([target]).map(({ message }) => ({ ...metric, message, model: target.model })),
    );
  return missingKeys(targetsOf(prepared)).map((missing) => {
    const metric = wanted.find(({ message }) => message === missing.message);
    if (metric === undefined || answering.includes(missing.message)) return missing;
    const { place, name, model } = metric;
    return {
      place,
      message:
        `${missing.message} The metric "${name}" calls ${model}. ` +
        'If another server has this model, name the server in the settings file, models: ' +
        `{ ${JSON.stringify(model)}: { … } }, or remove the metric`,
    };
  });
}

function modelsByMetric(scoring: Scoring) {
  return everyMetric(scoring.tests).flatMap((metric) => {
    const embedder = embedderFor(metric, scoring);
    return [...gradersFor(metric, scoring), ...(embedder === null ? [] : [embedder])].map(
      ({ target }) => ({ target, name: metric.name, place: metric.place }),
    );
  });
}
