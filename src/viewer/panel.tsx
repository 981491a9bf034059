import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { expectedText } from '../report/sections/answers.ts';
import { code, place, standsOn } from '../report/sections/document.ts';
import { fileNote, marksOf, stripLine, stripName, stripsOf } from '../report/sections/evidence.ts';
import {
  isShownValue,
  lacksPasses,
  passWords,
  rateInterval,
  shownNumber,
} from '../report/sections/phrases.ts';
import { count, probability } from '../text/amounts.ts';
import { Chip, LineView } from './blocks.tsx';
import type { Attribute, Score, Side, Try } from './data.ts';
import { useReport } from './report.ts';
import { isOfSuite, type Test } from './tests.ts';
import { Transcript } from './transcript.tsx';

type SideName = 'base' | 'head';

/** Everything about a test: both sides' answers first, then scores, then what was asked. */
export function Panel({ test, chosen }: { test: Test; chosen: string[] }) {
  const { reference } = test;
  const [linked, number] = chosen;
  const start = (side: SideName) => (linked === side ? Number(number) - 1 : (test[side]?.try ?? 0));
  const [shown, show] = useState({ base: start('base'), head: start('head') });
  const tryOf = (side: SideName): Try | null =>
    reference[side]?.tries.find((made) => made.try === shown[side]) ?? test[side];
  const tries = { base: tryOf('base'), head: tryOf('head') };
  const isPair = reference.base !== null && reference.head !== null;
  const side = (name: SideName) => {
    const of = reference[name];
    const title = isPair ? (name === 'base' ? 'Base' : 'Head') : 'Tries';
    return of === null ? null : (
      <div class={name}>
        <h3>
          {title} – {passWords(of)}
        </h3>
        <Tries
          of={of}
          shown={shown[name]}
          pick={(at) => show({ ...shown, [name]: at })}
          name={title}
        />
      </div>
    );
  };
  return (
    <div class="panel">
      <div class={isPair ? 'sides' : 'sides one'}>
        {side('base')}
        {side('head')}
      </div>
      <Transcript {...tries} />
      <div class={isPair ? 'sides' : 'sides one'}>
        <Judged made={tries.base} name="base" isIn={reference.base !== null} />
        <Judged made={tries.head} name="head" isIn={reference.head !== null} />
      </div>
      <Facts test={test} tries={tries} />
    </div>
  );
}

const MARKS = { pass: '✓', fail: '✗', error: '?', ungraded: '?', skipped: '·' } as const;

/** Equal tries share a button. */
function Tries(props: { of: Side; shown: number; pick(at: number): void; name: string }) {
  const { of, shown, pick, name } = props;
  const groups = groupsOf(of.tries);
  return (
    <p class="pick" role="group" aria-label={`${name}: choose a try`}>
      {groups.map((tries) => {
        const [first] = tries;
        if (first === undefined) return null;
        const isShown = tries.some((made) => made.try === shown);
        const words = `${tries.length === 1 ? 'Try' : 'Tries'} ${numbersOf(tries)}: ${first.outcome}`;
        return (
          <button
            type="button"
            class={first.outcome}
            aria-pressed={isShown}
            onClick={() => pick(first.try)}
          >
            <span aria-hidden="true">{lacksPasses(of) ? '' : MARKS[first.outcome]} </span>
            {words}
          </button>
        );
      })}
    </p>
  );
}

function groupsOf(tries: readonly Try[]): Try[][] {
  const keyOf = ({ outcome, parts, error, scores, steps, conversation }: Try) =>
    JSON.stringify([
      outcome,
      parts,
      error,
      scores.map(({ metric, status, value, reason }) => [metric, status, value, reason]),
      steps,
      conversation,
    ]);
  return [...Map.groupBy(tries, keyOf).values()];
}

/** For example `1–3, 5`. */
function numbersOf(tries: readonly Try[]): string {
  const spans: { from: number; to: number }[] = [];
  for (const { try: index } of tries) {
    const last = spans.at(-1);
    if (last?.to === index) last.to = index + 1;
    else spans.push({ from: index + 1, to: index + 1 });
  }
  return spans
    .map(({ from, to }) => (from === to ? String(from) : `${String(from)}–${String(to)}`))
    .join(', ');
}

const COMPLETE: ReadonlySet<string | null> = new Set([null, 'stop', 'tool_calls']);

function Judged({ made, name, isIn }: { made: Try | null; name: SideName; isIn: boolean }) {
  if (!isIn) return null;
  if (made === null) return <div class={name} />;
  const { usage, latency_ms: latency, reused, ended, error, outcome, scores } = made;
  const words = [
    ...(usage === null
      ? []
      : [`${count(usage.input_tokens)} + ${count(usage.output_tokens)} tokens`]),
    ...(latency === null ? [] : [`${count(Math.round(latency))} ms`]),
    ...(reused ? ['reused'] : []),
    ...(COMPLETE.has(ended) ? [] : [`ended by ${String(ended)}`]),
  ];
  const shown = scores.filter(
    ({ status, value, reason, skip }) =>
      outcome !== 'pass' ||
      status !== 'pass' ||
      skip ||
      reason !== null ||
      isShownValue(value, skip),
  );
  return (
    <div class={name}>
      {made.parts === null && <p class="soft">{error === null ? 'no answer' : 'no answer:'}</p>}
      {error !== null && <pre>{error}</pre>}
      <ul class="scores">
        {shown.map((score) => (
          <li>
            <ScoreView score={score} />
          </li>
        ))}
      </ul>
      {words.length > 0 && <p class="soft">{words.join(' · ')}</p>}
    </div>
  );
}

function ScoreView({ score }: { score: Score }) {
  const { metric, status, value, reason, skip, objects } = score;
  const tone = status === 'pass' ? 'good' : status === 'fail' ? 'bad' : 'open';
  return (
    <>
      <Chip tone={tone}>{status}</Chip> <code>{metric}</code>{' '}
      {isShownValue(value, skip) && <code>{shownNumber(value)}</code>}{' '}
      {objects !== undefined && <code>{marksOf(objects, null)}</code>}{' '}
      {reason !== null && <span class="reason">{reason}</span>}{' '}
      {skip && <span class="soft">(does not gate)</span>}
    </>
  );
}

interface FactsProps {
  test: Test;
  tries: { base: Try | null; head: Try | null };
}

function Facts({ test, tries }: FactsProps) {
  const { links, result } = useReport();
  const { reference } = test;
  const { input, expected, file, line, p, q, history, tags, files = [] } = reference;
  return (
    <dl>
      {expected !== null && <Fact name="expected">{expectedText(expected)}</Fact>}
      {Object.entries(input).map(([name, value]) => (
        <Fact name={name}>{String(value)}</Fact>
      ))}
      {files.map((shown) => (
        <Entry name={shown.type}>
          <code>{shown.path}</code> {fileNote(shown)}
        </Entry>
      ))}
      {stripsOf(tries.base, tries.head).map((strip) => (
        <Entry name={`${strip.metric} ${stripName(strip)}`}>
          <span class="strip">
            <LineView line={stripLine(strip, Infinity)} links={links} />
          </span>
        </Entry>
      ))}
      <Entry name="at">
        <LineView line={[place(file, line, standsOn(reference))]} links={links} />
      </Entry>
      {tags.length > 0 && (
        <Entry name="tags">
          <LineView line={tags.map((tag) => code(tag))} links={links} />
        </Entry>
      )}
      {p !== null && q !== null && (
        <Entry name="p, q">
          <code>{`${probability(p)}, ${probability(q)}`}</code>{' '}
          <span class="soft">
            p: chance that head passes this much less often if nothing changed. q: expected share of
            false alarms if tests like it are called regressed.
          </span>
        </Entry>
      )}
      {history !== undefined && (
        <Entry name="passed so far on base">
          {`${count(history.passes)} of ${count(history.tries)}, 95 % interval ${rateInterval(history)}`}
        </Entry>
      )}
      {result.attributes
        .filter((attribute) => isRated(attribute, test))
        .map((attribute) => (
          <Entry name={attribute.name}>{ratingWords(attribute, reference.id)}</Entry>
        ))}
    </dl>
  );
}

function isRated(attribute: Attribute, { suite, reference: { id } }: Test): boolean {
  const { references, ratings = [] } = attribute;
  return (
    isOfSuite(attribute, suite) &&
    (references.includes(id) || ratings.some(({ reference }) => reference === id))
  );
}

function ratingWords({ kind, ratings = [] }: Attribute, id: string): string {
  const rating = ratings.find(({ reference }) => reference === id);
  const noun = kind === 'domain' ? 'domain' : 'sub-task';
  if (rating === undefined) return noun;
  const { affinity, evidence } = rating;
  const rated = affinity === null ? 'not rated' : `affinity ${String(affinity)} of 5`;
  return `${noun}, ${rated}${evidence === '' ? '' : `: ${evidence}`}`;
}

/** Longer texts are folded. */
const SHORT = 400;

function Fact({ name, children }: { name: string; children: string }) {
  return (
    <Entry name={name}>
      {children.length > SHORT ? (
        <details>
          <summary>{children.slice(0, SHORT / 4)}…</summary>
          <pre>{children}</pre>
        </details>
      ) : (
        <code>{children}</code>
      )}
    </Entry>
  );
}

function Entry({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
