import { valueAt } from '../../../documents/document.ts';
import { isMap, type Json } from '../../../types/plain.ts';

export function isFlexEval(value: Json): boolean {
  if (!isMap(value)) return false;
  if (isMap(value['eval']) && Array.isArray(value['data_sources'])) return true;
  const evals = Object.values(value);
  return (
    evals.length > 0 &&
    evals.every(
      (foreign) =>
        isMap(foreign) &&
        isMap(foreign['metrics']) &&
        ['function', 'rubric'].some((kind) => valueAt(foreign, ['metrics', kind]) !== undefined),
    )
  );
}
