import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { LiveState } from '../report/sections/saved-view.ts';
import { withVisibleText, type LiveData, type ViewData } from './data.ts';
import { useReport, type Live } from './report.ts';
import { useKeys } from './row.tsx';

const FIRST_STATE: LiveState = {
  note: 'opening',
  isBad: false,
  isOld: false,
  isRunning: false,
  spend: '',
  undo: null,
  problems: [],
  draft: null,
};

const ENDED_NOTE = 'evaldiff dev has ended. This is what it last showed; start it again.';

/** Follows `evaldiff dev`, which announces each change. */
export function useLive(): { view: ViewData | null; live: Live } {
  const [view, setView] = useState<ViewData | null>(null);
  const [state, setState] = useState(FIRST_STATE);
  const [reply, setReply] = useState({ said: '', bad: false });
  const [isGone, setGone] = useState(false);
  const focus = useFocusKept(view);
  useEffect(() => {
    const events = new EventSource('events');
    const load = coalesced(async () => {
      const answer = await fetch('view').catch(() => null);
      if (answer?.ok !== true) return;
      const found = withVisibleText((await answer.json()) as LiveData);
      focus();
      setState(found.state);
      setView(found.view);
    });
    events.addEventListener('view', load);
    events.addEventListener('state', ({ data }: MessageEvent<string>) =>
      setState(withVisibleText(JSON.parse(data) as LiveState)),
    );
    events.addEventListener('open', () => {
      setGone(false);
      load();
    });
    events.addEventListener('error', () => setGone(true));
    return () => events.close();
  }, []);
  const act: Live['act'] = async (action) => {
    const answer = await fetch('act', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(action),
    }).catch(() => null);
    if (answer?.ok !== true) setGone(true);
    const found = withVisibleText(await (answer?.json().catch(() => null) ?? null)) as
      typeof reply | null;
    setReply(found ?? { said: 'evaldiff dev could not do this', bad: true });
    return found?.bad === false;
  };
  const shown = isGone
    ? { ...state, note: ENDED_NOTE, isBad: true }
    : { ...state, isBad: state.isBad || reply.bad };
  const { prompts = [], notes = [], canStart = false } = view?.live ?? {};
  return { view, live: { state: shown, reply: reply.said, act, prompts, notes, canStart } };
}

/** Runs `work` again if it was wanted during a run. */
function coalesced(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isWanted = false;
  const run = async () => {
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await work();
    }
    isRunning = false;
  };
  return () => {
    isWanted = true;
    if (!isRunning) void run();
  };
}

/** Moving an element in the document takes its focus. */
function useFocusKept(view: unknown): () => void {
  const held = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const { current } = held;
    if (current instanceof HTMLElement && current.isConnected && current !== document.activeElement)
      current.focus({ preventScroll: true });
    held.current = null;
  }, [view]);
  return () => {
    held.current = document.activeElement;
  };
}

/** What `evaldiff dev` does and costs. Stays in sight. */
export function LiveBar({ live }: { live: Live }) {
  const { state, reply, act } = live;
  useKeys(({ key }) => {
    if (key === 'u') void act({ kind: 'undo' });
  });
  return (
    <header class="bar">
      <b>evaldiff dev</b>
      <span role="status" class={state.isBad ? 'state bad' : 'state'}>
        {[reply, state.note].filter(Boolean).join(' · ')}
      </span>
      <span>{state.spend}</span>
      <button type="button" onClick={() => void act({ kind: 'raise' })}>
        Allow as much again
      </button>
      <button
        type="button"
        disabled={state.undo === null}
        title={state.undo ?? ''}
        onClick={() => void act({ kind: 'undo' })}
      >
        Undo (u)
      </button>
    </header>
  );
}

/** Errors in the files, above the last valid state. */
export function LiveNotes() {
  const { live } = useReport();
  if (live === null) return null;
  const { state, notes, act } = live;
  return (
    <>
      {state.problems.length > 0 && (
        <section class="verdict bad" role="alert">
          <b>The files have errors.</b> Below is the last valid state.
          <ul>
            {state.problems.map((problem) => (
              <li>{problem}</li>
            ))}
          </ul>
        </section>
      )}
      {state.isOld && state.problems.length === 0 && (
        <p class="soft" role="status">
          The files have changed since this was shown.
        </p>
      )}
      {state.draft !== null && (
        <p class="verdict open">
          Head is the unsaved text of <code>{state.draft}</code>.{' '}
          <button type="button" onClick={() => void act({ kind: 'discard' })}>
            Discard it
          </button>
        </p>
      )}
      {notes.map((note) => (
        <p class="soft">{note}</p>
      ))}
    </>
  );
}
