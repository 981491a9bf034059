import { z } from 'zod';
import { textOf } from '../types/answer.ts';
import type { Grader } from '../types/model.ts';
import { alternatives, type MetricTools } from './answer.ts';
import { defineComparison } from './comparison.ts';
import {
  atLeast,
  measureError,
  reaches,
  type Measurement,
  type MetricContext,
} from './definition.ts';

type Vector = { status: 'found'; values: readonly number[] } | MissingVector;

type Similarity = { status: 'found'; value: number } | MissingVector;

type MissingVector = { status: 'ungraded' | 'error'; reason: string };

const ungradedResult = (reason: string): MissingVector => ({ status: 'ungraded', reason });

/** Embeds each distinct text only once (as try 0), so that equal texts get equal vectors. */
function createEmbedding(
  { target, parameters }: Grader,
  { complete }: MetricTools,
): (text: string) => Promise<Vector> {
  const asked = new Map<string, Promise<Vector>>();
  const ask = async (text: string): Promise<Vector> => {
    const completion = await complete({
      target,
      parameters,
      messages: [{ role: 'user', content: text }],
      try: 0,
      schema: null,
      purpose: 'embedding',
    });
    if (completion.status === 'error')
      return { status: 'error', reason: `the embedding failed: ${completion.message}` };
    const values = readVector(textOf(completion));
    return values === null
      ? ungradedResult('the embedding model returned no list of numbers')
      : { status: 'found', values };
  };
  return (text) => {
    const vector = asked.get(text) ?? ask(text);
    asked.set(text, vector);
    return vector;
  };
}

function readVector(output: string): readonly number[] | null {
  try {
    const parsed: unknown = JSON.parse(output);
    return Array.isArray(parsed) &&
      parsed.length > 0 &&
      parsed.every((value): value is number => typeof value === 'number' && Number.isFinite(value))
      ? parsed
      : null;
  } catch {
    return null;
  }
}

/** Returns −1 to 1. If the similarity is undefined, the answer is ungraded instead of getting 0. */
export function cosine(left: readonly number[], right: readonly number[]): Similarity {
  if (left.length !== right.length)
    return ungradedResult(
      `the embeddings have ${left.length} and ${right.length} numbers, so they ` +
        'cannot be compared',
    );
  const a = unit(left);
  const b = unit(right);
  if (a === null || b === null)
    return ungradedResult('an embedding is zero, so its similarity is undefined');
  const value = a.reduce((sum, part, index) => sum + part * (b[index] ?? 0), 0);
  return { status: 'found', value: Math.max(-1, Math.min(1, value)) };
}

/** Scaling first avoids overflow and underflow. */
function unit(vector: readonly number[]): number[] | null {
  const largest = vector.reduce((most, part) => Math.max(most, Math.abs(part)), 0);
  if (largest === 0) return null;
  const scaled = vector.map((part) => part / largest);
  const length = Math.sqrt(scaled.reduce((sum, part) => sum + part * part, 0));
  return scaled.map((part) => part / length);
}

/** Blank texts cannot be embedded. Their similarity is 1 to each other and 0 to other texts. */
async function similarity(
  output: string,
  expected: string,
  vectorOf: (text: string) => Promise<Vector>,
): Promise<Similarity> {
  if (output.trim() === '' || expected.trim() === '')
    return { status: 'found', value: output.trim() === expected.trim() ? 1 : 0 };
  if (output === expected) return { status: 'found', value: 1 };
  const [given, wanted] = await Promise.all([vectorOf(output), vectorOf(expected)]);
  if (given.status !== 'found') return given;
  return wanted.status === 'found' ? cosine(given.values, wanted.values) : wanted;
}

function bestSimilarity(found: readonly Similarity[], threshold: number): Measurement {
  const value = Math.max(
    ...found.map((each) => (each.status === 'found' ? each.value : -Infinity)),
  );
  const open = found.find((each) => each.status !== 'found');
  return open === undefined || reaches(value, threshold) ? atLeast(value, threshold) : open;
}

/** One per batch of answers. */
const embeddings = new WeakMap<MetricContext, (text: string) => Promise<Vector>>();

export const embeddingSimilarity = defineComparison({
  name: 'embedding_similarity',
  group: 'similarity',
  summary:
    'How close the answer is in meaning to the expected text: the cosine of their ' +
    'embeddings. If a list is expected, its closest entry counts. An answer without text ' +
    'gets 0 without a call. If the cosine is undefined, the answer is ungraded.',
  parameters: {
    model: z
      .string()
      .min(1)
      .optional()
      .describe('The embedding model, instead of `embeddings` in the settings.'),
    threshold: z
      .number()
      .min(-1)
      .max(1)
      .default(0.75)
      .describe(
        'The lowest value that passes. Typical values depend on the model: measure them first.',
      ),
  },
  needs: { model: false, embeddings: true },
  range: '−1 to 1',
  passes: 'at `with.threshold` (0.75) or more',
  source:
    'cosine similarity (Salton and McGill, 1983); ragas and autoevals `EmbeddingSimilarity`, ' +
    'promptfoo `similar` (its bound)',
  example: {
    output: 'It is four.',
    expected: 'Four.',
    vectors: { 'It is four.': [4, 3], 'Four.': [3, 4] },
    value: 0.96,
    pass: true,
  },
  async measure({ output, expected, options: { threshold }, context }) {
    const { embedder } = context.tools;
    if (embedder === null)
      return measureError(
        'no embedding model is set; add embeddings: { model: … } to the settings',
      );
    const vectorOf = embeddings.get(context) ?? createEmbedding(embedder, context.tools);
    embeddings.set(context, vectorOf);
    const texts = alternatives(expected);
    return bestSimilarity(
      await Promise.all(texts.map((text) => similarity(output, text, vectorOf))),
      threshold,
    );
  },
});
