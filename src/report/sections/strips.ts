import { OBJECT_WORDS } from '../../metrics/objects.ts';
import type { TryResult } from '../../result/reference-result.ts';
import { canonicalJson } from '../../suite/canonical-json.ts';
import type { ObjectScore, ObjectScores } from '../../types/metric.ts';
import { code, lineBreak, text, type Line } from './document.ts';

/** A row of marks: one metric on every turn, message or tool call of two dialogues. */
interface Strip {
  metric: string;
  base: ObjectScores | null;
  head: ObjectScores | null;
  /** Position of the first object at which they part; null: they do not, or one side is missing. */
  parted: number | null;
}

/** The metrics that judge every object of these tries, those that part first. */
export function stripsOf(base: TryResult | null, head: TryResult | null): Strip[] {
  const objectsOf = (tryResult: TryResult | null, metric: string): ObjectScores | null =>
    tryResult?.scores.find((score) => score.metric === metric)?.objects ?? null;
  const names = [base, head].flatMap((tryResult) =>
    (tryResult?.scores ?? []).flatMap(({ metric, objects }) =>
      (objects?.scores.length ?? 0) > 1 ? [metric] : [],
    ),
  );
  const strips = [...new Set(names)].map((metric): Strip => {
    const [before, after] = [objectsOf(base, metric), objectsOf(head, metric)];
    return { metric, base: before, head: after, parted: firstParted(before, after) };
  });
  return [
    ...strips.filter(({ parted }) => parted !== null),
    ...strips.filter(({ parted }) => parted === null),
  ];
}

/**
 * The first object at which base and head differ: in their word or label or, where nothing has any,
 * in their value; null: they do not.
 */
function firstParted(base: ObjectScores | null, head: ObjectScores | null): number | null {
  if (base === null || head === null) return null;
  const length = Math.max(base.scores.length, head.scores.length);
  const differ = (said: (score: ObjectScore | undefined) => string): number | null => {
    for (let at = 0; at < length; at += 1)
      if (said(base.scores[at]) !== said(head.scores[at])) return at;
    return null;
  };
  return (
    differ((score) => `${score?.status ?? ''} ${score?.label ?? ''}`) ??
    differ((score) => canonicalJson(score?.value ?? null))
  );
}

/** More marks of one dialogue than this are cut, from shortly before they part. */
const MOST_MARKS = 60;

const BEFORE = 10;

const MARKS: Readonly<Record<ObjectScore['status'], string>> = {
  pass: '✓',
  fail: '✗',
  ungraded: '?',
  error: '?',
  skipped: '·',
};

/** `✓✓·✗✓`, one mark for each object; what is left out at either end is `…`. */
export function marksOf({ scores }: ObjectScores, parted: number | null): string {
  const from =
    scores.length <= MOST_MARKS
      ? 0
      : Math.max(0, Math.min((parted ?? 0) - BEFORE, scores.length - MOST_MARKS));
  const shown = scores.slice(from, from + MOST_MARKS);
  return [
    from > 0 ? '…' : '',
    ...shown.map(({ status }) => MARKS[status]),
    from + shown.length < scores.length ? '…' : '',
  ].join('');
}

/** `by turn`: what the marks stand for. */
export function stripName({ base, head }: Strip): string {
  return `by ${OBJECT_WORDS[(head ?? base)?.level ?? 'Turn']}`;
}

/** Both sides below each other, and the first object at which they part, with what head says. */
export function stripLine({ base, head, parted }: Strip, characters: number): Line {
  const sides: Line[] = [
    ...(base === null ? [] : [[text('Base '), code(marksOf(base, parted))]]),
    ...(head === null ? [] : [[text(base === null ? '' : 'Head '), code(marksOf(head, parted))]]),
  ];
  const lines = sides.flatMap((side, index): Line => (index === 0 ? side : [lineBreak, ...side]));
  const level = (head ?? base)?.level ?? 'Turn';
  if (parted === null) return lines;
  const said = head?.scores[parted];
  const why = said === undefined ? 'head has none' : (said.reason ?? said.label ?? said.status);
  return [
    ...lines,
    lineBreak,
    text(`part at ${OBJECT_WORDS[level]} ${String(parted + 1)}: `),
    code(why, characters),
  ];
}
