import { main } from '../../src/app/commands/program.ts';
import type { Terminal } from '../../src/app/commands/terminal.ts';
import { clock } from './clock.ts';
import { FEATURES } from './features.ts';
import type { ModelServer } from './models/server.ts';
import { fixtureEnvironment } from './repository.ts';

export interface Said {
  code: number;
  out: string;
  err: string;
}

/** A command that runs until it is stopped. */
export interface Running {
  /** Resolves to the output so far once it has printed `words` on either stream `times` times. */
  said(words: string, times?: number): Promise<string>;
  ended: Promise<Said>;
  /** Ends the command, as a signal would. */
  stop(): Promise<Said>;
}

/** Starts a command in this process and captures its output: no terminal, 100 columns. */
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
    testOverrides: { clock },
    out: hear('out'),
    err: hear('err'),
    until: ending.signal,
    ...given,
  }).then((code) => ({ code, ...said }));
  return {
    said: (words, times = 1) =>
      new Promise((resolve, reject) => {
        const listen = () => {
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

export function commandIn(
  cwd: string,
  argv: readonly string[],
  given: Partial<Terminal> = {},
): Promise<Said> {
  return beginIn(cwd, argv, given).ended;
}

/** An environment whose endpoint `local` is this server. */
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

/** For commands without any vendor's key; wide enough for whole sentences. */
export function withoutKeys(): Pick<Terminal, 'env' | 'width'> {
  return {
    env: fixtureEnvironment({ OPENAI_API_KEY: undefined, ANTHROPIC_API_KEY: undefined }),
    width: 200,
  };
}
