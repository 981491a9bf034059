import { countsForVerdict } from '../kernel/result/counts.ts';
import { answerText } from '../report/answers/text.ts';
import { answerPieces, expectedText, markedAnswers } from '../report/sections/answers.ts';
import type { Piece } from '../report/sections/document.ts';
import { ownFailures } from '../report/sections/failures.ts';
import { lacksPasses, passWords, STATUS_TONES, STATUS_WORDS } from '../report/sections/phrases.ts';
import { count } from '../text/amounts.ts';
import { shorten } from '../text/visible.ts';
import { Chip, Pieces } from './blocks.tsx';
import type { Side, Try } from './data.ts';
import { Panel } from './panel.tsx';
import { useReport } from './report.ts';
import type { Test } from './tests.ts';

/** In characters. */
const INPUT = 140;
const ANSWER = 180;
const WHY = 160;

interface RowProps {
  test: Test;
  isOpen: boolean;
  toggle(isOpen: boolean): void;
  /** The side and number of a try that the address names. */
  chosen: string[];
}

export function Row({ test, isOpen, toggle, chosen }: RowProps) {
  const { result } = useReport();
  const { reference, suiteName } = test;
  const { status, tags } = reference;
  return (
    <details
      class="case"
      id={`test/${test.key}`}
      data-status={status}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== isOpen) toggle(currentTarget.open);
      }}
    >
      <summary>
        <span class="title">
          <Chip tone={STATUS_TONES[status]}>{STATUS_WORDS[status]}</Chip>
          <Face test={test} />
          {result.suites.length > 1 && <span class="soft">{shorten(suiteName, INPUT)}</span>}
          {!countsForVerdict(reference) && <Chip tone="neutral">does not gate</Chip>}
          {tags.map((tag) => (
            <Chip tone="neutral">{shorten(tag, INPUT)}</Chip>
          ))}
          <span class="dots">
            <Marks side={reference.base} sign="○" />
            <Marks side={reference.head} sign={reference.base === null ? '' : '●'} />
          </span>
        </span>
        {!isOpen && <Glance test={test} />}
      </summary>
      {isOpen && <Panel test={test} chosen={chosen} />}
    </details>
  );
}

function oneLine(text: string, limit: number): string {
  return shorten(
    text
      .slice(0, 4 * limit)
      .replace(/\s+/g, ' ')
      .trim(),
    limit,
  );
}

/** The input's first words, and the id. */
export function Face({ test: { reference } }: { test: Test }) {
  const words = oneLine(Object.values(reference.input).map(String).join(' · '), INPUT);
  return (
    <span class="face">
      {words !== '' && <b>{words}</b>} <code>{shorten(reference.id, INPUT)}</code>
    </span>
  );
}

/** Both answers and why head's fails, in three lines. */
export function Glance({ test }: { test: Test }) {
  const why = whyOf(test);
  return (
    <>
      <Answers base={test.base} head={test.head} />
      {why !== null && <span class="why">{why}</span>}
    </>
  );
}

/** The first line of both answers. Words that differ are marked. */
function Answers({ base, head }: { base: Try | null; head: Try | null }) {
  const room = { characters: ANSWER, gaps: true };
  const marked = markedAnswers(base, head, room);
  if (marked !== null && answerText(base ?? NONE) === answerText(head ?? NONE))
    return <Answer kind="both" sign="=" made={head} pieces={marked.head} />;
  return (
    <>
      {base !== null && <Answer kind="base" sign="○" made={base} pieces={marked?.base} />}
      {head !== null && <Answer kind="head" sign="●" made={head} pieces={marked?.head} />}
    </>
  );
}

const NONE = { parts: null };

const SIDE_WORDS = { base: 'Base: ', head: 'Head: ', both: 'Both sides: ' };

interface AnswerProps {
  kind: keyof typeof SIDE_WORDS;
  sign: string;
  made: Try | null;
  pieces: Piece[] | undefined;
}

function Answer({ kind, sign, made, pieces }: AnswerProps) {
  const shown = pieces ?? (made === null ? null : answerPieces(made, ANSWER));
  return (
    <span class={`answer ${kind}`}>
      <span aria-hidden="true">{sign} </span>
      <span class="unseen">{SIDE_WORDS[kind]}</span>
      {shown === null ? (
        <i>{`no answer${made?.error ? `: ${oneLine(made.error, ANSWER)}` : ''}`}</i>
      ) : (
        <Pieces
          pieces={shown.map(({ kind: own, text }) => ({
            kind: own,
            text: text.replace(/\s+/g, ' '),
          }))}
        />
      )}
    </span>
  );
}

function whyOf({ head, base, reference }: Test): string | null {
  const [score] = ownFailures(reference.head === null ? base : head);
  if (score === undefined) return null;
  const { metric, status, reason } = score;
  const { expected } = reference;
  const words =
    reason ??
    (status === 'fail' && expected !== null ? `expected ${expectedText(expected)}` : status);
  return oneLine(`${metric}: ${words}`, WHY);
}

const MOST_MARKS = 12;

/** A mark for each try. */
function Marks({ side, sign }: { side: Side | null; sign: string }) {
  if (side === null) return null;
  if (lacksPasses(side)) return <span>{`${sign} ${passWords(side)}`}</span>;
  return (
    <span>
      <span aria-hidden="true">
        {sign}{' '}
        {side.tries.slice(0, MOST_MARKS).map(({ outcome }) => (
          <b class={outcome}>{outcome === 'pass' ? '✓' : outcome === 'fail' ? '✗' : '?'}</b>
        ))}
        {side.tries.length > MOST_MARKS && '…'}
      </span>{' '}
      {`${count(side.passes)}/${count(side.tries_judged)}`}
    </span>
  );
}
