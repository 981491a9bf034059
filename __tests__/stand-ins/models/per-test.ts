import { afterEach } from '@jest/globals';
import { startModelServer, type ModelServer } from './server.ts';

/** Starts model servers that are closed after each test. */
export function modelServersPerTest(): typeof startModelServer {
  const opened: ModelServer[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((server) => server.close()));
  });
  return async (options) => {
    const server = await startModelServer(options);
    opened.push(server);
    return server;
  };
}
