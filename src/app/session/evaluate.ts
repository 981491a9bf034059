import { join, relative } from 'node:path';
import { INPUT_DEFAULTS } from '../../config/inputs.ts';
import type { SuiteRun } from '../../kernel/plan/suite-run.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import type { Suite } from '../../kernel/suite/suite.ts';
import { suiteIdentity } from '../../report/sections/order.ts';
import { shellWord } from '../../text/visible.ts';
import { hostRefused } from '../../trust/trust.ts';
import type { Notice } from '../../types/plain.ts';
import type { RunPlan } from '../run/feature.ts';
import { planAndRun } from '../run/plan-and-run.ts';
import { certainWords } from '../run/plan.ts';
import type { Edges, RunInput } from '../run/record.ts';
import type { AnswerExchange } from './cached-complete.ts';
import { createEdges } from './edges.ts';
import { createProgress } from './progress.ts';
import { keepHeapSmall } from './runtime.ts';
import { recorder } from './safe-writing.ts';
import type { Session } from './session.ts';
import type { Sides } from './sides.ts';

export async function withEdges<T>(
  session: Session,
  { base, head }: Sides,
  work: (edges: Edges) => Promise<T>,
  exchange?: AnswerExchange,
): Promise<T> {
  const { workTree, record, log, planned, role } = session;
  if (role !== 'plan') keepHeapSmall();
  const write = record === null ? null : recorder(record, workTree, log);
  const progress = createProgress({ ...session.progress, now: Date.now });
  const world = createEdges({
    ...session,
    trees: base === null ? [head] : [base, head],
    record: write === null ? null : (line) => write(session.redact(line)),
    exchange,
    planned(run) {
      planned(run, session.trust);
      progress.planned(run, certainWords(run.plan, session.features));
    },
    answered: (...of) => {
      if (session.halting.halted() === null) progress.answered(...of);
    },
    onStage: progress.stage,
  });
  try {
    const done = await work(world.edges);
    progress.end();
    return done;
  } finally {
    await world.close();
  }
}

export function runInput(session: Session, mode: RunInput['mode'], sides: Sides): RunInput {
  const { inputs, trust, withheld, isQueue = false, features, now } = session;
  const refused = inputs.code === 'host' && trust.approved === true ? hostRefused(trust) : null;
  return {
    ...inputs,
    ...sides,
    mode,
    trust: trust.level,
    isOutsiders: trust.level === 'untrusted' || trust.approved === true,
    isQueue,
    features,
    withheld,
    writes: session.store.kind === 'service' ? 'input ' : '--',
    // In a pull request without approval, only programs that are also on base may run.
    code: refused === null ? inputs.code : 'sandbox',
    notices: [
      ...(sides.notices ?? []),
      ...[refused, trust.notice ?? null].flatMap((message): Notice[] =>
        message === null ? [] : [{ kind: 'settings', place: null, message }],
      ),
    ],
    today: now().toISOString().slice(0, 10),
    ...(sides.base === null ? {} : { earlier: earlierTree(session, sides.base.commit) }),
  };
}

function earlierTree(
  { repository, inputs: { workingDirectory }, now }: Session,
  base: string,
): NonNullable<RunInput['earlier']> {
  return async (since) => {
    const found = await repository.earlier(since, { commit: base, now: now().getTime() });
    if (found === null) return null;
    return { name: found.name, tree: await repository.tree(found.commit, workingDirectory) };
  };
}

export interface Evaluated {
  result: Result;
  suites: readonly Suite[];
}

export async function evaluate(
  session: Session,
  mode: RunInput['mode'],
  sides: Sides,
): Promise<Evaluated> {
  const { result, suites } = await withEdges(session, sides, (edges) =>
    evaluateWith(runInput(session, mode, sides), edges),
  );
  const options = mode === 'sweep' ? '' : localOptions(session);
  return { result: options === '' ? result : { ...result, local_options: options }, suites };
}

function localOptions({ inputs, directory, store }: Session): string {
  const { workingDirectory } = inputs;
  const project = join(directory, workingDirectory);
  const folder = store.kind === 'machine' ? relative(store.cwd, project) : workingDirectory;
  const away = folder !== '' && folder !== '.' && !folder.startsWith('..');
  return [
    ...(away ? ['-C', shellWord(folder)] : []),
    ...(inputs.read.config === INPUT_DEFAULTS.config ? [] : ['-c', shellWord(inputs.read.config)]),
    ...(inputs.code === 'sandbox' ? [] : ['--code', inputs.code]),
  ].join(' ');
}

/** `plan` is null if the run was refused. */
export async function evaluateWith(input: RunInput, edges: Edges) {
  const plans: RunPlan[] = [];
  const result = await planAndRun(input, {
    ...edges,
    planned(plan) {
      edges.planned(plan);
      plans.push(plan);
    },
  });
  const [plan = null] = plans;
  const suites = plan?.suites.flatMap(({ run }) => run.suite.head?.suite ?? []) ?? [];
  return { result, suites, plan };
}

export function plannedSuite(plan: RunPlan | null, suite: SuiteResult): SuiteRun | undefined {
  const identity = suiteIdentity(suite);
  return plan?.suites.find(({ run }) => suiteIdentity(run.suite) === identity)?.run;
}
