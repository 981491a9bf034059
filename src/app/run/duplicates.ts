import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { AffectedReference } from '../../kernel/select/affected-suite.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import type { Reference } from '../../kernel/suite/suite.ts';
import { counted } from '../../text/amounts.ts';
import { shorten } from '../../text/visible.ts';
import type { Notice } from '../../types/plain.ts';

const MOST_NOTICES = 10;

const SHOWN_NAMES = 5;

const MIN_WORDS = 20;

/** Near duplicates have at least this Jaccard index of their words. */
const MIN_SHARED = 0.9;

const MAX_COMPARED = 20;

interface Group {
  members: Reference[];
  why: 'equal' | 'punctuation' | 'words';
}

export function duplicateNotices(suites: readonly SuiteComparison[]): Notice[] {
  return suites.flatMap(({ run: { suite } }) => {
    const groups = duplicateGroups(suite.references);
    const notices = groups.slice(0, MOST_NOTICES).map(groupNotice);
    const rest = groups.length - notices.length;
    const place = groups[MOST_NOTICES]?.members[0]?.place ?? null;
    const message = `${counted(rest, 'more group')} of references ask the same or almost the same`;
    return rest === 0 ? notices : [...notices, { kind: 'settings', place, message }];
  });
}

function duplicateGroups(affected: readonly AffectedReference[]): Group[] {
  const asked = affected.flatMap(({ head, reference }) =>
    head === null || head.kind === 'impossible' ? [] : [{ key: head.fingerprint, reference }],
  );
  const equal = grouped(asked).map((members): Group => ({ members, why: 'equal' }));
  const copies = new Set(equal.flatMap(({ members: [, ...others] }) => others));
  const alone = asked.flatMap(({ reference }) => (copies.has(reference) ? [] : reference));
  const plain = grouped(
    alone.flatMap((reference) => {
      const key = wordsOf(reference).join(' ');
      return key === '' ? [] : [{ key, reference }];
    }),
  ).map((members): Group => ({ members, why: 'punctuation' }));
  const alike = new Set(plain.flatMap(({ members: [, ...others] }) => others));
  return [...equal, ...plain, ...sharedWords(alone.filter((each) => !alike.has(each)))].filter(
    ({ members }) => !isOneCluster(members),
  );
}

function isOneCluster([first, ...others]: readonly Reference[]): boolean {
  return first?.cluster !== undefined && others.every(({ cluster }) => cluster === first.cluster);
}

function grouped(keyed: readonly { key: string; reference: Reference }[]): Reference[][] {
  return [...Map.groupBy(keyed, ({ key }) => key).values()]
    .filter((members) => members.length > 1)
    .map((members) => members.map(({ reference }) => reference));
}

function textOf({ input, thread }: Reference): string {
  return [...Object.values(input), ...(thread ?? []).map(({ content }) => content)].join('\n');
}

function wordsOf(reference: Reference): string[] {
  return textOf(reference)
    .toLowerCase()
    .replaceAll(/(?<!\d)[.,;:!?]|[.,;:!?](?!\d)|["'“”‘’«»…]/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
}

function sharedWords(references: readonly Reference[]): Group[] {
  const long = references
    .map((reference) => ({ reference, words: new Set(wordsOf(reference)) }))
    .filter(({ words }) => words.size >= MIN_WORDS);
  const uses = new Map<string, number>();
  for (const word of long.flatMap(({ words }) => [...words]))
    uses.set(word, (uses.get(word) ?? 0) + 1);
  const groups: { words: ReadonlySet<string>; members: Reference[] }[] = [];
  const byWord = new Map<string, typeof groups>();
  for (const { reference, words } of long) {
    const lists = rarest(words, uses).map((word) => {
      const list = byWord.get(word) ?? [];
      byWord.set(word, list);
      return list;
    });
    const near = new Set(lists.flatMap((list) => list.slice(-MAX_COMPARED)));
    const found = [...near].find((group) => shareOf(group.words, words) >= MIN_SHARED);
    if (found !== undefined) found.members.push(reference);
    else {
      const group = { words, members: [reference] };
      groups.push(group);
      for (const list of lists) list.push(group);
    }
  }
  return groups
    .filter(({ members }) => members.length > 1)
    .map(({ members }) => ({ members, why: 'words' }));
}

/**
 * Prefix filtering (Chaudhuri, Ganti, Kaushik 2006): sort the words of all texts in one order,
 * rarest first. If two sets of n words share at least {@link MIN_SHARED} of them, they have a word
 * in common among their first n − ⌊MIN_SHARED · n⌋ + 1.
 */
function rarest(words: ReadonlySet<string>, uses: ReadonlyMap<string, number>): string[] {
  const order = (a: string, b: string): number =>
    (uses.get(a) ?? 0) - (uses.get(b) ?? 0) || (a < b ? -1 : 1);
  return [...words].sort(order).slice(0, words.size - Math.floor(MIN_SHARED * words.size) + 1);
}

function shareOf(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const both = [...left].filter((word) => right.has(word)).length;
  return both / (left.size + right.size - both);
}

function groupNotice({ members, why }: Group): Notice {
  const [first, ...others] = members;
  const place = others[0]?.place ?? null;
  const names = others.slice(0, SHOWN_NAMES).map((each) => nameOf(each, place?.file ?? ''));
  const left = others.length - names.length;
  const who = `${names.join(', ')}${left === 0 ? '' : ` and ${counted(left, 'other')}`}`;
  const same = others.length === 1 ? 'asks' : 'ask';
  const what = first === undefined ? '' : nameOf(first, place?.file ?? '');
  const message =
    why === 'equal'
      ? `${who} ${same} the same as ${what}${contradiction(members)}: they count as one test`
      : `${who} ${same} almost the same as ${what} (${ALMOST[why]}): ` +
        'remove one, or give them the same cluster';
  return { kind: 'settings', place, message };
}

const ALMOST = {
  punctuation: 'only case, spaces or punctuation differ',
  words: `at least ${String(MIN_SHARED * 100)} % of the words are shared`,
};

function contradiction([first, ...others]: readonly Reference[]): string {
  const expected = ({ expected: value = null }: Reference): string => canonicalJson(value);
  return first !== undefined && others.some((each) => expected(each) !== expected(first))
    ? ', but expects something else'
    : '';
}

function nameOf({ id, place: { file, line } }: Reference, here: string): string {
  const where = file === here ? `line ${String(line)}` : `${file}:${String(line)}`;
  return `${shorten(id, 60)} (${where})`;
}
