import { z } from 'zod';
import { ends, shareSchema, sides, sideSchema, variantSchema } from '../../kernel/result/pieces.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { fixSchema } from '../../trials/fix.ts';
import { countSchema } from '../../types/usage-totals.ts';

/** A file can contain several prompts, so the path does not identify the suite. */
const ofSuite = {
  path: z.string().describe('File of the prompt, as in `suites`.'),
  suite: z.string().describe('Name of the suite, as in `suites`.'),
  variant: variantSchema.describe('Model and parameters of the suite, as in `suites`.'),
};

const proficiency = {
  n: countSchema.describe('References that were judged on every side that ran.'),
  ...sides(
    z.number().nullable(),
    'Mean pass rate of these references on {side}, 0–1; null if nothing was judged.',
  ),
  difference: z.number().nullable().describe('Head − base; null if a side is missing.'),
  ...ends(z.number().nullable(), "the difference's two-sided 90 % interval."),
};

const attributeSampleSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('drop').describe('The reference whose pass rate fell most.'),
    reference: z.string().describe('Id of the reference.'),
    ...sides(shareSchema, 'Its pass rate on {side}.'),
  }),
  z.strictObject({
    kind: z
      .literal('skill')
      .describe('An answer uses more or less of the sub-task than the expected answer.'),
    reference: z.string().describe('Id of the reference.'),
    side: sideSchema.describe('The side that gave the answer.'),
    expected: z.number().describe('Affinity of the expected answer with the sub-task, 1–5.'),
    output: z.number().describe('Affinity of the answer with the sub-task, 1–5.'),
  }),
]);

const attributeRatingSchema = z.strictObject({
  reference: z.string().describe('Id of the reference.'),
  affinity: z
    .int()
    .min(1)
    .max(5)
    .nullable()
    .describe('How well the reference fits the attribute, 1–5; null: no usable rating.'),
  evidence: z
    .string()
    .describe("Evidence in the grader's words, at most 300 characters; empty: none."),
});

const attributeResultSchema = z.strictObject({
  id: z.string().describe('Unique among the attributes of a suite.'),
  name: z.string().describe('The attribute in a few words.'),
  kind: z
    .enum(['domain', 'subtask'])
    .describe('`domain`: what the input is about. `subtask`: what the answer requires.'),
  explanation: z.string().describe('The attribute in a sentence.'),
  ...ofSuite,
  affinity_mean: z
    .number()
    .min(1)
    .max(5)
    .describe('Mean affinity over the references that were rated, 1–5.'),
  prior: shareSchema.describe(
    "The attribute's mean affinity divided by the sum of the mean affinities of its kind.",
  ),
  ...proficiency,
  values: z
    .strictObject({
      metric: z
        .string()
        .describe('The metric of `qualeval.metric`, or the one that decides the suite.'),
      n: countSchema.describe('References with a number on every side that ran.'),
      ...sides(
        z.number().nullable(),
        'Mean over these references on {side}; null if {side} did not run.',
      ),
      tested: z
        .literal(true)
        .describe('Set if the verdict is about this metric. There are then no pass rates.')
        .exactOptional(),
    })
    .describe("Mean of a metric's numbers over these references. Absent: passes are compared.")
    .exactOptional(),
  p: shareSchema
    .nullable()
    .describe(
      'One-sided p of "head is worse" (of "head is better" if the attribute improved or rose), ' +
        'adjusted for all attributes. If the attribute is named as regressed, at least the p of ' +
        '"fell more than the others". Null if not tested.',
    ),
  verdict: z
    .enum(['regressed', 'improved', 'also fell', 'also rose', 'no change found', 'too few'])
    .describe(
      '`regressed`: its references fell more than the others, and no other attribute explains it. ' +
        '`also fell`: they fell, but the attribute is not named as the cause. `improved` and ' +
        '`also rose`: the same for gains. `too few`: fewer than four compared references have it, or ' +
        'fewer than four lack it.',
    ),
  explained_by: z
    .array(z.string())
    .describe(
      'Regressed (or improved) attributes of this suite that share references with this one and ' +
        'explain its change.',
    ),
  alternatives: z
    .array(
      z.strictObject({
        id: z.string().describe('The other attribute.'),
        shared: countSchema.describe('Number of compared references that have both attributes.'),
        of: countSchema.describe(
          'Number of compared references of the attribute that has more of them.',
        ),
      }),
    )
    .describe('Attributes that would explain the same change about as well, so neither is named.'),
  alignment: z
    .strictObject(sides(shareSchema.nullable(), 'The share on {side}; null if nothing was rated.'))
    .nullable()
    .describe(
      "Share of references whose answer's affinity is more than 1 away from the expected " +
        "answer's: lower is better. Sub-tasks only.",
    ),
  references: z
    .array(z.string())
    .describe('Every reference rated 3 or more, whether compared or not.'),
  assigned: z
    .array(z.string())
    .describe(
      "References that QualEval's linear program assigns to the attribute. It gives each " +
        'reference two attributes of each kind.',
    ),
  ratings: z
    .array(attributeRatingSchema)
    .optional()
    .describe('Ratings of the references in `references` or `assigned`.'),
  samples: z.array(attributeSampleSchema).describe('References worth reading.'),
});

const insightSchema = z.strictObject({
  ...ofSuite,
  attribute: z.string().describe('Id of the regressed or weak attribute.'),
  references: z.array(z.string()).describe('Ids of its references that fell or, in a sweep, fail.'),
  fix: fixSchema
    .nullable()
    .describe('The tested change of the prompt, written by the grader model; null if none passed.'),
  no_fix: z.string().describe('Why no change is shown, as a clause.').exactOptional(),
});

export type Proficiency = Pick<
  AttributeResult,
  'n' | 'base' | 'head' | 'difference' | 'low' | 'high'
>;

export type AttributeResult = z.infer<typeof attributeResultSchema>;

export type AttributeRating = z.infer<typeof attributeRatingSchema>;

export type AttributeSample = z.infer<typeof attributeSampleSchema>;

export type Insight = z.infer<typeof insightSchema>;

export function suiteKey(of: SuiteOfResult): string {
  return canonicalJson([of.path, 'suite' in of ? of.suite : of.name, { ...of.variant }]);
}

type SuiteOfResult = Pick<AttributeResult, 'path' | 'variant'> &
  ({ suite: string } | { name: string });

export function suiteAttributes(
  suite: SuiteOfResult,
  attributes: readonly AttributeResult[],
): AttributeResult[] {
  const key = suiteKey(suite);
  return attributes.filter((attribute) => suiteKey(attribute) === key);
}

declare module '../../kernel/result/feature-parts.ts' {
  interface FeatureParts {
    attributes: AttributeResult[];
    insights: Insight[];
  }
}

export const attributeKeys = {
  attributes: z
    .array(attributeResultSchema)
    .describe(
      'Domains and sub-tasks of the references (QualEval), compared between base and head.',
    ),
  insights: z
    .array(insightSchema)
    .describe(
      'Regressed attributes, each with a change of the prompt that was tried and passed, or why ' +
        'there is none. In a sweep, attributes that pass less often than their suite.',
    ),
};
