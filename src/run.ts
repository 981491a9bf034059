import type { Notice, Problem, Project, Result, Target, TrustLevel } from './types.ts';
import { readProject, type ReadOptions } from './config/project.ts';
import { arrange } from './core/arrange.ts';
import { judge, type JudgeEdges } from './core/judge.ts';
import type { Plan } from './core/plan.ts';
import { prepare, targetsOf, type PrepareInput, type Prepared } from './core/prepare.ts';
import { blankResult, DEFAULT_GATE, notEvaluated, withoutKeys, type ResultHead } from './core/result.ts';
import { sources } from './core/trust.ts';
import { builtInRubrics } from './metrics/built-in-rubrics.ts';
import { metrics } from './metrics/index.ts';

export interface RunInput extends PrepareInput {
  trust: TrustLevel;
  read: ReadOptions;
}

/** What the pipeline needs from the world. */
export interface Edges extends JudgeEdges {
  /** Any collision-resistant hash of text. */
  hash(text: string): string;
  /** Keys and addresses without which these targets cannot be asked. */
  missingKeys(targets: readonly Target[]): Problem[];
  /** Told the plan before anything is asked. */
  planned(plan: Plan): void;
}

/** What a run would do, worked out without asking anyone; or the result that says why it cannot. */
export type Planned = { ready: true; prepared: Prepared; blank: Result } | { ready: false; result: Result };

/** The whole job: read → select → plan → execute → score → roll up → compare → decide. User mistakes are in the result. */
export async function run(input: RunInput, edges: Edges): Promise<Result> {
  const plan = await planRun(input, edges.hash);
  if (!plan.ready) return plan.result;
  const { prepared, blank } = plan;
  edges.planned(prepared.plan);
  const keys = edges.missingKeys(targetsOf(prepared.lanes));
  if (keys.length === 0) return judge(prepared, edges, blank);
  const head = headOf(input, blank);
  return input.trust === 'untrusted' ? withoutKeys(head, blank.notices) : notEvaluated(head, keys, blank.notices);
}

/** Everything up to the first call: reads both sides, puts back what a pull request must not choose, selects and plans. */
export async function planRun(input: RunInput, hash: (text: string) => string): Promise<Planned> {
  const read = await readSides(input, hash);
  const unread: ResultHead = { ...input, gate: DEFAULT_GATE, n_tries: 'adaptive' };
  if (read.head === null) return { ready: false, result: notEvaluated(unread, read.problems, read.notices) };
  const arranged = arrange(read.base, read.head, sources(input.trust));
  const prepared = prepare(input, arranged, hash);
  const head: ResultHead = { ...input, gate: prepared.gate, n_tries: arranged.head.settings.n_tries };
  const notices = [...read.notices, ...arranged.notices, ...arranged.head.notices, ...prepared.notices];
  if (prepared.problems.length > 0) return { ready: false, result: notEvaluated(head, prepared.problems, notices) };
  return { ready: true, prepared, blank: { ...blankResult(head), notices } };
}

function headOf(input: RunInput, { gate, n_tries }: Result): ResultHead {
  return { ...input, gate, n_tries };
}

interface ReadSides { base: Project | null; head: Project | null; problems: Problem[]; notices: Notice[] }

/** Head's mistakes stop the run; base's cannot be mended by anyone here, so what base cannot say is new. */
async function readSides({ base, head, read, mode }: RunInput, hash: (text: string) => string): Promise<ReadSides> {
  const tools = { builtInMetrics: metrics, builtInRubrics, hash };
  const [before, after] = await Promise.all([base === null ? null : readProject(base, { ...read, configRequired: false }, tools), readProject(head, read, tools)]);
  if (after.problems.length > 0) return { base: null, head: null, problems: after.problems, notices: [] };
  const swept = (project: Project): Project => (mode === 'sweep' ? project : onlyAskedSweep(project, read));
  const readHead = swept(after.project);
  if (before === null || before.problems.length === 0) return { base: before && swept(before.project), head: readHead, problems: [], notices: [] };
  const [first] = before.problems;
  const message = `base cannot be read, so everything on head is new: ${first?.message ?? ''}`;
  return { base: null, head: readHead, problems: [], notices: [{ kind: 'not-comparable', place: first?.place ?? null, message }] };
}

/** The settings' `sweep` is for full sweeps; a comparison sweeps only what its overrides ask for. */
function onlyAskedSweep(project: Project, { overrides }: ReadOptions): Project {
  const sweep = Object.fromEntries(Object.entries(project.settings.sweep).filter(([key]) => overrides.parameters.has(key)));
  return { ...project, settings: { ...project.settings, sweep } };
}
