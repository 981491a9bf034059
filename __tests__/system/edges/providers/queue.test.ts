import { expect, test } from '@jest/globals';
import { createQueue } from '../../../../src/edges/providers/limit.ts';
import fc from '../../../fuzz.ts';

test('gives items back in the order they came, those put ahead first, like a plain list would', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constant('take' as const), fc.boolean()), { maxLength: 300 }),
      (steps) => {
        const queue = createQueue<{ id: number }>();
        const ahead: number[] = [];
        const rest: number[] = [];
        for (const [id, step] of steps.entries()) {
          if (step === 'take') expect(queue.take()?.id).toBe(ahead.shift() ?? rest.shift());
          else {
            queue.add({ id }, step);
            (step ? ahead : rest).push(id);
          }
        }
      },
    ),
  );
});

test('keeps order over many thousand items that come and go', () => {
  const queue = createQueue<{ id: number }>();
  const taken: number[] = [];
  for (let id = 0; id < 30_000; id++) {
    queue.add({ id }, false);
    if (id % 3 > 0) taken.push(queue.take()!.id);
  }
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next.id);
  expect(taken).toEqual(Array.from({ length: 30_000 }, (_, id) => id));
});
