import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../src/kernel/result/result.ts';
import { untilTestEnds } from './after-test.ts';
import { beginIn, localEndpoint, type Running, type Said } from './command-line.ts';
import { startModelServer, type ModelServer, type Script } from './models/server.ts';
import { createRepository, type FixtureFiles, type FixtureRepository } from './repository.ts';

/** A project in a real git repository whose models are a server on loopback until the test ends. */
export interface OpenProject {
  repository: FixtureRepository;
  server: ModelServer;
  /** Runs a command in the project and returns its output and exit code. */
  evaldiff(...argv: string[]): Promise<Said>;
  /** Runs a command in a subfolder. */
  inFolder(folder: string, ...argv: string[]): Promise<Said>;
  /** Starts a command that runs until the test stops it. */
  begin(...argv: string[]): Running;
  /** Runs a command with `--json` and parses its output. */
  result(...argv: string[]): Promise<Result>;
  /** Runs a command with `--report` and reads the result; `calls` are its model calls. */
  reported(...argv: string[]): Promise<Said & { result: Result; calls: number }>;
}

export interface ProjectOptions {
  answer: Script;
  env?: NodeJS.ProcessEnv;
  width?: number;
  /** A server that the caller closes. Default: the project starts its own. */
  server?: ModelServer;
}

/** Opens a project that has committed these files. */
export async function openProject(
  files: FixtureFiles,
  { answer, env = {}, width = 160, server: given }: ProjectOptions,
): Promise<OpenProject> {
  const server = given ?? (await untilTestEnds(startModelServer({ answer })));
  const repository = createRepository();
  repository.commit('begin', files);
  const start = (folder: string, argv: readonly string[]) =>
    beginIn(join(repository.directory, folder), argv, { env: localEndpoint(server, env), width });
  const evaldiff: OpenProject['evaldiff'] = (...argv) => start('', argv).ended;
  return {
    repository,
    server,
    evaldiff,
    inFolder: (folder, ...argv) => start(folder, argv).ended,
    begin: (...argv) => start('', argv),
    async result(...argv) {
      const { out, err } = await evaldiff(...argv, '--json');
      if (!out.startsWith('{')) throw new Error(`no result: ${out}${err}`);
      return JSON.parse(out) as Result;
    },
    async reported(...argv) {
      const before = server.requests.length;
      const said = await evaldiff(...argv, '--report', 'report');
      const text = readFileSync(join(repository.directory, 'report/result.json'), 'utf8');
      const calls = server.requests.length - before;
      return { ...said, result: JSON.parse(text) as Result, calls };
    },
  };
}
