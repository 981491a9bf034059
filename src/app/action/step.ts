import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import * as core from '@actions/core';
import { INPUT_DEFAULTS, readInputs } from '../../config/inputs.ts';
import { parsePayload, readEvent, resolveMode } from '../../edges/github/event.ts';
import { secretsIn } from '../../edges/providers/address.ts';
import { UserError, errorTrace, formatProblem, userError } from '../../errors.ts';
import { endLine, logText } from '../../text/log.ts';
import { createSecretRegister, type SecretRegister } from '../../text/redact.ts';
import { visible, visibleLine } from '../../text/visible.ts';
import { ownSettings } from '../run/feature.ts';
import {
  accessFrom,
  codeSecrets,
  identitySecrets,
  identityValues,
  mayRequestIdentity,
  refuseModelKeys,
  withoutKeys,
  withoutSecrets,
} from '../session/access.ts';
import { visibleErrorMessage } from '../session/safe-writing.ts';
import { runJob } from './job.ts';

type StepOptions = Pick<
  Parameters<typeof runJob>[0],
  'testOverrides' | 'secondMs' | 'features' | 'jobs'
> & {
  /** Rejects with the error of any promise that no code awaits. */
  crashed?: Promise<never>;
};

/**
 * Returns the exit code and never rejects. GitHub's toolkit ignores `env` and reads `process.env`.
 */
export async function runStep(env: NodeJS.ProcessEnv, given: StepOptions): Promise<0 | 1> {
  const secrets = createSecretRegister(core.setSecret);
  try {
    return await judgeStep(env, secrets, given);
  } catch (error) {
    return failStep(error, secrets.redact);
  }
}

async function judgeStep(
  env: NodeJS.ProcessEnv,
  secrets: SecretRegister,
  { crashed, ...given }: StepOptions,
): Promise<0 | 1> {
  const read = readInputs(givenInputs(env), ownSettings(given.features));
  const { inputs } = read;
  const access = accessFrom(inputs, env, mayRequestIdentity(env) ? core.getIDToken : null);
  const own = [...secretsIn(access), inputs.token];
  secrets.add([...own, ...identitySecrets(env)]);
  secrets.add([env['ACTIONS_RUNTIME_TOKEN'] ?? '', ...codeSecrets(inputs.codeEnv, env)]);
  const problems = [...read.problems, ...refuseModelKeys('code-env', inputs.codeEnv, access, env)];
  const { redact } = secrets;
  const facts = await payloadText(env)
    .then((text) => readEvent(env, parsePayload(text)))
    .catch((error: unknown) => {
      throw problems.length > 0 ? new UserError(problems) : error;
    });
  const job: Parameters<typeof runJob>[0] = {
    ...given,
    inputs,
    problems,
    access,
    facts,
    mode: resolveMode(inputs.mode, facts),
    workspace: resolve(env['GITHUB_WORKSPACE'] ?? '.'),
    env: withoutKeys(
      withoutSecrets(env, [inputs.token, ...identityValues(env)]),
      access,
      inputs.codeEnv,
    ),
    secrets,
    runner: {
      // GitHub's toolkit escapes annotations, but not other lines.
      info: (text) => {
        core.info(logText(redact(text)));
      },
      notice: (text) => {
        core.notice(visibleLine(redact(text)));
      },
      warning: (text) => {
        core.warning(visibleLine(redact(text)));
      },
      error: (text, place) => {
        core.error(visibleLine(redact(text)), place);
      },
      output: (name, value) => {
        core.setOutput(name, typeof value === 'string' ? redact(value) : value);
      },
    },
    now: () => new Date(),
  };
  const conclusion = await runJob(job, crashed ?? null);
  return conclusion === 'failure' || conclusion === 'error' ? 1 : 0;
}

async function payloadText({ GITHUB_EVENT_PATH: path }: NodeJS.ProcessEnv): Promise<string> {
  const refuse = (why: string): UserError =>
    userError(
      null,
      `GITHUB_EVENT_PATH ${why}. The runner sets it; outside GitHub Actions use the evaldiff command.`,
    );
  if (!path) throw refuse('is not set');
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw refuse(`names a file that cannot be read (${visibleErrorMessage(error)})`);
  });
}

function givenInputs(env: NodeJS.ProcessEnv): Record<string, string> {
  const names = Object.keys(INPUT_DEFAULTS).filter(
    (name) => env[`INPUT_${name.toUpperCase()}`] !== undefined,
  );
  return Object.fromEntries(names.map((name) => [name, core.getInput(name)]));
}

const OWN_FAULT = 'evaldiff itself failed; the error is above.';

export function failStep(error: unknown, redact: (text: string) => string = (text) => text): 1 {
  const problems =
    error instanceof UserError ? error.problems.map((each) => redact(formatProblem(each))) : [];
  for (const problem of problems) core.error(visibleLine(problem));
  if (problems.length === 0) core.error(visible(`Internal error: ${redact(errorTrace(error))}`));
  try {
    core.setOutput('conclusion', 'error');
  } catch {
    // The disk may be full. The exit code and the log still report the failure.
  }
  const [first = OWN_FAULT] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  core.info(logText(endLine('error', `${first}${more}`)));
  return 1;
}
