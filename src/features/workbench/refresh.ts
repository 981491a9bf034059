import { filesNamed, type EditEvents } from '../../app/session/watch.ts';
import { UserError, formatProblem } from '../../errors.ts';
import type { Result } from '../../kernel/result/result.ts';
import { reasonsInWords } from '../../wording/reasons.ts';
import type { WorkLook } from './evaluate.ts';
import { look, requestMoreTries, type OpenProject, type Onlooker } from './look.ts';
import type { Single } from './narrow-session.ts';
import type { Workbench } from './server.ts';
import { spendWords, type Spend } from './workbench.ts';
import type { WrittenEdit } from './write-back.ts';

export interface WorkbenchState {
  look: WorkLook | null;
  /** Whether the files have changed since the last evaluation. */
  old: boolean;
  more: Map<string, Result>;
  spend: Spend;
  /** Edits that the workbench wrote, oldest first. */
  written: WrittenEdit[];
  /** Files that are missing or invalid. */
  named: string[];
  note: string;
  bad: boolean;
}

export interface Refresher {
  serve(server: Workbench): void;
  /** Evaluates again. Without `news`, the files are unchanged. */
  refresh(news?: EditEvents): Promise<void>;
  more(key: string, single: Single): Promise<void>;
  /** Announces an edit. Call the returned function once the file is written. */
  writing(): () => void;
  /** Resolves once the page shows the last edit. */
  caughtUp(): Promise<void>;
  idle(): Promise<void>;
  /** Aborted if an evaluation fails, but not for invalid files. */
  failed: AbortSignal;
}

/** Runs one evaluation at a time. Never rejects, because a button does not await its evaluation. */
export function createRefresher(project: OpenProject, state: WorkbenchState): Refresher {
  let server: Workbench | null = null;
  let last: Promise<void> = Promise.resolve();
  const [looks, failure] = [countLooks(), new AbortController()];
  let news: EditEvents = { edited: new AbortController().signal, follow: () => undefined };
  const tell: Tell = (note, bad = false) => {
    Object.assign(state, { note, bad });
    server?.tell('state', { note, bad, old: state.old, spend: spendWords(state.spend) });
  };
  const draw = (): void => {
    server?.tell('board', {});
    looks.drawn();
  };
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    last = last.then(work).catch((error: unknown) => {
      if (!(error instanceof UserError)) return failure.abort(error);
      state.named = filesNamed(error.problems);
      tell(error.problems.map(formatProblem).join(' · '), true);
      draw();
    });
    return last;
  };
  const onlooker = (): Omit<Onlooker, 'show'> => ({
    edited: news.edited,
    progress(line) {
      const words = line.trim();
      if (words !== '' && !news.edited.aborted) tell(words);
    },
    paid(cost) {
      state.spend.calls += 1;
      state.spend.cost += cost ?? 0;
      state.spend.unpriced ||= cost === null;
    },
  });
  const follow = (latest: EditEvents): void => {
    news = latest;
    latest.edited.addEventListener('abort', () => {
      state.old = true;
      tell('the files have changed: reading them');
    });
  };
  return {
    serve(workbench) {
      server = workbench;
    },
    writing: looks.writing,
    caughtUp: looks.caughtUp,
    idle: () => last,
    failed: failure.signal,
    refresh: (latest) => {
      if (latest !== undefined) follow(latest);
      return inTurn(() => {
        looks.begin();
        return refresh(project, state, { ...onlooker(), follow: news.follow }, { tell, draw });
      });
    },
    more: (key, single) =>
      inTurn(() => more(project, state, { key, single, onlooker: onlooker() }, { tell, draw })),
  };
}

function countLooks() {
  let [begun, latest, wanted] = [0, 0, 0];
  let waiting: (() => void)[] = [];
  return {
    begin() {
      begun += 1;
    },
    drawn() {
      latest = begun;
      if (latest < wanted) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    writing() {
      // Computed now, because the next evaluation may begin before the returned function is called.
      const next = begun + 1;
      return () => {
        wanted = Math.max(wanted, next);
      };
    },
    caughtUp: () =>
      latest >= wanted ? Promise.resolve() : new Promise<void>((go) => waiting.push(go)),
  };
}

interface Telling {
  tell: Tell;
  draw(): void;
}

async function more(
  project: OpenProject,
  state: WorkbenchState,
  { key, single, onlooker }: { key: string; single: Single; onlooker: Omit<Onlooker, 'show'> },
  { tell, draw }: Telling,
): Promise<void> {
  tell(`requesting more tries of ${single.id}`);
  const result = await requestMoreTries(project, leftToSpend(state), single, onlooker);
  // Another evaluation follows, because the files changed.
  if (result === null) return;
  const refused = notEvaluatedReason(result);
  if (refused === null) state.more.set(key, result);
  tell(
    refused ?? `${single.id} has more tries; the headline does not include them`,
    refused !== null,
  );
  draw();
}

type Tell = (note: string, bad?: boolean) => void;

async function refresh(
  project: OpenProject,
  state: WorkbenchState,
  onlooker: Omit<Onlooker, 'show'> & Pick<EditEvents, 'follow'>,
  { tell, draw }: Telling,
): Promise<void> {
  if (onlooker.edited.aborted) return;
  tell('reading the files');
  let isFirst = true;
  const found = await look(project, leftToSpend(state), {
    ...onlooker,
    show(stored) {
      const named = filesNamed(stored.result.problems);
      Object.assign(state, { look: stored, old: false, named });
      onlooker.follow(stored.files);
      state.more.clear();
      const wrong = notEvaluatedReason(stored.result);
      if (isFirst)
        tell(
          wrong ?? (stored.missing ? 'requesting missing answers' : 'up to date'),
          wrong !== null,
        );
      isFirst = false;
      draw();
    },
  });
  if (found === null || found === state.look) return;
  // If the plan exceeds the caps, the page keeps the stored answers.
  const refused = notEvaluatedReason(found.result);
  if (refused === null) state.look = found;
  const { kind } = found.result.outcome;
  const isEnded = kind === 'ended-early' || kind === 'not-judged';
  const ended = isEnded ? (reasonsInWords(found.result)[0] ?? found.result.title) : null;
  const why = refused ?? ended;
  tell(why ?? 'up to date', why !== null);
  draw();
}

function notEvaluatedReason({ outcome, problems }: Result): string | null {
  return outcome.kind === 'not-evaluated' ? problems.map(formatProblem).join(' · ') : null;
}

function leftToSpend({ spend }: WorkbenchState): Pick<Spend, 'maxCalls' | 'maxCost'> {
  return {
    maxCalls: Math.max(0, spend.maxCalls - spend.calls),
    maxCost: Math.max(0, spend.maxCost - spend.cost),
  };
}
