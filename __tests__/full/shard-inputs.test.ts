import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { runJob } from '../../src/app/action/job.ts';
import { accessFrom } from '../../src/app/session/access.ts';
import { readInputs } from '../../src/config/inputs.ts';
import { parsePayload, readEvent, resolveMode } from '../../src/edges/github/event.ts';
import { UserError } from '../../src/errors.ts';
import { JOBS } from '../../src/jobs.ts';
import type { Result } from '../../src/kernel/result/result.ts';
import { createSecretRegister } from '../../src/text/redact.ts';
import { startArtifactServer, type ArtifactServer } from '../stand-ins/artifact-service.ts';
import { startCacheServer } from '../stand-ins/cache-service.ts';
import { FEATURES, OWN_SETTINGS } from '../stand-ins/features.ts';
import {
  startValidatingGitHub,
  workflowToken,
  type GitHubStandIn,
} from '../stand-ins/github/index.ts';
import { startModelServer, type ModelServer } from '../stand-ins/models/server.ts';
import {
  createRepository,
  fixtureEnvironment,
  removeTemporaryFolders,
  temporaryFolder,
  type FixtureFiles,
  type FixtureRepository,
} from '../stand-ins/repository.ts';
import { knowing, PROJECT } from '../system/features/shards/sharded.ts';

// A test is a workflow run of several jobs.
jest.setTimeout(120_000);

const SERVER = 'https://github.com';
const TOKEN = 'ghs_tokenOfThisRun0123456789abcdef';
const before = { ...process.env };
let artifacts: ArtifactServer;
let github: GitHubStandIn;
let models: ModelServer;
let repository: FixtureRepository;
let head: string;

// Nothing that needs the host: a job runs confined unless its workflow says otherwise.
const WHOLE: FixtureFiles = {
  ...PROJECT,
  'prompts/app.yaml': null,
  'prompts/tests/app.yaml': null,
};

/** Of the same, what is asked in one turn and judged without code, at a price below the limit. */
const SMALL: FixtureFiles = {
  ...WHOLE,
  'evaldiff.yaml': String(PROJECT['evaldiff.yaml']).replaceAll('1000', '1'),
  'prompts/talk.yaml': null,
  'prompts/tests/talk.yaml': null,
  'prompts/taped.yaml': null,
  'prompts/tests/taped.yaml': null,
  'prompts/tests/ask.yaml': String(PROJECT['prompts/tests/ask.yaml']).replace(
    /^metrics_rollup:\n(?: .*\n)+/m,
    '',
  ),
};

function begin(files: FixtureFiles): void {
  repository = createRepository();
  head = repository.commit('begin', files);
}

beforeEach(async () => {
  [artifacts, github, models] = await Promise.all([
    startArtifactServer(),
    startValidatingGitHub({
      repository: 'acme/prompts',
      tokens: { [TOKEN]: workflowToken({ checks: 'write' }) },
    }),
    startModelServer({ answer: knowing }),
  ]);
  github.state.statusUpdates = true;
  begin(SMALL);
  jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
});
afterEach(async () => {
  jest.restoreAllMocks();
  process.env = { ...before };
  await Promise.all([artifacts.close(), github.close(), models.close()]);
});
afterAll(removeTemporaryFolders);

interface Ended {
  conclusion: string;
  outputs: Record<string, string>;
  log: string;
  errors: string[];
  warnings: string[];
  summary: string;
  report: string | null;
  folder: string;
}

const into = (list: string[]) => (text: string) => {
  list.push(text);
};

/** One job of a workflow run, on a runner of its own; a run's jobs share its artifacts. */
async function job(
  inputs: Record<string, string>,
  {
    run = 'run-1',
    env = {},
    without = [],
    now = () => undefined,
  }: { run?: string; env?: NodeJS.ProcessEnv; without?: string[]; now?: () => void } = {},
): Promise<Ended> {
  const runner = temporaryFolder('runner');
  Object.assign(process.env, artifacts.environment(run));
  const summary = join(runner, 'summary.md');
  writeFileSync(summary, '');
  const all: NodeJS.ProcessEnv = {
    ...fixtureEnvironment(),
    ...artifacts.environment(run),
    GITHUB_EVENT_NAME: 'workflow_dispatch',
    GITHUB_REPOSITORY: 'acme/prompts',
    GITHUB_SERVER_URL: SERVER,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `url.${pathToFileURL(repository.directory).href}.insteadOf`,
    GIT_CONFIG_VALUE_0: `${SERVER}/acme/prompts`,
    GITHUB_SHA: head,
    GITHUB_API_URL: github.apiUrl,
    GITHUB_RUN_ID: '7001',
    RUNNER_TEMP: runner,
    GITHUB_STEP_SUMMARY: summary,
    LOCAL_KEY: 'key-1',
    ...env,
  };
  for (const name of without) delete all[name];
  const report = mkdtempSync(join(repository.directory, 'report-'));
  const given = {
    'github-token': TOKEN,
    endpoints: `local=${models.openaiUrl} key=LOCAL_KEY`,
    cache: 'false',
    'report-path': report.slice(repository.directory.length + 1),
    ...inputs,
  };
  const { inputs: read, problems } = readInputs(given, OWN_SETTINGS);
  if (problems.length > 0) throw new UserError(problems);
  const facts = readEvent(
    all,
    parsePayload(
      readFileSync(
        new URL('../../fixtures/events/workflow_dispatch.json', import.meta.url),
        'utf8',
      ),
    ),
  );
  const secrets = createSecretRegister();
  secrets.add([TOKEN]);
  const said = {
    log: [] as string[],
    errors: [] as string[],
    warnings: [] as string[],
    outputs: {} as Record<string, string>,
  };
  const work = runJob({
    features: FEATURES,
    jobs: JOBS,
    inputs: read,
    access: accessFrom(read, all),
    facts,
    mode: resolveMode(read.mode, facts),
    workspace: repository.directory,
    env: all,
    secrets,
    now: () => {
      now();
      return new Date('2026-01-02T03:04:05Z');
    },
    runner: {
      info: into(said.log),
      notice: into(said.log),
      warning: into(said.warnings),
      error: into(said.errors),
      output: (name, value) => {
        said.outputs[name] = String(value);
      },
    },
  });
  const conclusion = await work.catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    said.errors.push(error.message);
    return 'error';
  });
  const result = join(report, 'result.json');
  return {
    ...said,
    conclusion,
    log: said.log.join('\n'),
    summary: readFileSync(summary, 'utf8'),
    report: existsSync(result) ? readFileSync(result, 'utf8') : null,
    folder: runner,
  };
}

test('a job that is cancelled stores what it paid for before it reports, for its runner waits ten seconds', async () => {
  const service = await startCacheServer();
  await models.close();
  // More than are asked at a time, so that some answers have come by then.
  models = await startModelServer({
    answer: (seen) => {
      if (models.requests.length === 12) process.emit('SIGINT');
      return knowing(seen);
    },
  });
  const stored: number[] = [];
  const sweep = async () => {
    stored.length = 0;
    await job(
      { mode: 'sweep', cache: 'true', overrides: 'prompts=twin' },
      {
        now: () => {
          // Where the real client looks for the service, once the job has begun.
          Object.assign(process.env, {
            ACTIONS_CACHE_SERVICE_V2: 'true',
            ACTIONS_RESULTS_URL: `${service.url}/`,
          });
          stored.push(service.entries().length);
        },
      },
    );
    return { beforeReport: stored.at(-1), after: service.entries().length };
  };
  const cancelled = await sweep();
  const whole = await sweep();
  await service.close();
  expect([cancelled.beforeReport, cancelled.after]).toEqual([1, 1]);
  // Else the report comes first.
  expect([whole.beforeReport, whole.after]).toEqual([1, 2]);
});

test('a sweep in batches is told when it leaves no other job a way to pick them up', async () => {
  head = repository.commit('batches', {
    'evaldiff.yaml': 'grader: { model: m }\nmodels:\n  m: { provider: openai, transport: batch }\n',
  });
  // Without a key nothing is sent; what was planned is said before.
  const warned = async (inputs: Record<string, string>) =>
    (await job({ mode: 'sweep', ...inputs })).warnings.filter((line) =>
      line.includes('transport: batch'),
    );
  expect(await warned({})).toEqual([
    'transport: batch with cache: false: batches that this job does not live to see end are paid for and cannot be picked up by another. Leave cache at true.',
  ]);
  expect(await warned({ overrides: 'transport=direct' })).toEqual([]);
  expect(await warned({ cache: 'true' })).toEqual([]);
});

describe('a sharded sweep in a workflow', () => {
  test('is one result, one check and one summary: the bytes of an unsharded run of the same answers', async () => {
    begin(WHOLE);
    const shards = [];
    for (const shard of ['1/3', '2/3', '3/3']) shards.push(await job({ mode: 'sweep', shard }));
    for (const [index, { conclusion, outputs, summary, report, log, errors }] of shards.entries()) {
      expect([conclusion, outputs['conclusion'], report, errors]).toEqual([
        'neutral',
        'neutral',
        null,
        [],
      ]);
      expect(outputs['title']).toMatch(
        new RegExp(`^Shard ${String(index + 1)}/3: \\d+ of 46 references evaluated$`),
      );
      expect(summary).toContain(outputs['title']);
      expect(summary).toContain('Nothing was judged here');
      expect(log.split('\n').at(-1)).toBe(
        `evaldiff: neutral (the merge judges). ${outputs['title']!}`,
      );
    }
    expect(artifacts.artifacts.map(({ name }) => name.replace(/-[0-9a-f]{8}$/, ''))).toEqual([
      'evaldiff-shard-1-of-3',
      'evaldiff-shard-2-of-3',
      'evaldiff-shard-3-of-3',
    ]);
    expect([github.state.checkRuns.length, github.state.comments.length]).toEqual([0, 0]);

    const paid = models.requests.length;
    const merged = await job({ mode: 'merge', cache: 'true' });
    expect(merged.errors).toEqual([]);
    expect(models.requests).toHaveLength(paid);
    expect(github.state.checkRuns).toHaveLength(1);
    expect(github.state.checkRuns[0]).toMatchObject({
      headSha: head,
      title: merged.outputs['title'],
    });
    // Four lines of recordings are counted apart.
    expect(merged.log).toMatch(
      new RegExp(`3 shards made ${String(paid)} model calls, .*4 answers from recordings`),
    );
    expect(merged.summary).toContain('3 shards made');
    // On the merge's own runner, whose store is the merged one.
    const again = await job(
      { mode: 'sweep', cache: 'true' },
      { env: { RUNNER_TEMP: merged.folder } },
    );
    expect(again.report).toBe(merged.report);
    expect(
      (JSON.parse(merged.report!) as Result).suites.flatMap(({ references }) => references),
    ).toHaveLength(46);
  });

  test('may leave the keys out of the merge: what was answered needs none', async () => {
    begin(WHOLE);
    for (const shard of ['1/2', '2/2']) await job({ mode: 'sweep', shard });
    const merged = await job({ mode: 'merge' }, { without: ['LOCAL_KEY'] });
    expect(merged.errors).toEqual([]);
    expect(
      (JSON.parse(merged.report!) as Result).suites.flatMap(({ references }) =>
        references.filter(({ status }) => status === 'error').map(({ id }) => id),
      ),
    ).toEqual(['no', 'no']);
  });

  test('is red without one of its shards, says which references that leaves out, and how to go on', async () => {
    begin(WHOLE);
    await job({ mode: 'sweep', shard: '1/3' });
    await job({ mode: 'sweep', shard: '3/3' });
    const merged = await job({ mode: 'merge' });
    expect(merged.outputs).toMatchObject({
      conclusion: 'error',
      title: 'Not judged: 1 problem to fix',
    });
    expect(merged.errors).toEqual([
      expect.stringMatching(
        /^shard 2\/3 is missing: it leaves out 1\d references \((?:\w+: \w+(?:, )?){10} and \d+ more\)\. Look at the log of its job, then choose "Re-run failed jobs": what the other shards answered is used again\.$/,
      ),
    ]);
    expect(github.state.checkRuns[0]).toMatchObject({ conclusion: 'failure' });
    expect(merged.log).toContain('2 shards made');
    // The failed job is run again, and the merge.
    await job({ mode: 'sweep', shard: '2/3' });
    expect((await job({ mode: 'merge' })).errors).toEqual([]);
  });

  test('takes no part of another workflow run', async () => {
    await job({ mode: 'sweep', shard: '1/1' }, { run: 'run-0' });
    const merged = await job({ mode: 'merge' });
    expect(merged.errors).toEqual([
      expect.stringContaining(
        'mode: merge: no shard of this sweep left an artifact in this workflow run.',
      ),
    ]);
    expect(merged.outputs['conclusion']).toBe('error');
  });

  test('is refused where the parts are of another commit, or a part is forged', async () => {
    await job({ mode: 'sweep', shard: '1/2' });
    const first = head;
    head = repository.commit('later', { 'README.md': 'later' });
    await job({ mode: 'sweep', shard: '2/2' });
    const mixed = await job({ mode: 'merge' });
    expect(mixed.errors).toEqual([
      `shard 1/2 evaluated commit ${first.slice(0, 7)}; the merge is about ${head.slice(0, 7)}. Give every job of the sweep, the merge included, the same commit, inputs and version.`,
    ]);
    artifacts.artifacts[0]!.name = artifacts.artifacts[0]!.name.replace('1-of-2', '2-of-3');
    expect((await job({ mode: 'merge' })).errors[0]).toMatch(
      /^The artifact evaldiff-shard-2-of-3-[0-9a-f]{8} holds the part of shard 1\/2, not of 2\/3\.$/,
    );
  });

  test('shows a mistake in the files once, at its place, when no shard could run', async () => {
    head = repository.commit('broken', { 'prompts/ask.yaml': 'name: ask\n' });
    const shard = await job({ mode: 'sweep', shard: '1/2' });
    expect([shard.conclusion, shard.errors.join()]).toEqual([
      'error',
      expect.stringContaining('prompts/ask.yaml'),
    ]);
    expect(artifacts.artifacts).toEqual([]);
    const merged = await job({ mode: 'merge' });
    expect(merged.errors.join()).toContain('prompts/ask.yaml');
    expect(merged.errors.join()).not.toContain('left an artifact');
  });
});

describe('a job that cannot be a shard or a merge says why, and makes no model calls', () => {
  test.each<[string, Record<string, string>, string[], RegExp]>([
    [
      'shard in a comparison',
      { mode: 'diff', shard: '1/2' },
      [],
      /^shard: parts a full sweep, and this is mode: diff\. Set mode: sweep, or leave shard out$/,
    ],
    [
      'shard in a measurement of noise',
      { mode: 'noise', shard: '1/2' },
      [],
      /^shard: parts a full sweep, and this is mode: noise\./,
    ],
    [
      'shard in the merge',
      { mode: 'merge', shard: '1/2' },
      [],
      /^shard: is for the jobs whose parts mode: merge joins; leave it out of the merge$/,
    ],
    [
      'a shard without artifacts',
      { mode: 'sweep', shard: '1/2' },
      ['ACTIONS_RUNTIME_TOKEN'],
      /^shard: artifacts cannot be reached: ACTIONS_RUNTIME_TOKEN is not set\./,
    ],
    [
      'a merge without artifacts',
      { mode: 'merge' },
      ['ACTIONS_RUNTIME_TOKEN', 'ACTIONS_RESULTS_URL'],
      /^mode: merge: artifacts cannot be reached: ACTIONS_RUNTIME_TOKEN and ACTIONS_RESULTS_URL are not set\./,
    ],
  ])('%s', async (_what, inputs, without, said) => {
    const message = await job(inputs, { without }).then(
      ({ errors }) => errors.join('\n'),
      (error: unknown) => String(error instanceof UserError ? error.message : error),
    );
    expect(message).toMatch(said);
    expect([models.requests.length, artifacts.artifacts.length]).toEqual([0, 0]);
  });
});
