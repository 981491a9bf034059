import { main } from '../../src/app/commands/program.ts';
import type { Terminal } from '../../src/app/commands/terminal.ts';
import { clock } from './clock.ts';
import { FEATURES } from './features.ts';
import type { ModelServer } from './models/server.ts';
import { fixtureEnvironment } from './repository.ts';

/** What a command line wrote, and its exit code. */
export interface Said {
  code: number;
  out: string;
  err: string;
}

/** A command line that goes on until it is told to end. */
export interface Running {
  /** Resolves once it has said this on either stream, so many times; gives what that came to. */
  said(words: string, times?: number): Promise<string>;
  ended: Promise<Said>;
  /** Ends it, as a signal would. */
  stop(): Promise<Said>;
}

/** Begins one command line in this process, with its output kept: no terminal, 100 columns. */
export function beginIn(
  cwd: string,
  argv: readonly string[],
  given: Partial<Terminal> = {},
): Running {
  const said = { out: '', err: '' };
  const waiting = new Set<() => void>();
  const hear = (stream: keyof typeof said) => (text: string) => {
    said[stream] += text;
    for (const listen of waiting) listen();
  };
  const ending = new AbortController();
  const ended = main(argv, {
    env: fixtureEnvironment(),
    cwd,
    isTerminal: false,
    width: 100,
    features: FEATURES,
    reach: { clock },
    out: hear('out'),
    err: hear('err'),
    until: ending.signal,
    ...given,
  }).then((code) => ({ code, ...said }));
  return {
    said: (words, times = 1) =>
      new Promise((resolve, reject) => {
        const listen = (): void => {
          const all = `${said.out}${said.err}`;
          if (all.split(words).length > times) resolve(all);
        };
        waiting.add(listen);
        listen();
        void ended.then(({ out, err }) => {
          reject(new Error(`ended without "${words}": ${out}${err}`));
        });
      }),
    ended,
    stop() {
      ending.abort();
      return ended;
    },
  };
}

/** Runs one to its end. */
export function commandIn(
  cwd: string,
  argv: readonly string[],
  given: Partial<Terminal> = {},
): Promise<Said> {
  return beginIn(cwd, argv, given).ended;
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
