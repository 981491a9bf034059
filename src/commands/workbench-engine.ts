import { UserError, formatProblem } from '../errors.ts';
import type { Prepared } from '../plan/prepared.ts';
import type { SentPrompts } from '../report/sections/reference-view.ts';
import type { SideResult } from '../result/reference-result.ts';
import type { Result } from '../result/result.ts';
import type { Edges } from '../run/input.ts';
import { run } from '../run/run.ts';
import { sentPrompts } from '../session/sent-prompts.ts';
import { runInput, withEdges, type Session } from '../session/session.ts';
import { findLocalSides, WORKTREE, type Sides } from '../session/sides.ts';
import type { EvaluateOptions } from './options.ts';
import { currentFiles, withProject } from './project.ts';
import type { Terminal } from './terminal.ts';
import type { RubricChoice } from './workbench-acts.ts';

/** What one look at the files came to. */
export interface WorkLook {
  /** What a pull request would get; a sweep of the files where there is nothing to compare with. */
  result: Result;
  /** Every reference of the files with the answers that are stored; null: not looked at. */
  all: Result | null;
  sent: ReadonlyMap<string, SentPrompts>;
  /** The rubrics of the project's own files that judge a prompt, by its name. */
  rubrics: ReadonlyMap<string, RubricChoice[]>;
  /** Paths of the project's files, to be watched. */
  files: string[];
  /** Answers are missing that nobody has been asked for. */
  missing: boolean;
  interrupted: boolean;
  /** Why there is no base; null: there is one. */
  alone: string | null;
}

/** The tries of one reference, to be made more of. */
export interface Single {
  suite: string;
  id: string;
  tries: number;
  /** The change touches it: both sides are asked. */
  compared: boolean;
}

/** What a look may spend. */
interface Allowance {
  maxCalls: number;
  /** US dollars. */
  maxCost: number;
}

/** A look that makes no model calls spends nothing, so no cap may refuse its plan. */
const UNHELD: Allowance = { maxCalls: Number.MAX_SAFE_INTEGER, maxCost: Number.MAX_SAFE_INTEGER };

export interface LookOptions {
  options: EvaluateOptions & { base?: string };
  overrides: readonly string[];
  terminal: Terminal;
}

/**
 * Looks at the files as they are now, in a session of its own: what is stored is handed to `show` at
 * once; then what an edit changed is asked.
 */
export function look(
  { options, overrides, terminal }: LookOptions,
  allowance: Allowance,
  show: (stored: WorkLook) => void,
): Promise<WorkLook> {
  return withProject(options, terminal, { overrides }, async (session) => {
    const found = await sidesOf(session, options.base);
    const { base, head } = found.sides;
    const mode = base === null ? 'sweep' : 'diff';
    const asking = capped(session, UNHELD);
    const judged = await evaluateSides(asking, mode, found.sides, true);
    const all =
      base === null ? NONE : await evaluateSides(asking, 'sweep', { base: null, head }, true);
    const seen = (of: Evaluation): WorkLook => ({
      result: of.result,
      all: all.result,
      sent: new Map([...all.sent, ...of.sent]),
      rubrics: new Map([...all.rubrics, ...of.rubrics]),
      files: [...head.files.keys()],
      missing: of.missing,
      interrupted: session.halting.halted()?.title === 'Interrupted',
      alone: found.alone,
    });
    const stored = seen(judged);
    show(stored);
    return stored.missing
      ? seen(await evaluateSides(capped(session, allowance), mode, found.sides, false))
      : stored;
  });
}

/** Asks for more tries of one reference. */
export function lookAtOne(
  { options, overrides, terminal }: LookOptions,
  allowance: Allowance,
  single: Single,
): Promise<Result> {
  return withProject(options, terminal, { overrides }, async (opened) => {
    const session = capped(onlyOne(opened, single), allowance);
    const { sides } = await sidesOf(session, options.base);
    const compares = sides.base !== null && single.compared;
    const of = compares ? sides : { base: null, head: sides.head };
    return (await evaluateSides(session, compares ? 'diff' : 'sweep', of, false)).result;
  });
}

function capped(session: Session, allowance: Allowance): Session {
  return { ...session, inputs: { ...session.inputs, ...allowance } };
}

type Evaluation = Pick<WorkLook, 'result' | 'sent' | 'rubrics' | 'missing'>;

const NONE = { result: null, sent: [], rubrics: [] } as const;

/** A session in which one reference alone runs, so many times. */
function onlyOne(session: Session, { suite, id, tries }: Single): Session {
  const { inputs } = session;
  const { overrides } = inputs.read;
  return {
    ...session,
    inputs: {
      ...inputs,
      read: {
        ...inputs.read,
        overrides: {
          ...overrides,
          prompts: [suite],
          references: [id],
          tags: null,
          settings: [
            ...overrides.settings.filter(({ path }) => path[0] !== 'n_tries'),
            { path: ['n_tries'], value: tries, line: `n_tries=${String(tries)}` },
          ],
        },
      },
    },
  };
}

/** Base and the files; the files alone where git has nothing to compare with, and why. */
async function sidesOf(
  session: Session,
  base: string | undefined,
): Promise<{ sides: Pick<Sides, 'base' | 'head'>; alone: string | null }> {
  try {
    const { repository } = session;
    const sides = await findLocalSides(repository, {
      base: base ?? null,
      head: WORKTREE,
      workingDirectory: '',
    });
    return { sides, alone: null };
  } catch (error) {
    if (!(error instanceof UserError) || base !== undefined) throw error;
    const [problem] = error.problems;
    return {
      sides: await currentFiles(session),
      alone: problem === undefined ? 'there is no base' : formatProblem(problem),
    };
  }
}

async function evaluateSides(
  session: Session,
  mode: 'diff' | 'sweep',
  sides: Pick<Sides, 'base' | 'head'>,
  stored: boolean,
): Promise<Evaluation> {
  let sent = new Map<string, SentPrompts>();
  let rubrics: WorkLook['rubrics'] = new Map();
  let missing = false;
  const result = await withEdges(session, sides, (edges) =>
    run(runInput(session, mode, sides), {
      ...edges,
      ...(stored
        ? storedOnly(edges, () => {
            missing = true;
          })
        : {}),
      planned(plan, ready) {
        edges.planned(plan, ready);
        sent = sentPrompts(ready.prepared);
        rubrics = rubricsOf(ready.prepared);
      },
    }),
  );
  return { result: stored ? withoutUnasked(result) : result, sent, rubrics, missing };
}

function rubricsOf({ suites }: Prepared): Map<string, RubricChoice[]> {
  return new Map(
    suites.map(({ run: { suite, deciding } }) => [
      suite.name,
      [...deciding.rubrics.values()].flatMap(({ name, choice_scores, place }) =>
        /\.ya?ml$/.test(place.file)
          ? [{ name, file: place.file, labels: [...choice_scores.keys()] }]
          : [],
      ),
    ]),
  );
}

/** What a look that makes no model calls says of an answer that it lacks. */
const UNASKED = 'only stored answers are shown';

/** Tries that nobody was asked for are not errors: they are not there yet. */
function withoutUnasked(result: Result): Result {
  const cleaned = (side: SideResult | null): SideResult | null =>
    side === null
      ? null
      : { ...side, tries: side.tries.filter(({ error }) => error?.endsWith(UNASKED) !== true) };
  return {
    ...result,
    suites: result.suites.map((suite) => ({
      ...suite,
      references: suite.references.map((one) => {
        const [base, head] = [cleaned(one.base), cleaned(one.head)];
        const left = (base?.tries.length ?? 0) + (head?.tries.length ?? 0);
        const had = (one.base?.tries.length ?? 0) + (one.head?.tries.length ?? 0);
        return { ...one, base, head, status: left < had ? ('inconclusive' as const) : one.status };
      }),
    })),
  };
}

/** What nothing stored answers is not asked, and told to `refused`. */
function storedOnly(edges: Edges, refused: () => void): Partial<Edges> {
  let why: string | null = null;
  const refuse = (): string => {
    refused();
    why = UNASKED;
    return why;
  };
  return {
    missingKeys: () => [],
    guard() {
      edges.guard({
        attempt: () => {
          refuse();
          return false;
        },
        refused: () => undefined,
        ask: () =>
          Promise.resolve({ status: 'error', kind: 'budget', message: `not asked: ${refuse()}` }),
        reached: () => why,
      });
    },
    halted: () => (why === null ? edges.halted() : { title: 'Budget reached', why }),
  };
}
