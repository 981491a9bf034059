import type { SuiteComparison } from '../../kernel/plan/suite-run.ts';
import type { AffectedReference } from '../../kernel/select/affected-suite.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import type { Reference } from '../../kernel/suite/suite.ts';
import { counted } from '../../text/amounts.ts';
import { shorten } from '../../text/visible.ts';
import type { Notice } from '../../types/plain.ts';

const MOST_NOTICES = 10;

const SHOWN_NAMES = 5;

export function duplicateNotices(suites: readonly SuiteComparison[]): Notice[] {
  return suites.flatMap(({ run: { suite } }) => {
    const groups = duplicateGroups(suite.references);
    const notices = groups.slice(0, MOST_NOTICES).map(groupNotice);
    const rest = groups.length - notices.length;
    const place = groups[MOST_NOTICES]?.[0]?.place ?? null;
    const message = `${counted(rest, 'more group')} of references ask the same`;
    return rest === 0 ? notices : [...notices, { kind: 'settings', place, message }];
  });
}

function duplicateGroups(affected: readonly AffectedReference[]): Reference[][] {
  const asked = affected.flatMap(({ head, reference }) =>
    head === null || head.kind === 'impossible' ? [] : [{ key: head.fingerprint, reference }],
  );
  return [...Map.groupBy(asked, ({ key }) => key).values()]
    .map((members) => members.map(({ reference }) => reference))
    .filter((members) => members.length > 1 && !isOneCluster(members));
}

function isOneCluster([first, ...others]: readonly Reference[]): boolean {
  return first?.cluster !== undefined && others.every(({ cluster }) => cluster === first.cluster);
}

function groupNotice(members: readonly Reference[]): Notice {
  const [first, ...others] = members;
  const place = others[0]?.place ?? null;
  const names = others.slice(0, SHOWN_NAMES).map((each) => nameOf(each, place?.file ?? ''));
  const left = others.length - names.length;
  const who = `${names.join(', ')}${left === 0 ? '' : ` and ${counted(left, 'other')}`}`;
  const same = others.length === 1 ? 'asks' : 'ask';
  const what = first === undefined ? '' : nameOf(first, place?.file ?? '');
  const message = `${who} ${same} the same as ${what}${contradiction(members)}: they count as one test`;
  return { kind: 'settings', place, message };
}

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
