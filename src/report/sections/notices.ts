import { deduplicate } from '../../documents/document.ts';
import { allTries, onlyScoringChanged } from '../../kernel/result/counts.ts';
import type { Reason } from '../../kernel/result/reason.ts';
import { errorOf } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import { andMore, count, counted, firstWords } from '../../text/amounts.ts';
import { shorten } from '../../text/visible.ts';
import type { Notice, NoticeKind, Problem, Side } from '../../types/plain.ts';
import { isSaid } from '../../wording/outcomes.ts';
import { reasonsInWords } from '../../wording/reasons.ts';
import type { Detail } from './detail.ts';
import {
  group,
  joinLines,
  list,
  markedLine,
  place,
  type Block,
  type Line,
  SENTENCE,
} from './document.ts';
import { amongErrors, opensErrors } from './errors.ts';
import type { Reports } from './feature-report.ts';
import { groupByEqualKey } from './order.ts';
import { headline } from './outcomes.ts';

/** Problems are never collapsed, because a run with problems reports nothing else. */
export function problems({ problems: all }: Result, detail: Detail): Block[] {
  if (all.length === 0) return [];
  const groups = groupByEqualKey(all, ({ message }) => message);
  return list(groups.map(problemAtPlaces), detail.problems, 'problems');
}

const SHOWN_PLACES = 3;

function problemAtPlaces([first, ...others]: [Problem, ...Problem[]]): Line {
  const named = others.slice(0, SHOWN_PLACES - 1).flatMap(({ place: at }) => at ?? []);
  const more = andMore(others.length, named.length);
  const line = problemLine(first);
  return others.length === 0
    ? line
    : [
        ...line,
        named.length === 0 ? ' (' : ' (also at ',
        ...joinLines(
          named.map((at) => place(at.file, at.line)),
          ', ',
        ),
        `${named.length === 0 ? more.trim() : more})`,
      ];
}

export function problemLine({ place: at, message }: Problem): Line {
  const words = markedLine(shorten(message, SENTENCE));
  return at === null ? words : [place(at.file, at.line), ': ', ...words];
}

export function reasons(result: Result, detail: Detail, reports: Reports): Block[] {
  if (result.problems.length > 0) return [];
  const first = headline(result, reports).note;
  const inHeadline = (sentence: string) => first.includes(shorten(sentence, SENTENCE));
  const isElsewhere = elsewhere(result);
  const own = reasonsInWords({
    ...result,
    reasons: result.reasons.filter((reason) => !isElsewhere(reason)),
  }).filter((sentence) => !inHeadline(sentence));
  const shown = own.slice(0, Math.min(REASONS, Math.max(1, detail.problems)));
  return list(shown.map((reason) => markedLine(shorten(reason, SENTENCE))));
}

function elsewhere(result: Result): (reason: Reason) => boolean {
  const isRed = result.outcome.kind === 'regressed';
  const hidesErrors = isRed || opensErrors(result);
  const tries = allTries(result.suites);
  const [scoring] = result.outcome.kind === 'scoring-changed' ? onlyScoringChanged(result) : [];
  return (reason) => {
    if (isSaid(result.outcome, reason.code)) return true;
    switch (reason.code) {
      case 'regressed':
      case 'inconclusive':
      case 'metric-moved':
        return true;
      case 'metric-worse':
      case 'scoring-moved':
        return (isRed && !reason.fails) || reason.suite === scoring?.name;
      case 'words':
        return hidesErrors && tries.some((made) => errorOf(made) === reason.text);
      default:
        return false;
    }
  };
}

const REASONS = 5;

/** The most important first. */
const NOTICE_WORDS: Readonly<Record<NoticeKind, string>> = {
  removed: 'removed',
  edited: 'expectation edited',
  skipped: 'skipped',
  error: 'in error',
  served: 'other model',
  ended: 'how answers ended',
  ungraded: 'ungraded',
  capped: 'capped',
  'not-comparable': 'not comparable',
  scoring: 'untested rubric',
  quarantine: 'quarantined',
  trust: 'trust',
  settings: 'settings',
  permission: 'permission',
  repeats: 'repeated answers',
  added: 'added',
  import: 'import',
  qualeval: 'attributes',
  unused: 'unused',
};

/** Shows notices, the most important first. Errors that are shown elsewhere are left out. */
export function notices(result: Result, detail: Detail): Block[] {
  const isSaid = amongErrors(result);
  const said = saidBy(result);
  const fresh = new Set(
    result.suites.filter(({ verdict }) => verdict === 'new').map(({ name }) => name),
  );
  const all = result.notices.filter((notice) => {
    const { suite } = said(notice);
    const { kind } = notice;
    // New and deleted tests have their own collapsed lists.
    if (kind === 'added' || kind === 'removed')
      return !result.suites.some(
        ({ name, references }) =>
          name === suite && references.some(({ status }) => status === kind),
      );
    // If earlier runs tested the suite, users have already seen this notice.
    if (kind === 'repeats') return fresh.has(suite ?? '');
    return kind !== 'error' || !isSaid(notice.message);
  });
  if (all.length === 0) return [];
  const present = Object.entries(NOTICE_WORDS)
    .map(([kind, words]) => ({
      words,
      found: groupByEqualKey(
        deduplicate(all.filter((notice) => notice.kind === kind)).map(said),
        ({ what }) => what,
      ),
    }))
    .filter(({ found }) => found.length > 0);
  const lines = present.flatMap(({ words, found }) =>
    found.map((notice) => noticeLine(words, notice)),
  );
  const kinds = present.map(({ words, found }) =>
    found.length === 1 ? words : `${words} (${count(found.length)})`,
  );
  return group(
    `${counted(lines.length, 'notice')}: ${kinds.join(', ')}`,
    list(lines, detail.collapsedItems),
  );
}

interface Said {
  suite: string | null;
  what: string;
  place: Notice['place'];
  side: Side;
}

function saidBy({ suites }: Result): (notice: Notice) => Said {
  const names = [...new Set(suites.map(({ name }) => name))];
  return ({ kind, message, place: at }) => {
    const suite = names.find((name) => message.startsWith(`${name}: `)) ?? null;
    const what = suite === null ? message : message.slice(suite.length + 2);
    return { suite, what, place: at, side: kind === 'removed' ? 'base' : 'head' };
  };
}

const SHOWN_SUITES = 5;

function noticeLine(words: string, [first, ...others]: [Said, ...Said[]]): Line {
  const all = [first, ...others];
  const suites = [...new Set(all.flatMap(({ suite }) => suite ?? []))];
  const of = suites.length === 0 ? '' : `${firstWords(suites, SHOWN_SUITES)}: `;
  const times = all.length > Math.max(1, suites.length) ? `${count(all.length)} × ` : '';
  const at = first.place;
  return [
    ...markedLine(`${words}: ${shorten(`${of}${times}${first.what}`, SENTENCE)}`),
    ...(at === null
      ? []
      : [others.length === 0 ? ' (' : ' (first at ', place(at.file, at.line, first.side), ')']),
  ];
}
