import type {
  ReferenceResult,
  ShownFile,
  SideResult,
  TryResult,
} from '../../kernel/result/reference-result.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import { OBJECT_WORDS, placeWords } from '../../metrics/objects.ts';
import { fileSize } from '../../text/amounts.ts';
import type { ObjectScore, ObjectScores, Score } from '../../types/metric.ts';
import type { Json } from '../../types/plain.ts';
import { answerLine, changedArguments, markedAnswers, expectedLine } from './answers.ts';
import type { Detail } from './detail.ts';
import {
  type Block,
  type FactRow,
  type Line,
  code,
  joinLines,
  lineBreak,
  paragraph,
} from './document.ts';
import { ownFailures } from './failures.ts';
import { tryView, type Reports, type TryView } from './feature-report.ts';
import { exampleTries } from './order.ts';
import { lacksPasses, shownNumber } from './phrases.ts';

export function evidence(
  title: Line,
  reference: ReferenceResult,
  { characters }: Detail,
  reports: Reports,
): Block[] {
  const { base, head } = exampleTries(reference, reports);
  const views = {
    base: base === null ? null : tryView(base, reports),
    head: head === null ? null : tryView(head, reports),
  };
  const [failing, other] = reference.status === 'fixed' ? [base, head] : [head, base];
  const failed = ownFailures(failing).map((score) => ({
    name: [code(score.metric), failing === base ? ' on base' : ''],
    value: scoreLine(score, other, characters),
  }));
  const strips = stripsOf(base, head)
    .filter(({ parted, base: before }) => parted !== null || before === null)
    .slice(0, MOST_STRIPS)
    .map((strip) => ({
      name: [code(strip.metric), ` ${stripName(strip)}`],
      value: stripLine(strip, characters),
    }));
  const given = givenRows(reference, characters);
  if (head !== null && views.base !== null && views.head !== null) {
    const rows = rowsBeside(views.head, { given, judged: [...failed, ...strips] }, characters);
    return [
      rows.length === 0 ? paragraph(title) : { kind: 'facts', title, rows },
      ...views.base.beside(head, characters),
    ];
  }
  const answers = answerPieces(base, head, views, characters);
  return [
    {
      kind: 'facts',
      title,
      rows: [
        ...given,
        ...(base === null
          ? []
          : [{ name: sideName('Base', base, reference.base), value: answers.base }]),
        ...(head === null
          ? []
          : [
              {
                name: sideName(reference.base === null ? 'Answer' : 'Head', head, reference.head),
                value: answers.head,
              },
            ]),
        ...changedArguments(base, head).map((change) => ({
          name: ['Changed'],
          value: [code(change, characters)],
        })),
        ...failed,
        ...strips,
      ],
    },
  ];
}

/** Leaves out what a dialogue shows: its question and the result of its metric. */
function rowsBeside(
  view: TryView,
  { given, judged }: { given: FactRow[]; judged: FactRow[] },
  characters: number,
): FactRow[] {
  const said = view.why(characters);
  const { metric } = view;
  const isShown = ({ name: [first] }: FactRow) =>
    typeof first === 'object' && first.kind === 'code' && first.text === metric;
  return [
    ...(metric === undefined ? given : given.slice(1)),
    ...judged.filter((row) => !isShown(row)),
    ...(said.length === 0 ? [] : [{ name: ['Why'], value: said }]),
  ];
}

const MOST_STRIPS = 3;

function sideName(side: string, { outcome }: TryResult, of: SideResult | null): Line {
  if (of !== null && lacksPasses(of)) return [side];
  if (outcome !== 'pass' && outcome !== 'fail') return [side];
  const pass = outcome === 'pass';
  return [`${side} `, { kind: 'sign', sign: pass ? '✓' : '✗', tone: pass ? 'good' : 'bad' }];
}

function answerPieces(
  base: TryResult | null,
  head: TryResult | null,
  views: { base: TryView | null; head: TryView | null },
  characters: number,
): { base: Line; head: Line } {
  if (views.base !== null || views.head !== null) {
    const shown = (view: TryView | null, tryResult: TryResult | null) =>
      view?.shortened(characters) ?? answerLine(tryResult, characters);
    return { base: shown(views.base, base), head: shown(views.head, head) };
  }
  const compared = markedAnswers(base, head, { characters, gaps: true });
  return compared === null
    ? { base: answerLine(base, characters), head: answerLine(head, characters) }
    : {
        base: [{ kind: 'pieces', pieces: compared.base }],
        head: [{ kind: 'pieces', pieces: compared.head }],
      };
}

export function givenRows(reference: ReferenceResult, characters: number): FactRow[] {
  const { expected } = reference;
  return [
    { name: ['Input'], value: inputLine(reference, characters) },
    ...filesRow(reference),
    ...(expected === null
      ? []
      : [{ name: ['Expected'], value: expectedLine(expected, characters) }]),
  ];
}

function filesRow({ files = [] }: ReferenceResult): FactRow[] {
  if (files.length === 0) return [];
  const shown = files.slice(0, MOST_FILES).map((file) => [code(file.path), ` ${fileNote(file)}`]);
  const more = files.length - shown.length;
  const rest: Line[] = more === 0 ? [] : [[`${more} more`]];
  return [{ name: ['Shown'], value: joinLines([...shown, ...rest], ', ') }];
}

const MOST_FILES = 5;

export function fileNote({ bytes, side }: ShownFile): string {
  return `(${fileSize(bytes)}${side === undefined ? '' : `, on ${side}`})`;
}

function inputLine({ input }: ReferenceResult, characters: number): Line {
  const entries = Object.entries(input);
  if (entries.length === 0) return ['none'];
  const share = Math.max(40, Math.floor(characters / entries.length));
  const isAlone = entries.length === 1;
  return joinLines(
    entries.map(([name, value]) => [
      ...(isAlone ? [] : [code(name), ' = ']),
      code(String(value), share),
    ]),
    ', ',
  );
}

function scoreLine(score: Score, base: TryResult | null, characters: number): Line {
  const before = base?.scores.find(({ metric }) => metric === score.metric)?.value ?? null;
  const line: Line =
    score.reason === null
      ? [score.status]
      : [score.status === 'fail' ? '' : `${score.status}: `, code(score.reason, characters)];
  if (saysMore(score.value) || saysMore(before)) {
    if (score.value !== null) line.push(', value ', code(shownNumber(score.value), characters));
    if (before !== null) line.push(', on base ', code(shownNumber(before), characters));
  }
  if (score.skip) line.push(' (shown, does not gate)');
  return line;
}

/** Booleans, 0 and 1 only repeat pass or fail. */
function saysMore(value: Json): boolean {
  return value !== null && typeof value !== 'boolean' && value !== 0 && value !== 1;
}

interface Strip {
  metric: string;
  base: ObjectScores | null;
  head: ObjectScores | null;
  /**
   * Position of the first object (such as a turn) that differs. Null if none differs, or if one
   * side is missing.
   */
  parted: number | null;
}

/**
 * Returns metrics that score several objects, such as turns. If some of these metrics affect the
 * verdict, the others are left out.
 */
export function stripsOf(base: TryResult | null, head: TryResult | null): Strip[] {
  const objectsOf = (tryResult: TryResult | null, metric: string) =>
    tryResult?.scores.find((score) => score.metric === metric)?.objects ?? null;
  const scores = [base, head]
    .flatMap((tryResult) => tryResult?.scores ?? [])
    .filter(({ objects }) => (objects?.scores.length ?? 0) > 1);
  const gating = scores.filter(({ skip }) => !skip);
  const names = (gating.length > 0 ? gating : scores).map(({ metric }) => metric);
  const strips = [...new Set(names)].map((metric): Strip => {
    const before = objectsOf(base, metric);
    const after = objectsOf(head, metric);
    return { metric, base: before, head: after, parted: partingObject(before, after) };
  });
  return [
    ...strips.filter(({ parted }) => parted !== null),
    ...strips.filter(({ parted }) => parted === null),
  ];
}

function partingObject(base: ObjectScores | null, head: ObjectScores | null): number | null {
  if (base === null || head === null) return null;
  const length = Math.max(base.scores.length, head.scores.length);
  const differ = (said: (score: ObjectScore | undefined) => string) => {
    for (let at = 0; at < length; at += 1)
      if (said(base.scores[at]) !== said(head.scores[at])) return at;
    return null;
  };
  return (
    differ((score) => `${score?.status ?? ''} ${score?.label ?? ''}`) ??
    differ((score) => canonicalJson(score?.value ?? null))
  );
}

const MOST_MARKS = 60;

const BEFORE = 10;

export const STATUS_MARKS: Readonly<Record<ObjectScore['status'], string>> = {
  pass: '✓',
  fail: '✗',
  ungraded: '?',
  error: '?',
  skipped: '·',
};

export function marksOf({ scores }: ObjectScores, parted: number | null): string {
  const from =
    scores.length <= MOST_MARKS
      ? 0
      : Math.max(0, Math.min((parted ?? 0) - BEFORE, scores.length - MOST_MARKS));
  const shown = scores.slice(from, from + MOST_MARKS);
  return [
    from > 0 ? '…' : '',
    ...shown.map(({ status }) => STATUS_MARKS[status]),
    from + shown.length < scores.length ? '…' : '',
  ].join('');
}

export function stripName({ base, head }: Strip): string {
  return `by ${OBJECT_WORDS[(head ?? base)?.level ?? 'Turn']}`;
}

export function stripLine({ base, head, parted }: Strip, characters: number): Line {
  const sides: Line[] = [
    ...(base === null ? [] : [['Base ', code(marksOf(base, parted))]]),
    ...(head === null ? [] : [[base === null ? '' : 'Head ', code(marksOf(head, parted))]]),
  ];
  const lines = sides.flatMap((side, index) => (index === 0 ? side : [lineBreak, ...side]));
  const level = (head ?? base)?.level ?? 'Turn';
  if (parted === null) return lines;
  const said = head?.scores[parted];
  const why = said === undefined ? 'head has none' : (said.reason ?? said.label ?? said.status);
  return [
    ...lines,
    lineBreak,
    `part at ${placeWords(level, { at: parted, ...said })}: `,
    code(why, characters),
  ];
}
