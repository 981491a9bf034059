import type { Project } from '../../project/settings.ts';
import { nearest } from '../../text/suggest.ts';
import type { PromisedReference, PromisesResult } from './result.ts';

/** Limits, because a pull request's description may be hostile. Line length is in characters. */
const MAX_PROMISE_LINE = 1_000;
const MAX_PROMISES = 30;

const FIXES = /^[-*\s]*fixes[*\s]*:[*\s]*(.*)$/i;

const PROMISED_NAME = /`([^`]+)`|[^\s,;`]+/g;

const ISSUE = /^(?:[\w.-]+\/[\w.-]+)?#\d+$|^https?:\/\//i;

/** Finds names in lines such as `Fixes: t05, suite/t12`. */
export function promisedNames(description: string): string[][] {
  let room = MAX_PROMISES;
  return description.split(/\r?\n/).flatMap((line) => {
    const [, listed] = FIXES.exec(line.slice(0, MAX_PROMISE_LINE).trim()) ?? [];
    if (listed === undefined) return [];
    const names = [...listed.replace(/ ?› ?/g, '›').matchAll(PROMISED_NAME)]
      .map(([whole, quoted]) => (quoted ?? whole.replace(/[.:]+$/, '')).trim())
      .filter((name) => name !== '' && !ISSUE.test(name))
      .slice(0, room);
    room -= names.length;
    return names.length === 0 ? [] : [names];
  });
}

type KnownReference = Pick<PromisedReference, 'path' | 'suite' | 'id'>;

export interface Promises extends Pick<PromisesResult, 'unknown'> {
  references: KnownReference[];
}

/** A line with several words counts as prose unless one word is a test's id or all resemble ids. */
export function resolvePromises(
  lines: readonly (readonly string[])[],
  { base, head }: { base: Project | null; head: Project },
): Promises {
  const own = referencesIn(head);
  const earlier = base === null ? [] : referencesIn(base);
  const ids = [...new Set([...own, ...earlier].map(({ id }) => id))];
  const found = lines.flatMap((names) => {
    const each = names.map((name) => {
      const references = own.filter((reference) => isPromisedId(name, reference));
      const here =
        references.length > 0 ? references : earlier.filter((of) => isPromisedId(name, of));
      return { name, references: here, nearest: nearest(name, ids, 'strict') };
    });
    const isList = each.some((of) => of.references.length > 0) || each.every((of) => of.nearest);
    return isList || each.length === 1 ? each : [];
  });
  return {
    references: [...new Set(found.flatMap((each) => each.references))],
    unknown: found
      .filter((each) => each.references.length === 0)
      .map(({ name, nearest: near }) => ({ name, nearest: near })),
  };
}

function isPromisedId(name: string, { suite, id }: KnownReference): boolean {
  return name === id || name === `${suite}/${id}` || name === `${suite}›${id}`;
}

function referencesIn({ suites }: Project): KnownReference[] {
  return suites.flatMap(({ prompt: { file: path, name: suite }, tests }) =>
    tests.references.map(({ id }) => ({ path, suite, id })),
  );
}
