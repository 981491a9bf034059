import type { GraderResult, Rubric } from '../../types.ts';
import { topScore } from '../../metrics/index.ts';
import { agreementOf } from '../../statistics/agreement.ts';
import { cohenKappa } from '../../statistics/kappa.ts';

/** An example's label by people, and by a grader; null where its grade could not be read. */
export interface Labelled {
  expected: string;
  label: string | null;
}

/**
 * How many examples were counted, and how well the grader agrees with people on them. Shares are
 * null where there is nothing to count.
 */
export type RubricAgreement = Pick<
  GraderResult,
  'judged' | 'agreement' | 'true_positive_rate' | 'true_negative_rate' | 'kappa' | 'base_rate'
>;

/**
 * Agreement and Cohen's kappa over the labels as they are; the two rates over good and bad, where
 * good is a label of the rubric's highest score, as for a metric without a threshold. Counted are
 * examples with a readable grade whose own label the rubric knows: an older rubric may not.
 */
export function agreementWith(examples: readonly Labelled[], rubric: Rubric): RubricAgreement {
  const labels = [...rubric.choice_scores.keys()];
  const counted = examples.flatMap(({ expected, label }) =>
    label !== null && labels.includes(expected) ? [{ expected, label }] : [],
  );
  const table = labels.map((expected) =>
    labels.map(
      (label) => counted.filter((one) => one.expected === expected && one.label === label).length,
    ),
  );
  const good = (label: string): boolean => rubric.choice_scores.get(label) === topScore(rubric);
  const count = (expected: boolean, label: boolean): number =>
    counted.filter((one) => good(one.expected) === expected && good(one.label) === label).length;
  const rates = agreementOf({
    truePositive: count(true, true),
    falseNegative: count(true, false),
    falsePositive: count(false, true),
    trueNegative: count(false, false),
  });
  const share = (part: number): number | null =>
    counted.length === 0 ? null : part / counted.length;
  return {
    judged: counted.length,
    agreement: share(counted.filter(({ expected, label }) => expected === label).length),
    true_positive_rate: rates.truePositiveRate,
    true_negative_rate: rates.trueNegativeRate,
    kappa: cohenKappa(table),
    base_rate: share(counted.filter(({ expected }) => good(expected)).length),
  };
}
