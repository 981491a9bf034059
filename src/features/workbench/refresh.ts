import type { Feature } from '../../app/run/feature.ts';
import { filesNamed, type EditEvents } from '../../app/session/watch.ts';
import { UserError, formatProblem } from '../../errors.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { LiveState } from '../../report/sections/saved-view.ts';
import { formatDollars } from '../../text/amounts.ts';
import type { Problem } from '../../types/plain.ts';
import { reasonsInWords } from '../../wording/reasons.ts';
import { shownTexts, withFurtherTries, type LookState } from './live-view.ts';
import { look, runSingle, type OpenProject, type Onlooker } from './look.ts';
import type { SingleRun } from './narrow-session.ts';
import type { Workbench } from './server.ts';
import type { WrittenEdit } from './write-back.ts';

export interface Spend {
  calls: number;
  maxCalls: number;
  cost: number;
  maxCost: number;
  unpriced: boolean;
}

export interface WorkbenchState extends LookState, Omit<LiveState, 'spend' | 'undo' | 'draft'> {
  spend: Spend;
  /** Edits that the workbench wrote, oldest first. */
  written: WrittenEdit[];
  /** The files that `problems` name. */
  named: string[];
}

export function initialState(spend: Spend): WorkbenchState {
  return {
    look: null,
    found: null,
    priced: null,
    isOld: false,
    isRunning: false,
    spend,
    written: [],
    problems: [],
    named: [],
    note: 'reading the files',
    isBad: false,
  };
}

export function liveState(state: WorkbenchState, draft: string | null = null): LiveState {
  const { note, isBad, isOld, isRunning, spend, written, problems } = state;
  const undo = written.at(-1)?.what ?? null;
  return { note, isBad, isOld, isRunning, spend: spendWords(spend), undo, problems, draft };
}

export function spendWords({ calls, maxCalls, cost, maxCost, unpriced }: Spend): string {
  const besides = unpriced ? ', plus calls without a known price' : '';
  return (
    `${formatDollars(cost)} of ${formatDollars(maxCost)} spent${besides} · ` +
    `${calls} of ${maxCalls} calls`
  );
}

export interface Refresher {
  serve(server: Workbench): void;
  /** Evaluates again. Without `news`, the files are unchanged. */
  refresh(news?: EditEvents): Promise<void>;
  run(asked: SingleRun): Promise<void>;
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
  const looks = countLooks();
  const failure = new AbortController();
  let news: EditEvents = { edited: new AbortController().signal, follow: () => undefined };
  const tell: Tell = (note, isBad = false) => {
    Object.assign(state, { note, isBad });
    server?.tell('state', liveState(state, project.draft?.file));
  };
  const draw = (): void => {
    server?.tell('view', {});
    looks.drawn();
  };
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    last = last.then(work).catch((error: unknown) => {
      if (!(error instanceof UserError)) return failure.abort(error);
      setProblems(state, error.problems);
      tell(brokenNote(state), true);
      draw();
    });
    return last;
  };
  const onlooker = (): Omit<Onlooker, 'show'> => spendingOnlooker(state.spend, news.edited, tell);
  const follow = (latest: EditEvents): void => {
    news = latest;
    latest.edited.addEventListener('abort', () => {
      Object.assign(state, { isOld: true, isRunning: false });
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
    run: (asked) => inTurn(() => runNow(project, state, asked, onlooker(), { tell, draw })),
  };
}

function spendingOnlooker(spend: Spend, edited: AbortSignal, tell: Tell): Omit<Onlooker, 'show'> {
  return {
    edited,
    progress(line) {
      const words = line.trim();
      if (words !== '' && !edited.aborted) tell(words);
    },
    paid(cost) {
      spend.calls += 1;
      spend.cost += cost ?? 0;
      spend.unpriced ||= cost === null;
    },
  };
}

function setProblems(state: WorkbenchState, problems: readonly Problem[]): void {
  state.isRunning = false;
  state.problems = problems.map(formatProblem);
  state.named = filesNamed(problems);
}

function brokenNote({ look: shown }: WorkbenchState): string {
  return shown === null || isNotRead(shown.result)
    ? 'the files have errors'
    : 'the files have errors; the last valid state is shown';
}

function countLooks() {
  let begun = 0;
  let latest = 0;
  let wanted = 0;
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

async function runNow(
  project: OpenProject,
  state: WorkbenchState,
  asked: SingleRun,
  onlooker: Omit<Onlooker, 'show'>,
  { tell, draw }: Telling,
): Promise<void> {
  const { feature } = asked;
  const name = asked.id ?? asked.suite.name;
  const { look: shown } = state;
  state.isRunning = true;
  tell(`running ${name}`);
  // The run uses the unsaved text that the page showed, which may have changed since.
  const own = { ...project, draft: shown?.draft ?? null };
  const result = await runSingle(own, leftToSpend(state), asked, onlooker);
  // Another evaluation follows, because the files changed.
  if (result === null) return;
  state.isRunning = false;
  const refused = notEvaluatedReason(result);
  if (refused === null && shown !== null) {
    if (feature === undefined) state.look = withFurtherTries(shown, result);
    else state.found = { parts: resultParts(feature, result), texts: shownTexts(shown) };
  }
  tell(refused ?? `${name} was run; the headline does not count this`, refused !== null);
  draw();
}

function resultParts({ result: keys }: Feature, result: Result): Partial<Result> {
  const own = Object.keys(keys?.run ?? {});
  return Object.fromEntries(Object.entries(result).filter(([key]) => own.includes(key)));
}

type Tell = (note: string, isBad?: boolean) => void;

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
      const isBroken = isNotRead(stored.result);
      setProblems(state, isBroken ? stored.result.problems : []);
      onlooker.follow(stored.files);
      if (!isBroken || state.look === null || isNotRead(state.look.result))
        Object.assign(state, { look: stored, isOld: false });
      state.isRunning = stored.missing && !isBroken;
      const progress = stored.missing ? 'requesting missing answers' : 'up to date';
      if (isFirst) tell(isBroken ? brokenNote(state) : progress, isBroken);
      isFirst = false;
      draw();
    },
  });
  if (onlooker.edited.aborted) return;
  state.isRunning = false;
  if (found === null || found === state.look || state.problems.length > 0) return;
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

function isNotRead({ outcome, suites }: Result): boolean {
  return outcome.kind === 'not-evaluated' && suites.length === 0;
}

function notEvaluatedReason({ outcome, problems }: Result): string | null {
  return outcome.kind === 'not-evaluated' ? problems.map(formatProblem).join(' · ') : null;
}

export function leftToSpend({ spend }: WorkbenchState): Pick<Spend, 'maxCalls' | 'maxCost'> {
  return {
    maxCalls: Math.max(0, spend.maxCalls - spend.calls),
    maxCost: Math.max(0, spend.maxCost - spend.cost),
  };
}
