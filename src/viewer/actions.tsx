import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { answerKey, partText, visibleParts } from '../report/answers/text.ts';
import { promptKey, suiteIdentity } from '../report/sections/order.ts';
import { sentKey } from '../report/sections/reference-view.ts';
import type { LivePrompt } from '../report/sections/saved-view.ts';
import { visible } from '../text/visible.ts';
import type { Part } from '../types/answer.ts';
import type { Side } from '../types/plain.ts';
import { rawOf, type TryData } from './data.ts';
import { useReport, type Live } from './report.ts';
import type { TestRow } from './tests.ts';

/** The form that is open in a test. */
export interface OpenForm {
  kind: FormKind;
  side: Side;
}

type FormKind = 'accept' | 'rate' | 'tag' | 'skip' | 'comment' | 'add' | 'prompt';

export const FORM_KEYS: Readonly<Record<string, FormKind>> = {
  a: 'accept',
  t: 'tag',
  s: 'skip',
  c: 'comment',
  n: 'add',
  e: 'prompt',
};

/** Names a test in requests. */
export function testKey({ suite, reference }: TestRow): string {
  return sentKey(rawOf(suite), rawOf(reference).id);
}

export function moreTries({ act }: Live, test: TestRow, side: Side): void {
  void act({ kind: 'run', test: testKey(test), side });
}

interface ActionsProps {
  test: TestRow;
  tries: Record<Side, TryData | null>;
  form: OpenForm | null;
  setForm(form: OpenForm | null): void;
}

/** What `evaldiff dev` can do with a test. */
export function Actions({ test, tries, form, setForm }: ActionsProps) {
  const { live } = useReport();
  if (live === null) return null;
  const { base, head } = test.reference;
  const prompt = live.prompts.find((each) => rawOf(each).key === promptKey(rawOf(test.suite)));
  const answers = (['head', 'base'] as const).filter((side) => Boolean(tries[side]?.parts));
  const sideWords = (side: Side) =>
    base === null || head === null ? 'this answer' : `${side}'s answer`;
  const open = (kind: FormKind, side: Side = 'head') => setForm({ kind, side });
  return (
    <div class="acts">
      {answers.map((side) => (
        <Button onClick={() => open('accept', side)}>
          {`Accept ${sideWords(side)}${side === answers[0] ? ' (a)' : ''}`}
        </Button>
      ))}
      {(prompt?.rubrics.length ?? 0) > 0 &&
        answers.map((side) => (
          <Button onClick={() => open('rate', side)}>{`Rate ${sideWords(side)}`}</Button>
        ))}
      <Button onClick={() => moreTries(live, test, 'head')}>Run 3 more tries (m)</Button>
      {base !== null && head !== null && (
        <Button onClick={() => moreTries(live, test, 'base')}>Run 3 more on both sides</Button>
      )}
      <Button
        onClick={() =>
          void live.act({ kind: 'run-suite', suite: suiteIdentity(rawOf(test.suite)) })
        }
      >
        Run the suite
      </Button>
      <Button onClick={() => open('tag')}>Tag (t)</Button>
      <Button onClick={() => open('skip')}>Skip (s)</Button>
      <Button onClick={() => open('comment')}>Comment (c)</Button>
      <Button onClick={() => open('add')}>New test (n)</Button>
      <Button onClick={() => open('prompt')}>Edit prompt (e)</Button>
      {form?.kind === 'prompt' && prompt !== undefined && (
        <PromptEditor prompt={prompt} close={() => setForm(null)} />
      )}
      {form !== null && form.kind !== 'prompt' && (
        <TestForm key={`${form.kind} ${form.side}`} {...{ test, tries, form, setForm, prompt }} />
      )}
    </div>
  );
}

function Button({ onClick, children }: { onClick(): void; children: ComponentChildren }) {
  return (
    <button type="button" onClick={onClick}>
      {children}
    </button>
  );
}

function TestForm(props: ActionsProps & { form: OpenForm; prompt: LivePrompt | undefined }) {
  const { test, tries, form, setForm, prompt } = props;
  const { live } = useReport();
  const { kind, side } = form;
  const made = tries[side];
  const parts = made === null ? [] : ((rawOf(made).parts ?? []) as Part[]);
  const send = async (given: FormData) => {
    const content = contentOf(kind, given, parts, prompt);
    return (await live?.act({ kind, test: testKey(test), side, ...content })) === true;
  };
  return (
    <KeptForm name={`${kind} ${side} ${test.key}`} send={send} close={() => setForm(null)}>
      <Fields {...{ kind, parts, prompt, test }} />
    </KeptForm>
  );
}

interface FieldsProps {
  kind: FormKind;
  parts: readonly Part[];
  prompt: LivePrompt | undefined;
  test: TestRow;
}

function Fields({ kind, parts, prompt, test }: FieldsProps) {
  switch (kind) {
    case 'accept':
      return <AcceptFields parts={parts} spans={prompt?.spans ?? []} />;
    case 'rate':
      return <RateFields rubrics={prompt?.rubrics ?? []} />;
    case 'tag':
      return <TextField label="Tag" name="tag" />;
    case 'skip':
      return <TextField label="Why it is skipped" name="reason" />;
    case 'comment':
      return <TextField label="Comment" name="text" />;
    case 'prompt':
      return null;
    case 'add':
      return <NewTestFields variables={Object.keys(rawOf(test.reference.input))} />;
  }
}

function contentOf(
  kind: FormKind,
  given: FormData,
  parts: readonly Part[],
  prompt: LivePrompt | undefined,
): object {
  const answer = answerKey(parts);
  if (kind === 'accept') return { answer, ...acceptedPart(parts, given) };
  if (kind === 'rate') return { answer, ...ratingIn(given, prompt) };
  return kind === 'add' ? newTestIn(given) : Object.fromEntries(given);
}

/** Unsaved texts of prompts, by the prompt's key. */
const drafts = new Map<string, { text: string; read: string }>();

/** Edits a prompt's file. Its answers are shown before it is saved. */
function PromptEditor({ prompt, close }: { prompt: LivePrompt; close(): void }) {
  const { live } = useReport();
  const { key, text, path } = rawOf(prompt);
  const [draft, setDraft] = useState(drafts.get(key) ?? { text, read: text });
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => void drafts.set(key, draft), [draft]);
  const isChanged = text !== draft.read;
  const leave = () => {
    drafts.delete(key);
    close();
  };
  const act = (kind: string, more = {}) => {
    // A text field has no carriage returns.
    const written = text.includes('\r\n') ? draft.text.replaceAll(/\r?\n/g, '\r\n') : draft.text;
    return live?.act({ kind, prompt: key, text: written, ...more }) ?? Promise.resolve(false);
  };
  const save = async () => {
    if (await act('save', { read: text })) leave();
  };
  return (
    <div class="fields">
      <label>
        {visible(path)}{' '}
        <textarea
          rows={12}
          value={draft.text}
          ref={field}
          onInput={({ currentTarget: { value } }) => setDraft({ ...draft, text: value })}
        />
      </label>
      {isChanged && (
        <>
          <p role="alert">The file has changed on disk. It is now:</p>
          <pre>{visible(text)}</pre>
        </>
      )}
      <span class="acts">
        <Button onClick={() => void act('draft')}>Try it unsaved</Button>
        <Button onClick={() => void save()}>{isChanged ? 'Overwrite the file' : 'Save'}</Button>
        {isChanged && (
          <Button onClick={() => setDraft({ text, read: text })}>Take the file's text</Button>
        )}
        <Button onClick={leave}>Cancel</Button>
      </span>
    </div>
  );
}

/** What was typed and not yet saved, because rows far from the window are removed. */
const typed = new Map<string, string>();

interface FormProps {
  /** Keeps what is typed in it apart from other forms. */
  name: string;
  send(given: FormData): Promise<boolean>;
  close: (() => void) | null;
  children: ComponentChildren;
}

function KeptForm({ name, send, close, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const fields = [...(form.current?.elements ?? [])].filter(isTextField);
    for (const field of fields) field.value = typed.get(`${name} ${field.name}`) ?? field.value;
    if (close !== null) form.current?.querySelector<HTMLElement>('[data-first], button')?.focus();
  }, []);
  /** Keys apply to the test again. */
  const leave = () => {
    if (close === null) return;
    form.current?.closest('.case')?.querySelector('summary')?.focus();
    close();
  };
  return (
    <form
      ref={form}
      class="fields"
      onInput={({ target }) => {
        if (isTextField(target)) typed.set(`${name} ${target.name}`, target.value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && close !== null) {
          event.stopPropagation();
          leave();
        } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
          form.current?.requestSubmit();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void send(new FormData(event.currentTarget)).then((isDone) => {
          if (!isDone) return;
          for (const key of typed.keys()) if (key.startsWith(`${name} `)) typed.delete(key);
          form.current?.reset();
          leave();
        });
      }}
    >
      {children}
      <span>
        <button>Write</button> {close !== null && <Button onClick={leave}>Cancel</Button>}
      </span>
    </form>
  );
}

function isTextField(field: unknown): field is HTMLInputElement | HTMLTextAreaElement {
  return (
    field instanceof HTMLTextAreaElement ||
    (field instanceof HTMLInputElement && field.type !== 'checkbox')
  );
}

function TextField({ label, name }: { label: string; name: string }) {
  return (
    <label>
      {label} <input name={name} required data-first />
    </label>
  );
}

function NewTestFields({ variables }: { variables: readonly string[] }) {
  return (
    <>
      {variables.map((name, at) => (
        <label>
          {visible(name)} <textarea name={`input:${name}`} data-first={at === 0 || undefined} />
        </label>
      ))}
      <label>
        Expected <textarea name="expected" />
      </label>
    </>
  );
}

function newTestIn(given: FormData) {
  const entries = [...given].map(([name, value]) => [name, String(value)] as const);
  return {
    input: Object.fromEntries(
      entries.flatMap(([name, value]) =>
        name.startsWith('input:') ? [[name.slice('input:'.length), value]] : [],
      ),
    ),
    expected: String(given.get('expected')),
  };
}

/** Asks what a metric compares: a part of the text, or some of the calls. */
function AcceptFields({ parts, spans }: { parts: readonly Part[]; spans: readonly string[] }) {
  const calls = parts.filter(({ type }) => type === 'tool_call');
  const text = wholeText(parts);
  if (calls.length > 0)
    return (
      <fieldset>
        <legend>Which calls must an answer make?</legend>
        {calls.map((call, at) => (
          <label>
            <input type="checkbox" name="call" value={at} checked />{' '}
            <code>{visible(partText(call))}</code>
          </label>
        ))}
      </fieldset>
    );
  if (text === null) return <p>The answer becomes the expected value.</p>;
  if (spans.length === 0)
    return (
      <label>
        Expected text <textarea name="text" defaultValue={text} />
      </label>
    );
  const chosen = String(getSelection());
  return (
    <label>
      {`Expected text. ${spans.join(', ')} looks for it in the answer: keep only the words that must be there.`}{' '}
      <textarea
        name="text"
        data-first
        defaultValue={chosen !== '' && text.includes(chosen) ? chosen : text}
      />
    </label>
  );
}

function wholeText(parts: readonly Part[]): string | null {
  const [only, ...others] = visibleParts(parts);
  return only?.type === 'text' && others.length === 0 ? visible(only.text) : null;
}

function acceptedPart(parts: readonly Part[], given: FormData) {
  const text = given.get('text');
  // A text field changes line breaks.
  const isWhole = text === null || text === wholeText(parts)?.replaceAll(/\r\n?/g, '\n');
  if (!isWhole) return { text: String(text).replaceAll('\r\n', '\n') };
  const calls = given.getAll('call').map(Number);
  const isEvery = calls.length === parts.filter(({ type }) => type === 'tool_call').length;
  return isEvery ? {} : { calls };
}

function RateFields({ rubrics }: { rubrics: LivePrompt['rubrics'] }) {
  return (
    <label>
      Rubric and label{' '}
      <select name="rating" data-first>
        {rubrics.map(({ name, labels }, at) => (
          <optgroup label={name}>
            {labels.map((label, index) => (
              <option value={`${String(at)} ${String(index)}`}>{`${name}: ${label}`}</option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

function ratingIn(given: FormData, prompt: LivePrompt | undefined) {
  const [rubric = 0, label = 0] = String(given.get('rating')).split(' ').map(Number);
  const chosen = prompt === undefined ? undefined : rawOf(prompt).rubrics[rubric];
  return { rubric: chosen?.name, label: chosen?.labels[label] };
}

/** Forms for the first test of prompts without tests. */
export function FirstTests() {
  const { live } = useReport();
  const empty = live?.prompts.filter(({ isEmpty }) => isEmpty) ?? [];
  return (
    <>
      {empty.map((prompt) => (
        <section class="verdict" key={prompt.key}>
          <h2>{prompt.name}</h2>
          <p class="soft">It has no tests yet.</p>
          <KeptForm
            name={`first ${prompt.key}`}
            send={(given) =>
              live?.act({ kind: 'first', prompt: rawOf(prompt).key, ...newTestIn(given) }) ??
              Promise.resolve(false)
            }
            close={null}
          >
            <NewTestFields variables={rawOf(prompt).variables} />
          </KeptForm>
        </section>
      ))}
    </>
  );
}
