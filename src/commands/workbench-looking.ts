import { UserError, formatProblem } from '../errors.ts';
import { spendWords, type Spend } from '../report/page/workbench.ts';
import type { Result } from '../result/result.ts';
import {
  look,
  lookAtOne,
  type WorkLook,
  type LookOptions,
  type Single,
} from './workbench-engine.ts';
import type { Workbench } from './workbench-server.ts';
import type { WrittenEdit } from './workbench-write-back.ts';

/** All that the page shows, and what may still be spent. */
export interface State {
  look: WorkLook | null;
  /** References with more tries than the verdict has, by their rows. */
  more: Map<string, Result>;
  spend: Spend;
  /** What was written into the project's files, the last of it last. */
  written: WrittenEdit[];
  /** What is going on, in a sentence. */
  note: string;
  bad: boolean;
}

export interface Looking {
  serve(server: Workbench): void;
  /** Shows what is stored, then asks for what is missing within the limit. */
  refresh(): Promise<void>;
  /** Asks for more tries of one reference. */
  more(key: string, single: Single): Promise<void>;
  /** Resolves when no look is under way. */
  idle(): Promise<void>;
}

/** The windows that are told, and the looks, one after the other: each spends what those before left. */
export function createLooking(given: LookOptions, state: State): Looking {
  let server: Workbench | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const tell = (note: string, bad = false): void => {
    Object.assign(state, { note, bad });
    server?.tell('state', { note, bad, spend: spendWords(state.spend) });
  };
  const draw = (): void => {
    server?.tell('board', {});
  };
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const next = last.then(work).catch((error: unknown) => {
      if (!(error instanceof UserError)) throw error;
      tell(error.problems.map(formatProblem).join(' · '), true);
      draw();
    });
    last = next.catch(() => undefined);
    return next;
  };
  return {
    serve(workbench) {
      server = workbench;
    },
    idle: async () => {
      await last;
    },
    refresh: () => inTurn(() => refresh(given, state, tell, draw)),
    more: (key, single) =>
      inTurn(async () => {
        tell(`asking for more tries of ${single.id}`);
        const result = await lookAtOne(given, left(state), single);
        paid(state, result);
        const refused = refusalOf(result);
        if (refused === null) state.more.set(key, result);
        tell(
          refused ?? `${single.id} has more tries, which the headline does not count`,
          refused !== null,
        );
        draw();
      }),
  };
}

type Tell = (note: string, bad?: boolean) => void;

async function refresh(
  given: LookOptions,
  state: State,
  tell: Tell,
  draw: () => void,
): Promise<void> {
  tell('looking at the files');
  const asked = await look(given, left(state), (stored) => {
    state.look = stored;
    state.more.clear();
    const wrong = refusalOf(stored.result);
    tell(wrong ?? (stored.missing ? 'asking for what is missing' : 'up to date'), wrong !== null);
    draw();
  });
  if (asked === state.look) return;
  paid(state, asked.result);
  // A plan beyond the limit is refused as a whole: what is stored stays in view, and why.
  const refused = refusalOf(asked.result);
  if (refused === null) state.look = asked;
  const { outcome } = asked.result;
  const ended =
    outcome.kind === 'ended-early' || outcome.kind === 'not-judged' ? outcome.why : null;
  const why = refused ?? ended;
  tell(why ?? 'up to date', why !== null);
  draw();
}

/** Why nothing was evaluated; null: something was. */
function refusalOf({ outcome, problems }: Result): string | null {
  return outcome.kind === 'not-evaluated' ? problems.map(formatProblem).join(' · ') : null;
}

/** What may still be spent. */
function left({ spend }: State): Pick<Spend, 'maxCalls' | 'maxCost'> {
  return {
    maxCalls: Math.max(0, spend.maxCalls - spend.calls),
    maxCost: Math.max(0, spend.maxCost - spend.cost),
  };
}

function paid({ spend }: State, { usage }: Result): void {
  spend.calls += usage.calls;
  spend.cost += usage.cost_usd ?? 0;
}
