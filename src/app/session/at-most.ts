import { createQueue, type Queue } from '../../edges/providers/limit.ts';
import { isBatched, placeOf, type Complete } from '../../types/model.ts';

/** More than any server gets at once. The others are refused at once if the run stops. */
const MOST_OF_MODEL = 256;

/** Passes on at most 256 direct requests of each model at a time. */
export function atMost(complete: Complete): Complete {
  const models = new Map<string, { inside: number; waiting: Queue<() => void> }>();
  return async (request) => {
    const { target } = request;
    if (isBatched(target)) return complete(request);
    const key = `${placeOf(target)} ${target.model}`;
    const model = models.get(key) ?? { inside: 0, waiting: createQueue<() => void>() };
    models.set(key, model);
    if (model.inside < MOST_OF_MODEL) model.inside += 1;
    else await new Promise<void>((go) => model.waiting.add(go, false));
    try {
      return await complete(request);
    } finally {
      const next = model.waiting.take();
      if (next === undefined) model.inside -= 1;
      else next();
    }
  };
}
