import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { expectedText } from '../report/sections/answers.ts';
import { code, place, standsOn } from '../report/sections/document.ts';
import {
  fileNote,
  marksOf,
  stripLine,
  STATUS_MARKS,
  stripName,
  stripsOf,
} from '../report/sections/evidence.ts';
import {
  isShownValue,
  lacksPasses,
  passWords,
  rateInterval,
  shownNumber,
} from '../report/sections/phrases.ts';
import type { SentPrompts } from '../report/sections/reference-view.ts';
import { count, probability } from '../text/amounts.ts';
import type { Side } from '../types/plain.ts';
import { Actions, testKey, type OpenForm } from './actions.tsx';
import { Chip, LineView } from './blocks.tsx';
import {
  withVisibleText,
  type AttributeData,
  type ScoreData,
  type SideData,
  type TryData,
} from './data.ts';
import { useReport } from './report.ts';
import { isOfSuite, type TestRow } from './tests.ts';
import { PairsView, TranscriptView } from './transcript.tsx';

interface PanelProps {
  test: TestRow;
  chosen: string[];
  form: OpenForm | null;
  setForm(form: OpenForm | null): void;
}

/** Everything about a test: both sides' answers first, then scores, then what was asked. */
export function Panel({ test, chosen, form, setForm }: PanelProps) {
  const { live, sides } = useReport();
  const { reference } = test;
  const [linked, number] = chosen;
  const start = (side: Side) => (linked === side ? Number(number) - 1 : (test[side]?.try ?? 0));
  const [shown, show] = useState({ base: start('base'), head: start('head') });
  const tryOf = (side: Side): TryData | null =>
    reference[side]?.tries.find((made) => made.try === shown[side]) ?? test[side];
  const tries = { base: tryOf('base'), head: tryOf('head') };
  const isPair = reference.base !== null && reference.head !== null;
  const side = (name: Side) => {
    const of = reference[name];
    const title = isPair ? sides[name] : 'Tries';
    return of === null ? null : (
      <div class={name}>
        <h3>
          {title} – {passWords(of)}
        </h3>
        <TryPicker
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
      <TranscriptView {...tries} />
      <div class={isPair ? 'sides' : 'sides one'}>
        <TryJudgement made={tries.base} name="base" isIn={reference.base !== null} />
        <TryJudgement made={tries.head} name="head" isIn={reference.head !== null} />
      </div>
      <Actions {...{ test, tries, form, setForm }} />
      <TestFacts test={test} tries={tries} />
      {live !== null && <SentPrompt test={test} />}
    </div>
  );
}

/** The prompt as sent on both sides, fetched when it is opened. */
function SentPrompt({ test }: { test: TestRow }) {
  const [sent, setSent] = useState<SentPrompts | null>(null);
  const load = async () => {
    const answer = await fetch(`sent?test=${encodeURIComponent(testKey(test))}`).catch(() => null);
    setSent(answer?.ok ? withVisibleText((await answer.json()) as SentPrompts | null) : null);
  };
  const entriesOf = (messages: SentPrompts['base']) =>
    (messages ?? []).map(({ role, content }, at) => ({
      label: `${at + 1}. ${role}`,
      rank: at,
      text: content,
    }));
  return (
    <details onToggle={({ currentTarget: { open } }) => open && void load()}>
      <summary>Prompt as sent</summary>
      {sent !== null && <PairsView base={entriesOf(sent.base)} head={entriesOf(sent.head)} />}
    </details>
  );
}

function TryPicker(props: { of: SideData; shown: number; pick(at: number): void; name: string }) {
  const { of, shown, pick, name } = props;
  return (
    <p class="pick" role="group" aria-label={`${name}: choose a try`}>
      {of.tries.map(({ try: at, outcome }) => (
        <button type="button" aria-pressed={at === shown} onClick={() => pick(at)}>
          {`${lacksPasses(of) ? '' : STATUS_MARKS[outcome]} Try ${at + 1}: ${outcome}`}
        </button>
      ))}
    </p>
  );
}

const COMPLETE: ReadonlySet<string | null> = new Set([null, 'stop', 'tool_calls']);

function TryJudgement({ made, name, isIn }: { made: TryData | null; name: Side; isIn: boolean }) {
  if (!isIn) return null;
  if (made === null) return <div class={name} />;
  const { usage, latency_ms: latency, reused, ended, error, outcome, scores } = made;
  const words = [
    ...(usage === null
      ? []
      : [`${count(usage.input_tokens)} + ${count(usage.output_tokens)} tokens`]),
    ...(latency === null ? [] : [`${count(Math.round(latency))} ms`]),
    ...(reused ? ['reused'] : []),
    ...(COMPLETE.has(ended) ? [] : [`ended by ${ended}`]),
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

function ScoreView({ score }: { score: ScoreData }) {
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
  test: TestRow;
  tries: { base: TryData | null; head: TryData | null };
}

function TestFacts({ test, tries }: FactsProps) {
  const { links, result } = useReport();
  const { reference } = test;
  const { input, expected, file, line, p, q, history, tags, files = [] } = reference;
  return (
    <dl>
      {expected !== null && <TextFact name="expected">{expectedText(expected)}</TextFact>}
      {Object.entries(input).map(([name, value]) => (
        <TextFact name={name}>{String(value)}</TextFact>
      ))}
      {files.map((shown) => (
        <NamedFact name={shown.type}>
          <code>{shown.path}</code> {fileNote(shown)}
        </NamedFact>
      ))}
      {stripsOf(tries.base, tries.head).map((strip) => (
        <NamedFact name={`${strip.metric} ${stripName(strip)}`}>
          <span class="strip">
            <LineView line={stripLine(strip, Infinity)} links={links} />
          </span>
        </NamedFact>
      ))}
      <NamedFact name="at">
        <LineView line={[place(file, line, standsOn(reference))]} links={links} />
      </NamedFact>
      {tags.length > 0 && (
        <NamedFact name="tags">
          <LineView line={tags.map((tag) => code(tag))} links={links} />
        </NamedFact>
      )}
      {p !== null && q !== null && (
        <NamedFact name="p, q">
          <code>{`${probability(p)}, ${probability(q)}`}</code>{' '}
          <span class="soft">
            p: chance that head passes this much less often if nothing changed. q: expected share of
            false alarms if tests like it are called regressed.
          </span>
        </NamedFact>
      )}
      {history !== undefined && (
        <NamedFact name="passed so far on base">
          {`${count(history.passes)} of ${count(history.tries)}, 95 % interval ${rateInterval(history)}`}
        </NamedFact>
      )}
      {result.attributes
        .filter((attribute) => isRated(attribute, test))
        .map((attribute) => (
          <NamedFact name={attribute.name}>{ratingWords(attribute, reference.id)}</NamedFact>
        ))}
    </dl>
  );
}

function isRated(attribute: AttributeData, { suite, reference: { id } }: TestRow): boolean {
  const { references, ratings = [] } = attribute;
  return (
    isOfSuite(attribute, suite) &&
    (references.includes(id) || ratings.some(({ reference }) => reference === id))
  );
}

function ratingWords({ kind, ratings = [] }: AttributeData, id: string): string {
  const rating = ratings.find(({ reference }) => reference === id);
  const noun = kind === 'domain' ? 'domain' : 'sub-task';
  if (rating === undefined) return noun;
  const { affinity, evidence } = rating;
  const rated = affinity === null ? 'not rated' : `affinity ${affinity} of 5`;
  return `${noun}, ${rated}${evidence === '' ? '' : `: ${evidence}`}`;
}

/** Longer texts are folded. */
const SHORT = 400;

function TextFact({ name, children }: { name: string; children: string }) {
  return (
    <NamedFact name={name}>
      {children.length > SHORT ? (
        <details>
          <summary>{children.slice(0, SHORT / 4)}…</summary>
          <pre>{children}</pre>
        </details>
      ) : (
        <code>{children}</code>
      )}
    </NamedFact>
  );
}

function NamedFact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
