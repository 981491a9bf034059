import { createQueue } from '../../../../src/edges/providers/limit.ts';
import fc from '../../../fuzz.ts';

test('the queue returns items in order, with prioritized ones first', () => {
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

test('the queue keeps its order over many thousand added and removed items', () => {
  const queue = createQueue<{ id: number }>();
  const taken: number[] = [];
  for (let id = 0; id < 30_000; id++) {
    queue.add({ id }, false);
    if (id % 3 > 0) taken.push(queue.take()!.id);
  }
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next.id);
  expect(taken).toEqual(Array.from({ length: 30_000 }, (_, id) => id));
});
