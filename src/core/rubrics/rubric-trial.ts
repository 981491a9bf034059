import { fleissKappa } from '../../statistics/fleiss.ts';
import { agreementWith, type RubricAgreement } from './rubric-agreement.ts';
import { gradeExamples, type Judge, type RubricTools } from './rubric-tests.ts';

/** A rubric graded on its labelled examples, several times over. */
export interface RubricTrial {
  rubric: string;
  file: string;
  graders: string[];
  repeats: number;
  /** With the examples' labels, over all repeats. */
  agreement: RubricAgreement;
  /** Of the graders with themselves, over the examples with at least two readable grades. */
  consistency: {
    /**
     * Mean share of an example's grades that give its commonest label, 0–1; null where nothing was
     * graded twice.
     */
    share: number | null;
    /** Examples that got one label only, of how many. */
    unanimous: number;
    compared: number;
    /** Fleiss' kappa over the examples whose every grade could be read. */
    kappa: number | null;
  };
  /** In the order of the file; null for a grade that could not be read. */
  examples: {
    file: string;
    line: number;
    content: string;
    expected: string;
    labels: (string | null)[];
  }[];
}

/**
 * Grades every example `repeats` times, each under a try index of its own, so that no grade is
 * another one repeated.
 */
export async function tryRubric(
  judge: Judge,
  repeats: number,
  tools: RubricTools,
): Promise<RubricTrial> {
  const { rubric, graders } = judge;
  const rounds = await Promise.all(
    Array.from({ length: repeats }, (_, attempt) =>
      gradeExamples(judge, rubric.examples, attempt, tools),
    ),
  );
  const examples = rubric.examples.map(({ content, expected, place: { file, line } }, index) => ({
    file,
    line,
    content,
    expected,
    labels: rounds.map((labels) => labels[index] ?? null),
  }));
  return {
    rubric: rubric.name,
    file: rubric.place.file,
    graders: graders.map(({ target }) => target.model),
    repeats,
    agreement: agreementWith(
      examples.flatMap(({ expected, labels }) => labels.map((label) => ({ expected, label }))),
      rubric,
    ),
    consistency: consistencyOf(
      examples.map(({ labels }) => labels),
      [...rubric.choice_scores.keys()],
    ),
    examples,
  };
}

function consistencyOf(
  grades: readonly (readonly (string | null)[])[],
  labels: readonly string[],
): RubricTrial['consistency'] {
  const counts = grades.map((given) =>
    labels.map((label) => given.filter((one) => one === label).length),
  );
  const total = (row: readonly number[]): number => row.reduce((sum, count) => sum + count, 0);
  const compared = counts.filter((row) => total(row) >= 2);
  const shares = compared.map((row) => Math.max(...row) / total(row));
  const whole = counts.filter((row, index) => total(row) === grades[index]?.length);
  return {
    share:
      shares.length === 0 ? null : shares.reduce((sum, share) => sum + share, 0) / shares.length,
    unanimous: shares.filter((share) => share === 1).length,
    compared: compared.length,
    kappa: fleissKappa(whole),
  };
}
