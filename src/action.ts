import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as core from '@actions/core';
import { INPUT_DEFAULTS, readInputs } from './config/inputs.ts';
import { UserError, formatProblem } from './errors.ts';
import { parsePayload, readEvent, resolveMode } from './github/event.ts';
import { guardProcess } from './sandbox/index.ts';
import { accessFrom, secretsOf, withoutSecrets } from './session/access.ts';
import { keepHeapSmall } from './session/runtime.ts';
import { endLine, logText } from './text/log.ts';
import { visible, visibleLine } from './text/visible.ts';
// Threads start from this file too and go no further than their part: the job is loaded below.
import './session/schema-thread.ts';
import './solver/thread.ts';

/** The inputs that the runner gave, by name. */
function givenInputs(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = Object.keys(INPUT_DEFAULTS).filter(
    (name) => env[`INPUT_${name.toUpperCase()}`] !== undefined,
  );
  return Object.fromEntries(names.map((name) => [name, core.getInput(name)]));
}

async function main(env: NodeJS.ProcessEnv): Promise<void> {
  const { inputs, problems } = readInputs(givenInputs(env));
  const access = accessFrom(inputs, env);
  const secrets = [...secretsOf(access), inputs.token].filter((secret) => secret !== '');
  for (const secret of secrets) core.setSecret(secret);
  if (problems.length > 0) throw new UserError(problems);
  const facts = readEvent(
    env,
    parsePayload(await readFile(env['GITHUB_EVENT_PATH'] ?? '', 'utf8')),
  );
  const { runJob } = await import('./action/job.ts');
  keepHeapSmall();
  const conclusion = await runJob({
    inputs,
    access,
    facts,
    mode: resolveMode(inputs.mode, facts),
    workspace: resolve(env['GITHUB_WORKSPACE'] ?? '.'),
    env: withoutSecrets(env, secrets),
    secrets,
    runner: {
      // The toolkit escapes what the runner would obey in an annotation; what a reader cannot see
      // is shown here.
      info: (text) => {
        core.info(logText(text));
      },
      notice: (text) => {
        core.notice(visibleLine(text));
      },
      warning: (text) => {
        core.warning(visibleLine(text));
      },
      error: (text, place) => {
        core.error(visibleLine(text), place);
      },
      output: core.setOutput,
    },
    now: () => new Date(),
  });
  if (conclusion === 'failure' || conclusion === 'error') process.exitCode = 1;
}

const OWN_FAULT = 'evaldiff itself failed; the error is above.';

function fail(error: unknown): void {
  const problems = error instanceof UserError ? error.problems.map(formatProblem) : [];
  for (const problem of problems) core.error(visibleLine(problem));
  if (problems.length === 0)
    core.error(
      visible(
        `evaldiff failed, and the fault is its own: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      ),
    );
  core.setOutput('conclusion', 'error');
  const [first = OWN_FAULT] = problems;
  const more = problems.length > 1 ? ` (and ${String(problems.length - 1)} more)` : '';
  core.info(logText(endLine('error', `${first}${more}`)));
  process.exitCode = 1;
}

guardProcess();

// A log that nobody reads any more: saying so there would fail again, without end.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

process.on('uncaughtException', fail);

process.on('unhandledRejection', fail);

await main(process.env).catch(fail);
