/** Affinity 1–5 of a reference with each attribute; null where it is unscored. */
export type Affinities = readonly (number | null)[];

export interface Prior {
  /** Mean affinity over the references that were rated, 1–5; null when none was. */
  mean: number | null;
  /** The mean's share among the attributes, 0–1; they sum to 1. */
  prior: number;
}

/** Prior of each of `columns` attributes: its mean affinity, normalised over the attributes. */
export function priorsOf(rows: readonly Affinities[], columns: number): Prior[] {
  const means = Array.from({ length: columns }, (_, column) => {
    const scores = rows.flatMap((row) => row[column] ?? []);
    return scores.length === 0
      ? null
      : scores.reduce((sum, score) => sum + score, 0) / scores.length;
  });
  const total = means.reduce<number>((sum, mean) => sum + (mean ?? 0), 0);
  return means.map((mean) => ({ mean, prior: total === 0 ? 1 / columns : (mean ?? 0) / total }));
}

/** Slack between shares that are equal on paper. */
const TINY = 1e-12;

/**
 * Priors of at most `cap`: what is cut off is spread over the others in proportion, until none is
 * above. An attribute can have at most N of the kN places, so the cap is 1/k. `cap` × length must
 * be 1 at least.
 */
export function capPriors(priors: readonly number[], cap: number): number[] {
  let current = [...priors];
  while (current.some((prior) => prior > cap + TINY)) {
    const full = current.map((prior) => prior >= cap - TINY);
    const rest = current.reduce(
      (sum, prior, index) => (full[index] === true ? sum : sum + prior),
      0,
    );
    const fixed = full.filter(Boolean).length;
    const left = 1 - cap * fixed;
    const even = left / (current.length - fixed);
    current = current.map((prior, index) =>
      full[index] === true ? cap : rest > TINY ? (prior * left) / rest : even,
    );
  }
  return current;
}
