import {
  ANTHROPIC_BATCH,
  anthropicBatches,
} from '../../../../src/edges/providers/vendors/anthropic-batch.ts';
import {
  OPENAI_BATCH,
  openaiBatches,
} from '../../../../src/edges/providers/vendors/openai-batch.ts';
import { createPacker } from '../../../../src/features/batch/batches.ts';

function packed(sizes: readonly number[], limits: { requests: number; bytes: number }) {
  const packer = createPacker<number>(limits);
  const batches: number[] = [];
  for (const bytes of sizes) {
    const full = packer.add(bytes, bytes);
    if (full !== null) batches.push(full.length);
  }
  const rest = packer.take().length;
  return rest === 0 ? batches : [...batches, rest];
}

test("the size limits of batches equal the vendors' documented limits", () =>
  expect([OPENAI_BATCH, ANTHROPIC_BATCH]).toEqual([
    { requests: 50_000, bytes: 200_000_000 },
    { requests: 100_000, bytes: 256_000_000 },
  ]));

describe.each([
  ['openai', openaiBatches],
  ['anthropic', anthropicBatches],
] as const)('a batch of %s', (_, { limits }) => {
  test.each([
    [-1, (most: number) => [most - 1]],
    [0, (most: number) => [most]],
    [1, (most: number) => [most, 1]],
    [2, (most: number) => [most, 2]],
  ])('takes at most the allowed requests (waiting: limit plus %i)', (more, expected) =>
    expect(packed(Array<number>(limits.requests + more).fill(1), limits)).toEqual(
      expected(limits.requests),
    ),
  );

  test.each([
    [-1, [3]],
    [0, [3]],
    [1, [2, 1]],
  ])('takes at most the allowed bytes (waiting: limit plus %i)', (more, expected) => {
    const third = Math.floor(limits.bytes / 3);
    expect(packed([third, third, limits.bytes - 2 * third + more], limits)).toEqual(expected);
  });

  test('takes only one request if it is larger than the limit', () =>
    expect(packed([limits.bytes + 1, 1], limits)).toEqual([1, 1]));
});
