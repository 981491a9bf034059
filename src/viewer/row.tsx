import { useEffect, useMemo, useState } from 'preact/hooks';
import { countsForVerdict } from '../kernel/result/counts.ts';
import { answerText } from '../report/answers/text.ts';
import { answerPieces, expectedText, markedAnswers } from '../report/sections/answers.ts';
import type { Piece } from '../report/sections/document.ts';
import { STATUS_MARKS } from '../report/sections/evidence.ts';
import { ownFailures } from '../report/sections/failures.ts';
import { lacksPasses, passWords } from '../report/sections/phrases.ts';
import { count } from '../text/amounts.ts';
import { shorten } from '../text/visible.ts';
import { FORM_KEYS, moreTries, type OpenForm } from './actions.tsx';
import { Chip, Pieces } from './blocks.tsx';
import type { SideData, TryData } from './data.ts';
import { Panel } from './panel.tsx';
import { useReport } from './report.ts';
import type { TestRow } from './tests.ts';

/** In characters. */
const INPUT_CHARS = 140;
const ANSWER_CHARS = 180;
const WHY_CHARS = 160;

interface RowProps {
  test: TestRow;
  isOpen: boolean;
  toggle(test: TestRow, isOpen: boolean): void;
  /** The side and number of a try that the address names. */
  chosen: string[];
}

export function RowView({ test, isOpen, toggle, chosen }: RowProps) {
  const { tests, live } = useReport();
  const { reference, status, suite, suiteName } = test;
  const { tags } = reference;
  const [form, setForm] = useState<OpenForm | null>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (live === null || isTyping(event)) return;
    const kind = FORM_KEYS[event.key];
    if (event.key === 'm') return moreTries(live, test, 'head');
    if (kind === undefined) return;
    event.preventDefault();
    toggle(test, true);
    setForm({ kind, side: reference.head === null ? 'base' : 'head' });
  };
  return (
    <details
      class="case"
      id={`test/${test.key}`}
      data-status={reference.status}
      open={isOpen}
      onKeyDown={onKeyDown}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== isOpen) toggle(test, currentTarget.open);
      }}
    >
      <summary>
        <span class="title">
          <Chip tone={status.tone}>{status.words}</Chip>
          <Face test={test} />
          {tests.some((other) => other.suite !== suite) && (
            <span class="soft">{shorten(suiteName, INPUT_CHARS)}</span>
          )}
          {!countsForVerdict(reference) && <Chip tone="neutral">does not gate</Chip>}
          {tags.map((tag) => (
            <Chip tone="neutral">{shorten(tag, INPUT_CHARS)}</Chip>
          ))}
          <span class="dots">
            <Marks side={reference.base} sign="○" />
            <Marks side={reference.head} sign={reference.base === null ? '' : '●'} />
          </span>
        </span>
        {!isOpen && <Glance test={test} />}
      </summary>
      {isOpen && <Panel {...{ test, chosen, form, setForm }} />}
    </details>
  );
}

/** Listens to keys on the whole page, unless they are typed into a field. */
export function useKeys(press: (event: KeyboardEvent) => void): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!isTyping(event) && !event.repeat) press(event);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}

export function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isField = target instanceof Element && target.matches('input,textarea,select');
  return isField || ctrlKey || metaKey || altKey;
}

function shortLine(text: string, limit: number): string {
  return shorten(
    text
      .slice(0, 4 * limit)
      .replace(/\s+/g, ' ')
      .trim(),
    limit,
  );
}

/** The input's first words, and the id. */
export function Face({ test: { reference } }: { test: TestRow }) {
  const words = shortLine(Object.values(reference.input).map(String).join(' · '), INPUT_CHARS);
  return (
    <span class="face">
      {words !== '' && <b>{words}</b>} <code>{shorten(reference.id, INPUT_CHARS)}</code>
    </span>
  );
}

/** Both answers and why head's fails, in three lines. */
export function Glance({ test }: { test: TestRow }) {
  const why = whyOf(test);
  return (
    <>
      <AnswerLines base={test.base} head={test.head} />
      {why !== null && <span class="why">{why}</span>}
    </>
  );
}

const ANSWER_ROOM = { characters: ANSWER_CHARS, gaps: true };

/** The first line of both answers. Words that differ are marked. */
function AnswerLines({ base, head }: { base: TryData | null; head: TryData | null }) {
  const marked = useMemo(() => markedAnswers(base, head, ANSWER_ROOM), [base, head]);
  if (marked !== null && answerText(base ?? UNANSWERED) === answerText(head ?? UNANSWERED))
    return <AnswerLine kind="both" sign="=" made={head} pieces={marked.head} />;
  return (
    <>
      {base !== null && <AnswerLine kind="base" sign="○" made={base} pieces={marked?.base} />}
      {head !== null && <AnswerLine kind="head" sign="●" made={head} pieces={marked?.head} />}
    </>
  );
}

const UNANSWERED = { parts: null };

interface AnswerProps {
  kind: 'base' | 'head' | 'both';
  sign: string;
  made: TryData | null;
  pieces: Piece[] | undefined;
}

function AnswerLine({ kind, sign, made, pieces }: AnswerProps) {
  const { sides } = useReport();
  const shown = pieces ?? (made === null ? null : answerPieces(made, ANSWER_CHARS));
  return (
    <span class={`answer ${kind}`}>
      <span aria-hidden="true">{sign} </span>
      <span class="unseen">{kind === 'both' ? 'Both sides' : sides[kind]}: </span>
      {shown === null ? (
        <i>{`no answer${made?.error ? `: ${shortLine(made.error, ANSWER_CHARS)}` : ''}`}</i>
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

function whyOf({ head, base, reference }: TestRow): string | null {
  const [score] = ownFailures(reference.head === null ? base : head);
  if (score === undefined) return null;
  const { metric, status, reason } = score;
  const { expected } = reference;
  const words =
    reason ??
    (status === 'fail' && expected !== null ? `expected ${expectedText(expected)}` : status);
  return shortLine(`${metric}: ${words}`, WHY_CHARS);
}

const MOST_TRY_MARKS = 12;

/** A mark for each try. */
function Marks({ side, sign }: { side: SideData | null; sign: string }) {
  if (side === null) return null;
  if (lacksPasses(side)) return <span>{`${sign} ${passWords(side)}`}</span>;
  return (
    <span>
      <span aria-hidden="true">
        {sign}{' '}
        {side.tries.slice(0, MOST_TRY_MARKS).map(({ outcome }) => (
          <b class={outcome}>{STATUS_MARKS[outcome]}</b>
        ))}
        {side.tries.length > MOST_TRY_MARKS && '…'}
      </span>{' '}
      {`${count(side.passes)}/${count(side.tries_judged)}`}
    </span>
  );
}
