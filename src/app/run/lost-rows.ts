import { deduplicate } from '../../documents/document.ts';
import { problem } from '../../errors.ts';
import type { Project } from '../../project/settings.ts';
import type { Notice, Problem } from '../../types/plain.ts';

/** Finds files that lost most of their references. If `strict`, any empty file is an error. */
export function findLostRows(
  base: Project | null,
  head: Project,
  strict: boolean,
): { problems: Problem[]; notices: Notice[] } {
  const before = rowsByFile(base);
  const now = rowsByFile(head);
  const problems = head.suites.flatMap(({ tests: { empty = [], references } }) =>
    empty.flatMap((place) => {
      const had = before.get(place.file)?.size ?? 0;
      const isAlone = references.length === 0;
      const isError = place.line > 0 ? had > 0 && isAlone : had > 0 || isAlone || strict;
      return isError ? [problem(place, emptyWords(place.line > 0, had))] : [];
    }),
  );
  const notices = [...before].flatMap(([file, { size }]): Notice[] => {
    const left = now.get(file)?.size ?? 0;
    if (left === 0 || left * 2 >= size || /\.ya?ml$/.test(file)) return [];
    const message = `has ${left} of base's ${size} rows`;
    return [{ kind: 'removed', place: { file, line: 0 }, message }];
  });
  return { problems: deduplicate(problems), notices };
}

function emptyWords(isList: boolean, had: number): string {
  const what = isList ? 'references is empty' : 'has no rows';
  const fix = had > 0 ? `, and base's has ${had}; restore them, or ` : '; add some, or ';
  return `${what}${fix}${isList ? 'delete the prompt too' : 'remove it from references_from'}`;
}

function rowsByFile(project: Project | null): Map<string, Set<string>> {
  const references = project?.suites.flatMap(({ tests }) => tests.references) ?? [];
  const files = Map.groupBy(references, ({ place }) => place.file);
  return new Map([...files].map(([file, rows]) => [file, new Set(rows.map(({ id }) => id))]));
}
