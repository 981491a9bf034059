import { createPace } from '../../../../src/edges/providers/pace.ts';

function round(pace: ReturnType<typeof createPace>, latencyMs: number) {
  for (let left = pace.slots(); left > 0; left--) pace.answered(latencyMs, true);
  return pace.slots();
}

test('concurrency doubles after each full round of calls, up to the limit', () => {
  const pace = createPace({ start: 4, max: 30 });
  expect([round(pace, 100), round(pace, 100), round(pace, 100), round(pace, 100)]).toEqual([
    8, 16, 30, 30,
  ]);
});

test('concurrency halves at a rate limit, never below one, then grows by one per round', () => {
  const pace = createPace({ start: 16, max: 50 });
  pace.halve();
  expect(pace.slots()).toBe(8);
  // The limit grows during a round, so a few more answers arrive at the end.
  const grown = [round(pace, 100), round(pace, 100), round(pace, 100)];
  expect(grown.every((slots, index) => slots >= 8 + index && slots <= 9 + index)).toBe(true);
  for (let times = 0; times < 10; times++) pace.halve();
  expect(pace.slots()).toBe(1);
});

test('concurrency does not grow while slots are unused', () => {
  const pace = createPace({ start: 4, max: 50 });
  for (let times = 0; times < 100; times++) pace.answered(100, false);
  expect(pace.slots()).toBe(4);
});

test('concurrency stops growing when answers become slow, and grows again if they stay equally slow', () => {
  const pace = createPace({ start: 4, max: 1000 });
  round(pace, 100);
  round(pace, 500);
  const held = pace.slots();
  expect([round(pace, 500), round(pace, 500)]).toEqual([held, held]);
  for (let times = 0; times < 20; times++) round(pace, 500);
  expect(pace.slots()).toBeGreaterThan(held);
});

test.each([
  [{ start: 0, max: 5 }, 1],
  [{ start: 9, max: 5 }, 5],
  [{ start: 3, max: 0 }, 1],
])('concurrency for the server %j starts at %i', (given, slots) =>
  expect(createPace(given).slots()).toBe(slots),
);
