import type { ComponentChildren } from 'preact';
import { textOfParts, visibleParts } from '../report/answers/text.ts';
import { answerImages, markedAnswers } from '../report/sections/answers.ts';
import type { Piece } from '../report/sections/document.ts';
import { COMPARED_CHARACTERS, emphasise, type Emphasised } from '../report/sections/emphasis.ts';
import { isOwnFacts, type Part } from '../types/answer.ts';
import { isMap, parsedJson } from '../types/plain.ts';
import { checkWords, runWords, type AgentRunFacts } from '../wording/agent-runs.ts';
import { DIALOGUE_ENDS, dialogueTone } from '../wording/dialogues.ts';
import type { Tone } from '../wording/outcomes.ts';
import { Chip, Pieces } from './blocks.tsx';
import type { TryData } from './data.ts';

/** A part of a transcript: an answer, a turn, a step, a file or a check. */
interface TranscriptEntry {
  /** Entries of both sides with the same label stand side by side. */
  label: string;
  /** Sorts the entries of both sides together. */
  rank: number;
  text: string;
  /** Set for answers, whose tool calls are compared argument by argument. */
  parts?: Part[];
  turn?: Turn;
  /** Set for a word on how the transcript ended. */
  tone?: Tone;
}

type Turn = NonNullable<TryData['conversation']>['turns'][number];

const STEP_RANK = 0;
const ANSWER_RANK = 1;
const FILE_RANK = 2;
const CHECK_RANK = 3;
const END_RANK = 1e6;

function entriesOf(made: TryData | null): TranscriptEntry[] {
  if (made === null) return [];
  const { conversation, steps = [] } = made;
  if (conversation)
    return [
      ...conversation.turns.flatMap(turnEntries),
      {
        label: 'End',
        rank: END_RANK,
        text: DIALOGUE_ENDS[conversation.outcome],
        tone: dialogueTone(conversation.outcome),
      },
    ];
  const walked = steps.map((step, at): TranscriptEntry => ({
    ...stepEntry(step, at + 1),
    rank: STEP_RANK,
  }));
  const parts = (made.parts ?? []) as Part[];
  const facts = parts.find(isOwnFacts);
  if (facts?.type === 'unknown') return [...walked, ...runEntries(parts, facts.json)];
  return made.parts === null
    ? walked
    : [...walked, { label: 'Answer', rank: ANSWER_RANK, text: textOfParts(parts), parts }];
}

function turnEntries(turn: Turn, at: number): TranscriptEntry[] {
  const { question, asked_by: asker, steps = [], answer } = turn;
  const number = String(at + 1);
  const by = asker === null ? '' : `, asked by ${asker}`;
  return [
    { label: `Question ${number}${by}`, rank: at, text: question },
    ...steps.map((step, index): TranscriptEntry => ({
      ...stepEntry(step, index + 1, number),
      rank: at,
    })),
    { label: `Answer ${number}`, rank: at, text: answer ?? 'none', turn },
  ];
}

function stepEntry(
  step: NonNullable<TryData['steps']>[number],
  number: number,
  turn?: string,
): Pick<TranscriptEntry, 'label' | 'text'> {
  const label = `Step ${turn === undefined ? '' : `${turn}.`}${number}`;
  if (step.type === 'message') return { label: `${label}, ${step.role}`, text: step.text };
  const { name, arguments: given, result } = step;
  const call = textOfParts([{ type: 'tool_call', name, arguments: given }]);
  return { label, text: `${call}\n→ ${result ?? 'no result'}` };
}

/** An agent's last words, files, checks and figures. */
function runEntries(parts: readonly Part[], json: string): TranscriptEntry[] {
  const facts = JSON.parse(json) as AgentRunFacts;
  const words = visibleParts(parts).filter(({ type }) => type !== 'file');
  return [
    { label: 'Last words', rank: ANSWER_RANK, text: textOfParts(words) },
    ...parts.flatMap((part): TranscriptEntry[] =>
      part.type === 'file' ? [{ label: part.path, rank: FILE_RANK, text: part.diff }] : [],
    ),
    ...facts.checks.map((check) => ({
      label: check.name,
      rank: CHECK_RANK,
      text: checkWords(check),
    })),
    { label: 'Run', rank: END_RANK, text: runWords(facts) },
  ];
}

interface EntryPair {
  label: string;
  base: TranscriptEntry | null;
  head: TranscriptEntry | null;
}

function entryPairs(
  base: readonly TranscriptEntry[],
  head: readonly TranscriptEntry[],
): EntryPair[] {
  const ranks = new Map([...base, ...head].map(({ label, rank }) => [label, rank]));
  return [...ranks]
    .sort(([, a], [, b]) => a - b)
    .map(([label]) => ({
      label,
      base: base.find((entry) => entry.label === label) ?? null,
      head: head.find((entry) => entry.label === label) ?? null,
    }));
}

/** Both sides' tries, paired. What is equal on both sides is shown once. */
export function TranscriptView({ base, head }: { base: TryData | null; head: TryData | null }) {
  return (
    <PairsView base={entriesOf(base)} head={entriesOf(head)}>
      <Images made={base} kind="base" />
      <Images made={head} kind="head" />
    </PairsView>
  );
}

interface PairsProps {
  base: readonly TranscriptEntry[];
  head: readonly TranscriptEntry[];
  children?: ComponentChildren;
}

export function PairsView({ base, head, children }: PairsProps) {
  const isPair = base.length > 0 && head.length > 0;
  const pairs = entryPairs(base, head);
  return (
    <div class={isPair ? 'transcript' : 'transcript one'}>
      {pairs.map((pair) => (
        <PairView pair={pair} isPair={isPair} isPlain={pairs.length === 1} />
      ))}
      {children}
    </div>
  );
}

function PairView({
  pair,
  isPair,
  isPlain,
}: {
  pair: EntryPair;
  isPair: boolean;
  isPlain: boolean;
}) {
  const { label, base, head } = pair;
  const title = isPlain ? '' : label;
  const [only] = [head, base].filter((entry) => entry !== null);
  if (!isPair || (base !== null && head !== null && isSameEntry(base, head)))
    return only === undefined ? null : (
      <EntryView
        entry={only}
        title={isPair ? [title, 'the same on both sides'].filter(Boolean).join(', ') : title}
        kind="both"
      />
    );
  const marked = base && head && markedEntries(base, head);
  return (
    <>
      <EntryView entry={base} title={title} kind="base" pieces={marked?.base} />
      <EntryView entry={head} title={title} kind="head" pieces={marked?.head} />
    </>
  );
}

function isSameEntry(base: TranscriptEntry, head: TranscriptEntry): boolean {
  return base.text === head.text && JSON.stringify(base.turn) === JSON.stringify(head.turn);
}

function markedEntries(base: TranscriptEntry, head: TranscriptEntry): Emphasised | null {
  const [before, after] = [shownText(base), shownText(head)];
  if (Math.max(before.length, after.length) > COMPARED_CHARACTERS) return null;
  const room = { characters: Infinity, gaps: false };
  const hasCalls = [base, head].some(({ parts = [] }) =>
    parts.some(({ type }) => type !== 'text' && type !== 'json'),
  );
  return hasCalls && base.parts && head.parts
    ? markedAnswers({ parts: base.parts }, { parts: head.parts }, room)
    : emphasise(before, after, room);
}

/** JSON on one line is indented. */
function shownText({ text }: TranscriptEntry): string {
  if (!/^\s*[[{]/.test(text) || text.includes('\n')) return text;
  const value = parsedJson(text);
  return isMap(value) || Array.isArray(value) ? JSON.stringify(value, null, 2) : text;
}

/** Longer texts scroll in their own box. */
const LONG = 6_000;

interface EntryViewProps {
  entry: TranscriptEntry | null;
  title: string;
  kind: 'base' | 'head' | 'both';
  pieces?: Piece[] | undefined;
}

function EntryView({ entry, title, kind, pieces }: EntryViewProps) {
  if (entry === null) return <div class={`${kind} none`} />;
  const text = shownText(entry);
  if (entry.tone !== undefined)
    return (
      <div class={kind}>
        <Chip tone={entry.tone}>{text}</Chip>
      </div>
    );
  return (
    <div class={kind}>
      {title !== '' && <h4>{title}</h4>}
      <pre class={text.length > LONG ? 'long' : undefined} tabIndex={text.length > LONG ? 0 : -1}>
        <Pieces pieces={pieces ?? [{ kind: 'same', text }]} />
      </pre>
      {entry.turn !== undefined && <TurnVerdicts turn={entry.turn} />}
    </div>
  );
}

function TurnVerdicts({ turn: { satisfied, verdicts } }: { turn: Turn }) {
  return (
    <>
      {Object.entries(satisfied ?? {}).map(([criterion, isMet]) => (
        <Chip tone={isMet ? 'good' : 'bad'}>{`${criterion} ${isMet ? 'met' : 'not met'}`}</Chip>
      ))}
      {verdicts.length > 0 && (
        <details>
          <summary>What the evaluators said</summary>
          {verdicts.map(({ evaluator, words, analysis, follow_up: followUp }) => (
            <>
              <p>
                <code>{evaluator}</code>{' '}
                {Object.entries(words)
                  .map((entry) => entry.join(' '))
                  .join(', ')}
              </p>
              {analysis !== null && <pre>{analysis}</pre>}
              {followUp !== null && <p class="soft">Would ask: {followUp}</p>}
            </>
          ))}
        </details>
      )}
    </>
  );
}

function Images({ made, kind }: { made: TryData | null; kind: string }) {
  const images = made === null ? [] : answerImages(made as { parts: Part[] | null });
  return images.length === 0 ? null : (
    <div class={kind}>
      {images.map(({ media_type: type, data }) => (
        <img alt="image in the answer" src={`data:${type};base64,${data}`} />
      ))}
    </div>
  );
}
