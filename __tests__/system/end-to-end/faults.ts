import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../stand-ins/repository.ts';
import { changeOf, obedient, quiz, quizPrompt } from './projects.ts';
import { ROOT } from './runner.ts';
import { onPullRequest, stage, type Stage } from './stage.ts';

/**
 * What can end a run. An earlier run of the same commit was green; then its job is run again
 * against a worse model. In no case may GitHub still show that green afterwards.
 */
export const FAULTS = [
  'kill -9',
  'SIGTERM',
  'full disk',
  'GitHub unreachable',
  'internal error',
] as const;
export type Fault = (typeof FAULTS)[number];

/** When the fault occurs: after the run is announced, during model calls, or while publishing. */
export const MOMENTS = ['start', 'asking', 'publishing'] as const;
export type Moment = (typeof MOMENTS)[number];

/** The step. The signal makes it throw an error that nothing catches. */
const SCRIPT = `process.on('SIGUSR2', () => { throw new TypeError('a fault of its own'); });
await import(${JSON.stringify(join(ROOT, 'dist/action/index.js'))});
`;

function strike(fault: Fault, { github }: Stage, pid: number) {
  if (fault === 'GitHub unreachable')
    setImmediate(() => {
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE'])
        github.intercept(method, /./, () => 'reset');
    });
  else if (fault === 'full disk')
    // From now on every write to a file fails.
    spawnSync('prlimit', ['--pid', String(pid), '--fsize=0']);
  else
    process.kill(
      pid,
      fault === 'kill -9' ? 'SIGKILL' : fault === 'SIGTERM' ? 'SIGTERM' : 'SIGUSR2',
    );
}

const HEAD = 'Answer everything.';

interface Aftermath {
  code: number | null;
  log: string;
  check: string | undefined;
  comment: string | undefined;
}

async function rerunWith(fault: Fault, moment: Moment): Promise<Aftermath> {
  let pid = 0;
  let isArmed = false;
  const at = await stage((request) => {
    if (!isArmed) return obedient(request);
    if (moment === 'asking' && at.models.requests.length >= 3) hit();
    return request.messages[0]?.content === HEAD ? { text: 'wrong' } : obedient(request);
  });
  const { github } = at;
  const hit = () => {
    if (pid === 0) return;
    const struck = pid;
    pid = 0;
    strike(fault, at, struck);
  };
  github.intercept('PATCH', /\/check-runs\/|\/comments\//, ({ body }) => {
    const now = JSON.stringify(body).includes('Running for') ? 'start' : 'publishing';
    if (isArmed && now === moment) hit();
    return undefined;
  });
  const change = changeOf(quiz(), { 'prompts/quiz.yaml': quizPrompt(HEAD) });
  const before = await onPullRequest(at, change);
  expect([before.code, github.state.checkRuns.at(-1)?.conclusion]).toEqual([0, 'success']);
  isArmed = true;
  at.models.requests.length = 0;
  const script = join(temporaryFolder('fault'), 'step.mjs');
  writeFileSync(script, SCRIPT);
  const run = await onPullRequest(at, change, {
    env: { GITHUB_RUN_ATTEMPT: '2' },
    start: (env, cwd) => {
      const child = spawn(process.execPath, [script], { cwd, env, stdio: 'pipe' });
      pid = child.pid ?? 0;
      return child;
    },
  });
  return {
    code: run.code,
    log: run.log,
    check: newest(at)?.conclusion ?? newest(at)?.status,
    comment: github.state.comments[0]?.body,
  };
}

const newest = ({ github }: Stage) =>
  github.state.checkRuns.filter(({ name }) => name === 'evaldiff').at(-1);

/** Fails if GitHub still shows a green check. */
export async function expectNoGreenAfter(fault: Fault, moment: Moment): Promise<void> {
  const { code, check, comment, log } = await rerunWith(fault, moment);
  expect([log, code]).not.toEqual([log, 0]);
  expect([log, check]).not.toEqual([log, 'success']);
  expect(comment).not.toContain('### ✅');
}
