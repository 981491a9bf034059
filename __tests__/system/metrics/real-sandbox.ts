import { createSandbox } from '../../../src/edges/sandbox/index.ts';

/** The real sandbox, opened once for all tests of a file. */
export function realSandbox(): ReturnType<typeof createSandbox> {
  const sandbox = createSandbox({
    mode: 'sandbox',
    env: {},
    timeoutSeconds: 600,
    time: Date.UTC(2026, 0, 2),
    log: () => undefined,
  });
  afterAll(() => sandbox.close());
  return sandbox;
}
