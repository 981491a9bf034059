import { setTimeout as sleep } from 'node:timers/promises';
import { main } from '../../src/commands/program.ts';
import type { Terminal } from '../../src/commands/terminal.ts';
import type { Clock } from '../../src/providers/clock.ts';
import type { ModelServer } from './models/server.ts';
import { fixtureEnvironment } from './repository.ts';

/** What a command line wrote, and its exit code. */
export interface Said {
  code: number;
  out: string;
  err: string;
}

/** Before any end of a model was near, where the clock of every command line here begins. */
const BEGIN = Date.parse('2026-06-01');
const started = Date.now();
const clock: Clock = {
  now: () => BEGIN + Date.now() - started,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** Runs one command line in this process, with its output kept: no terminal, 100 columns. */
export async function commandIn(
  cwd: string,
  argv: readonly string[],
  given: Partial<Terminal> = {},
): Promise<Said> {
  const said = { out: '', err: '' };
  const code = await main(argv, {
    env: fixtureEnvironment(),
    cwd,
    isTerminal: false,
    width: 100,
    reach: { clock },
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    ...given,
  });
  return { code, ...said };
}

/** An environment in which the endpoint `local` is this server. */
export function localEndpoint(
  { openaiUrl }: Pick<ModelServer, 'openaiUrl'>,
  more: NodeJS.ProcessEnv = {},
): NodeJS.ProcessEnv {
  return fixtureEnvironment({
    LOCAL_KEY: 'key-1',
    EVALDIFF_ENDPOINTS: `local=${openaiUrl} key=LOCAL_KEY`,
    ...more,
  });
}

/** For a command line without a key of any vendor, with lines long enough for whole sentences. */
export function withoutKeys(): Pick<Terminal, 'env' | 'width'> {
  return {
    env: fixtureEnvironment({ OPENAI_API_KEY: undefined, ANTHROPIC_API_KEY: undefined }),
    width: 200,
  };
}
