import type { DataRow } from '../../documents/dataset.ts';
import { problem, UserError } from '../../errors.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { isMap, ownEntry, type Json, type JsonMap, type Scalar } from '../../types/plain.ts';
import { ratingScore, type Ratings } from './affinity.ts';
import { MEMBER_AFFINITY } from './attribute-results.ts';
import type { Attribute, ReferenceText } from './text.ts';

/** With fewer references, only large drops of an attribute are detected. */
export const ENOUGH_REFERENCES = 8;

/** Omits incomplete rows, duplicates and rows whose input is in `known`. */
export function poolReferences(
  file: string,
  rows: readonly DataRow[],
  variables: readonly string[],
  known: readonly Pick<ReferenceText, 'input'>[],
): ReferenceText[] {
  const seen = new Set(known.map(({ input }) => canonicalJson(input)));
  const found = rows.flatMap(({ line, value }): ReferenceText[] => {
    const from = ownEntry(value, 'input') ?? value;
    const input = isMap(from) ? poolInput(from, variables) : null;
    return input === null
      ? []
      : [{ id: `${file}:${line}`, input, expected: ownEntry(value, 'expected') }];
  });
  if (found.length === 0)
    throw new UserError([
      problem(
        { file, line: rows[0]?.line ?? 0 },
        "no row has the prompt's variables; a row is a map such as " +
          `${example(variables)}, or has one as "input"`,
      ),
    ]);
  return found.filter(({ input }) => {
    const key = canonicalJson(input);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

function poolInput(from: JsonMap, variables: readonly string[]): Record<string, Scalar> | null {
  const values = variables.map((name): [string, Json | undefined] => [name, ownEntry(from, name)]);
  const isWhole = values.every(
    ([, value]) => value !== undefined && value !== null && typeof value !== 'object',
  );
  return isWhole ? (Object.fromEntries(values) as Record<string, Scalar>) : null;
}

function example(variables: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(variables.map((name) => [name, '…'])));
}

interface Growth {
  attribute: Attribute;
  before: number;
  after: number;
}

export interface Grown {
  drafts: { reference: ReferenceText; attributes: string[] }[];
  thin: Growth[];
}

/** Chooses references from `pool` for attributes that have too few, and more for `wanted` ones. */
export function growAttributes(
  attributes: readonly Attribute[],
  wanted: ReadonlySet<string>,
  references: readonly Ratings[],
  pool: readonly { reference: ReferenceText; ratings: Ratings }[],
): Grown {
  const isMember = (ratings: Ratings, { id }: Attribute) =>
    (ratingScore(ratings, id) ?? 0) >= MEMBER_AFFINITY;
  const before = new Map(
    attributes.map((own) => [own, references.filter((each) => isMember(each, own)).length]),
  );
  const chosen = new Set<(typeof pool)[number]>();
  const countOf = (own: Attribute) =>
    (before.get(own) ?? 0) + [...chosen].filter(({ ratings }) => isMember(ratings, own)).length;
  const goals = new Map(
    attributes.map((own) => {
      const more = wanted.has(own.id) ? (before.get(own) ?? 0) : 0;
      return [own, more + ENOUGH_REFERENCES];
    }),
  );
  const missing = (own: Attribute) => (goals.get(own) ?? 0) - countOf(own);
  const thin = attributes.filter((own) => missing(own) > 0);
  for (const own of thin) {
    const fitting = pool
      .filter((row) => !chosen.has(row) && isMember(row.ratings, own))
      .sort(
        (a, b) => (ratingScore(b.ratings, own.id) ?? 0) - (ratingScore(a.ratings, own.id) ?? 0),
      );
    for (const row of fitting.slice(0, Math.max(0, missing(own)))) chosen.add(row);
  }
  return {
    drafts: [...chosen].map(({ reference, ratings }) => ({
      reference,
      attributes: attributes.filter((own) => isMember(ratings, own)).map(({ id }) => id),
    })),
    thin: thin.map((attribute) => ({
      attribute,
      before: before.get(attribute) ?? 0,
      after: countOf(attribute),
    })),
  };
}

/** Tags each line with its attributes. A person must add missing expected values. */
export function referenceLines({ drafts }: Grown): string {
  return drafts
    .map(({ reference: { input, expected }, attributes }) =>
      JSON.stringify({ input, ...(expected === undefined ? {} : { expected }), tags: attributes }),
    )
    .map((line) => `${line}\n`)
    .join('');
}
