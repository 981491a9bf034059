import type { Overrides } from '../../config/overrides.ts';
import { problem } from '../../errors.ts';
import { createRandom, shuffle } from '../../kernel/statistics/random.ts';
import type { Reference } from '../../kernel/suite/suite.ts';
import type { Project } from '../../project/settings.ts';
import { counted } from '../../text/amounts.ts';
import { fitterOf, namesMeant } from '../../text/patterns.ts';
import { didYouMean } from '../../text/suggest.ts';
import type { Notice, Problem } from '../../types/plain.ts';

interface KeyedReference {
  key: string;
  reference: Reference;
}

/**
 * Keeps references that match the filter on base or on head. Otherwise an edited tag would look
 * like a removed reference.
 */
export function chooseReferences(
  base: Project | null,
  head: Project,
  { references, tags, sample }: Overrides,
): { base: Project | null; head: Project; problems: Problem[]; notices: Notice[] } {
  if (references === null && tags === null && sample === null)
    return { base, head, problems: [], notices: [] };
  const known = [...(base === null ? [] : knownIn(base)), ...knownIn(head)];
  const byId = references?.map((pattern) => fittingReferences(pattern, known));
  const byTag = tags?.map((pattern) => fittingTags(pattern, known));
  const sets = [byId, byTag].flatMap((each) =>
    each === undefined ? [] : new Set(each.flatMap((keys) => [...keys])),
  );
  const all = new Set(known.map(({ key }) => key));
  const fitting = [...all].filter((key) => sets.every((set) => set.has(key)));
  const chosen = new Set(drawn(fitting, sample));
  const isChosen = (key: string) => chosen.has(key);
  const problems = [
    ...unmetProblems('reference', references, byId, () =>
      known.map(({ reference }) => reference.id),
    ),
    ...unmetProblems('tag', tags, byTag, () => known.flatMap(({ reference }) => reference.tags)),
  ];
  if (problems.length === 0 && fitting.length === 0)
    problems.push(problem(null, 'overrides: no reference matches both references= and tags='));
  if (problems.length > 0) return { base, head, problems, notices: [] };
  const words = [references, tags].flatMap((each, index) =>
    each === null ? [] : `${index === 0 ? 'references' : 'tags'}=${each.join(',')}`,
  );
  if (sample !== null) words.push(`sample=${sample.count} with seed ${sample.seed}`);
  return {
    base: base === null ? null : withChosen(base, isChosen),
    head: withChosen(head, isChosen),
    problems,
    notices: [
      {
        kind: 'settings',
        place: null,
        message:
          `only ${counted(chosen.size, 'reference')} of ${all.size} chosen ` +
          `(${words.join(', ').slice(0, 200)}): the others were not judged`,
      },
    ],
  };
}

/** Sorted first, so that the order of the files does not change the sample. */
function drawn(keys: readonly string[], sample: Overrides['sample']): readonly string[] {
  if (sample === null) return keys;
  return shuffle([...keys].sort(), createRandom(sample.seed)).slice(0, sample.count);
}

function referenceKey(suite: string, id: string): string {
  return JSON.stringify([suite, id]);
}

function knownIn({ suites }: Project): KeyedReference[] {
  return suites.flatMap(({ prompt, tests }) =>
    tests.references.map((reference) => ({
      key: referenceKey(prompt.name, reference.id),
      reference,
    })),
  );
}

function fittingReferences(pattern: string, known: readonly KeyedReference[]): Set<string> {
  const ids = namesMeant(
    pattern,
    known.map(({ reference }) => reference.id),
  );
  const fits = fitterOf(pattern);
  const chosen =
    ids.size > 0
      ? known.filter(({ reference }) => ids.has(reference.id))
      : known.filter(({ reference }) =>
          Object.values(reference.input).some((value) => fits(String(value))),
        );
  return new Set(chosen.map(({ key }) => key));
}

function fittingTags(pattern: string, known: readonly KeyedReference[]): Set<string> {
  const meant = namesMeant(
    pattern,
    known.flatMap(({ reference }) => reference.tags),
  );
  return new Set(
    known
      .filter(({ reference }) => reference.tags.some((tag) => meant.has(tag)))
      .map(({ key }) => key),
  );
}

function unmetProblems(
  what: string,
  patterns: readonly string[] | null,
  found: readonly ReadonlySet<string>[] | undefined,
  names: () => readonly string[],
): Problem[] {
  return (patterns ?? [])
    .filter((_, index) => found?.[index]?.size === 0)
    .map((pattern) =>
      problem(
        null,
        `overrides: no ${what} matches "${pattern.slice(0, 100)}"` +
          didYouMean(pattern, [...new Set(names())]),
      ),
    );
}

function withChosen(project: Project, isChosen: (key: string) => boolean): Project {
  const suites = project.suites.map(({ prompt, tests }) => ({
    prompt,
    tests: {
      ...tests,
      references: tests.references.filter(({ id }) => isChosen(referenceKey(prompt.name, id))),
    },
  }));
  return { ...project, suites: suites.filter(({ tests }) => tests.references.length > 0) };
}
