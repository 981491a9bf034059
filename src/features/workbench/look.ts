import { setTimeout as sleep } from 'node:timers/promises';
import type { Feature } from '../../app/run/feature.ts';
import { sha256, type AnswerExchange } from '../../app/session/cached-complete.ts';
import type { Session } from '../../app/session/session.ts';
import { findLocalSides, WORKTREE, type Sides } from '../../app/session/sides.ts';
import type { ReadOptions } from '../../config/project.ts';
import { forgetOthers, withText, type ParsedDocuments } from '../../documents/files.ts';
import { UserError, formatProblem } from '../../errors.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { Completion } from '../../types/model.ts';
import type { Problem } from '../../types/plain.ts';
import type { SourceTree } from '../../types/repository.ts';
import {
  planSides,
  runSides,
  type Evaluation,
  type WorkLook,
  type WrittenPrompt,
} from './evaluate.ts';
import {
  withAllowance,
  stopOnEdit,
  narrowSession,
  withProgressLine,
  type Allowance,
  type SingleRun,
} from './narrow-session.ts';

export interface OpenProject {
  root: string;
  /** What to compare with. Default: the merge base with the default branch. */
  base: string | undefined;
  /** Whether the cost cap is the default, not the user's choice. */
  assumesCost: boolean;
  read: ReadOptions;
  documents: ParsedDocuments;
  examine: Feature['onRequest'];
  draft: WorkLook['draft'];
  inSession<T>(work: (session: Session) => Promise<T>): Promise<T>;
  withFiles<T>(work: (files: SourceTree) => Promise<T>): Promise<T>;
  /** Writes an example suite. */
  start(): Promise<unknown>;
}

export interface Onlooker {
  /** Aborted when files change, which cancels the evaluation. */
  edited: AbortSignal;
  show(found: WorkLook): void;
  progress(line: string): void;
  paid(cost: number | null): void;
}

/** Shows stored answers, then requests missing ones. Null if files changed meanwhile. */
export function look(
  project: OpenProject,
  allowance: Allowance,
  onlooker: Onlooker,
): Promise<WorkLook | null> {
  const { edited, show } = onlooker;
  const { documents, draft } = project;
  return project.inSession(async (opened) => {
    const session = stopOnEdit(opened, edited);
    const { sides, alone, saved } = await workbenchSides(session, project);
    const { base, tip = null, head } = sides;
    await forgetOthers(
      documents,
      [base, tip, head].filter((tree) => tree !== null),
    );
    const answers = new Map<string, Completion>();
    const free = { maxCalls: Number.MAX_SAFE_INTEGER, maxCost: Number.MAX_SAFE_INTEGER };
    const idle = withProgressLine(withAllowance(session, free), () => undefined);
    const exchange: AnswerExchange = {
      given: (key) => answers.get(key) ?? null,
      keep: () => undefined,
    };
    const judgeStored = (): Promise<Evaluation> =>
      runSides(idle, sides, { documents, stored: true, exchange });
    const first = await judgeStored();
    const all =
      base === null || edited.aborted || first.whole
        ? NO_EVALUATION
        : await runSides(idle, { base: null, head }, { documents, stored: true });
    const prompts = [...all.prompts, ...first.prompts];
    const texts = await readEditableTexts(saved, [first.result, all.result], prompts);
    const seen = (of: Evaluation): WorkLook => ({
      ...of,
      all: all.result,
      sent: { get: (key) => of.sent.get(key) ?? all.sent.get(key) },
      prompts: new Map([...prompts, ...of.prompts]),
      texts,
      files: [...head.files.keys()],
      interrupted: opened.halting.halted()?.code === 'interrupted',
      alone,
      draft,
    });
    if (edited.aborted) return null;
    const stored = seen(first);
    show(stored);
    if (!stored.missing) return stored;
    const asked = await askLive(
      withAllowance(session, allowance),
      { sides, project, answers },
      onlooker,
      async () => {
        const soFar = seen(await judgeStored());
        if (!edited.aborted) show({ ...soFar, missing: true });
      },
    );
    return edited.aborted ? null : seen(asked);
  });
}

interface LiveRun extends Pick<OpenSides, 'sides'> {
  project: OpenProject;
  answers: Map<string, Completion>;
}

async function askLive(
  session: Session,
  { sides, project: { documents, assumesCost }, answers }: LiveRun,
  { progress, paid }: Onlooker,
  draw: () => Promise<void>,
): Promise<Evaluation> {
  const live = inPauses(draw);
  const asked = await runSides(withProgressLine(session, progress), sides, {
    documents,
    paid,
    stored: false,
    assumesCost,
    exchange: {
      given: () => null,
      keep(key, _request, completion) {
        answers.set(key, completion);
        live.wanted();
      },
    },
  });
  await live.end();
  return asked;
}

const LIVE_MS = 400;

/** Each pause lasts this many times as long as the last redraw, to leave time for model calls. */
const LIVE_SHARE = 3;

function inPauses(work: () => Promise<void>): { wanted(): void; end(): Promise<void> } {
  const ending = new AbortController();
  const { signal } = ending;
  let isWanted = false;
  let running: Promise<void> | null = null;
  let ms = LIVE_MS;
  const goOn = async (): Promise<void> => {
    while (isWanted) {
      await sleep(ms, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      isWanted = false;
      const begun = performance.now();
      await work();
      ms = Math.max(LIVE_MS, LIVE_SHARE * (performance.now() - begun));
    }
    running = null;
  };
  return {
    wanted() {
      isWanted = true;
      running ??= goOn();
    },
    async end() {
      ending.abort();
      await running;
    },
  };
}

/** What running these tests would ask, in words. */
export function planSingle(
  project: OpenProject,
  allowance: Allowance,
  asked: SingleRun,
): Promise<string | Problem[]> {
  return project.inSession(async (opened) => {
    const session = withAllowance(narrowSession(opened, asked), allowance);
    const { head } = (await workbenchSides(session, project)).sides;
    return planSides(session, { base: null, head }, { ...project, ...asked });
  });
}

/** Null if the files changed meanwhile. */
export function runSingle(
  project: OpenProject,
  allowance: Allowance,
  asked: SingleRun,
  { edited, progress, paid }: Omit<Onlooker, 'show'>,
): Promise<Result | null> {
  return project.inSession(async (opened) => {
    const live = withProgressLine(stopOnEdit(opened, edited), progress);
    const session = withAllowance(narrowSession(live, asked), allowance);
    const { sides } = await workbenchSides(session, project);
    const of = asked.compared === true ? sides : { base: null, head: sides.head };
    const { result } = await runSides(session, of, {
      documents: project.documents,
      paid,
      feature: asked.feature,
      stored: false,
      assumesCost: project.assumesCost,
    });
    return edited.aborted ? null : result;
  });
}

const NO_EVALUATION = { result: null, sent: new Map<string, never>(), prompts: [] } as const;

async function workbenchSides(
  session: Session,
  { base, draft }: OpenProject,
): Promise<OpenSides & { saved: SourceTree }> {
  const { sides, alone } = await savedSides(session, base);
  const saved = sides.head;
  if (draft === null) return { sides, alone, saved };
  const head = withText(saved, draft.file, draft.text, sha256(draft.text));
  return sides.base === null
    ? { sides: { base: saved, head }, alone: SAVED_IS_BASE, saved }
    : { sides: { ...sides, head }, alone, saved };
}

const SAVED_IS_BASE = 'Base is the saved text, because there is no commit to compare with.';

interface OpenSides {
  sides: Pick<Sides, 'base' | 'tip' | 'head'>;
  /** Why there is no comparison. */
  alone: string | null;
}

async function savedSides(session: Session, base: string | undefined): Promise<OpenSides> {
  try {
    const { repository, env } = session;
    const sides = await findLocalSides(repository, {
      env,
      base: base ?? null,
      head: WORKTREE,
      workingDirectory: '',
    });
    return { sides, alone: null };
  } catch (error) {
    if (!(error instanceof UserError) || base !== undefined) throw error;
    const [problem] = error.problems;
    return {
      sides: { base: null, head: await session.repository.worktree('') },
      alone:
        'Only the working tree, without a comparison: ' +
        (problem === undefined ? 'there is no base' : formatProblem(problem)),
    };
  }
}

async function readEditableTexts(
  head: SourceTree,
  results: readonly (Result | null)[],
  prompts: readonly (readonly [string, WrittenPrompt])[],
): Promise<Map<string, string>> {
  const named = [
    ...results.flatMap((result) =>
      (result?.suites ?? []).flatMap(({ references }) => references.map(({ file }) => file)),
    ),
    ...prompts.flatMap(([, { path, tests, rubrics }]) => [
      path,
      tests,
      ...rubrics.map(({ file }) => file),
    ]),
  ];
  const files = [...new Set(named)].filter((file) => head.files.has(file));
  return new Map(
    await Promise.all(
      files.map(async (file) => [file, new TextDecoder().decode(await head.read(file))] as const),
    ),
  );
}
