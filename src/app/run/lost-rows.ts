import { deduplicate } from '../../documents/document.ts';
import type { Project } from '../../project/settings.ts';
import type { Notice, Place, Problem } from '../../types/plain.ts';

/** Data files and lists that head emptied or shortened. `strict`: empty files are errors anyway. */
export function lostRows(
  base: Project | null,
  head: Project,
  strict: boolean,
): { problems: Problem[]; notices: Notice[] } {
  const before = rowsByFile(base);
  const now = rowsByFile(head);
  const empty = head.suites.flatMap(({ tests: { empty: places = [], references } }) =>
    places.map((place) => {
      const had = before.get(place.file)?.size ?? 0;
      const isAlone = references.length === 0;
      const isError = isList(place) ? had > 0 && isAlone : had > 0 || isAlone || strict;
      return { isError, place, message: emptyWords(place, had) };
    }),
  );
  const unfilled = empty.filter(({ isError, place }) => !isError && !isList(place));
  return {
    problems: deduplicate(
      empty.flatMap(({ isError, place, message }) => (isError ? [{ place, message }] : [])),
    ),
    notices: [
      ...deduplicate(unfilled).map(({ place, message }): Notice => ({
        kind: 'unused',
        place,
        message,
      })),
      ...[...before].flatMap(([file, { size }]) => shortened(file, size, now.get(file)?.size ?? 0)),
    ],
  };
}

function shortened(file: string, had: number, left: number): Notice[] {
  if (left === 0 || left * 2 >= had || /\.ya?ml$/.test(file)) return [];
  const message = `has ${left} of base's ${had} rows`;
  return [{ kind: 'removed', place: { file, line: 0 }, message }];
}

function isList({ line }: Place): boolean {
  return line > 0;
}

function emptyWords(place: Place, had: number): string {
  const what = isList(place) ? 'references is empty' : 'has no rows';
  const other = isList(place) ? 'delete the prompt too' : 'take it out of references_from';
  return had > 0
    ? `${what}, and base's has ${had}; restore them, or ${other}`
    : `${what}; add some, or ${other}`;
}

function rowsByFile(project: Project | null): Map<string, Set<string>> {
  const rows = new Map<string, Set<string>>();
  for (const { id, place } of project?.suites.flatMap(({ tests }) => tests.references) ?? [])
    rows.set(place.file, (rows.get(place.file) ?? new Set()).add(id));
  return rows;
}
