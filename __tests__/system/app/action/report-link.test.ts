import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import library from '@actions/artifact';
import type { Job } from '../../../../src/app/action/context.ts';
import { uploadReports } from '../../../../src/app/action/publish.ts';
import type { Session } from '../../../../src/app/session/session.ts';
import { readInputs } from '../../../../src/config/inputs.ts';
import type { ArtifactLibrary } from '../../../../src/edges/store/artifact.ts';
import { artifactServerPerTest } from '../../../stand-ins/artifact-service.ts';
import { OWN_SETTINGS } from '../../../stand-ins/features.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';

const RUN = 'https://github.com/acme/prompts/actions/runs/7001';
const server = artifactServerPerTest();

async function linked(
  given: Record<string, string> = {},
  {
    env = {},
    halted = null,
    mode,
    artifacts = () => Promise.resolve(library),
  }: {
    env?: NodeJS.ProcessEnv;
    halted?: string | null;
    mode?: 'diff';
    artifacts?: () => Promise<ArtifactLibrary>;
  } = {},
) {
  const folder = temporaryFolder('report');
  writeFileSync(join(folder, 'report.html'), '<!doctype html><p>every answer</p>');
  const said = { info: [] as string[], warnings: [] as string[] };
  writeFileSync(join(folder, 'result.json'), '{}');
  const job = {
    mode,
    inputs: readInputs(given, OWN_SETTINGS).inputs,
    env: {
      ...server().environment('run-1'),
      GITHUB_REPOSITORY: 'acme/prompts',
      GITHUB_RUN_ID: '7001',
      ...env,
    },
    artifacts,
    runner: {
      info: (text: string) => said.info.push(text),
      warning: (text: string) => said.warnings.push(text),
    },
  } as unknown as Job;
  const session = {
    inputs: job.inputs,
    temporaryFolder: temporaryFolder('runner'),
    halting: { halted: () => (halted === null ? null : { code: halted }) },
  } as unknown as Session;
  const { report: url, artifact } = await uploadReports(job, session, folder);
  return { url, artifact, file: join(folder, 'report.html'), ...said };
}

describe('the report of a job', () => {
  test('is a plain file that opens when its link is clicked', async () => {
    const { url, warnings } = await linked();
    expect([url, warnings]).toEqual([`${RUN}/artifacts/1`, []]);
    expect(server().artifacts.map(({ name, body }) => [name, body.toString()])).toEqual([
      ['evaldiff-report.html', '<!doctype html><p>every answer</p>'],
    ]);
  });

  test('has a unique name for each project and check of a workflow run', async () => {
    const all = [
      await linked(),
      await linked({ 'working-directory': 'shop' }),
      await linked({ config: 'other.yaml' }),
      await linked({ 'check-name': 'tone' }),
    ];
    expect(all.map(({ url }) => url)).toEqual([1, 2, 3, 4].map((id) => `${RUN}/artifacts/${id}`));
    expect(server().artifacts.map(({ name }) => name)).toEqual([
      'evaldiff-report.html',
      ...Array.from({ length: 3 }, () =>
        expect.stringMatching(/^evaldiff-report-[0-9a-f]{8}\.html$/),
      ),
    ]);
  });

  test('comes with result.json in a zip that gh can unpack', async () => {
    const all = [
      await linked({}, { mode: 'diff' }),
      await linked({ 'check-name': 'tone' }, { mode: 'diff' }),
    ];
    const hashed = expect.stringMatching(/^evaldiff-result-[0-9a-f]{8}$/);
    expect(all.map(({ artifact }) => artifact)).toEqual([
      { name: 'evaldiff-result', run: '7001' },
      { name: hashed, run: '7001' },
    ]);
    expect(server().artifacts.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['evaldiff-report.html', 'evaldiff-result', hashed]),
    );
    const zip = server().artifacts.find(({ name }) => name === 'evaldiff-result')?.body;
    expect(zip?.subarray(0, 2).toString()).toBe('PK');
    expect(zip?.includes('result.json')).toBe(true);
    const again = await linked({}, { mode: 'diff' });
    expect([again.url, again.artifact, again.warnings.length]).toEqual([null, undefined, 1]);
  });

  test('causes a warning with advice if another step used the same name', async () => {
    await linked();
    const { url, warnings, file } = await linked();
    expect(url).toBeNull();
    expect(warnings).toEqual([
      expect.stringMatching(
        /^The artifact evaldiff-report\.html could not be uploaded: .* – give each use of the action its own check-name\. The verdict is not affected\. The report is /,
      ),
    ]);
    expect(warnings[0]?.endsWith(file)).toBe(true);
  });

  test.each([
    ['CreateArtifact', 403, 'not yours'],
    ['FinalizeArtifact', 400, 'no'],
  ])('causes a warning if the service rejects it at %s', async (method, status, message) => {
    server().refuse(method, status, message);
    const { url, warnings } = await linked();
    expect(url).toBeNull();
    expect(warnings).toEqual([
      expect.stringContaining('The verdict is not affected. The report is '),
    ]);
  });

  test.each<[string, Record<string, string>, Parameters<typeof linked>[1]]>([
    [
      'on GitHub Enterprise Server',
      {},
      { env: { GITHUB_SERVER_URL: 'https://github.acme.example' } },
    ],
    [
      'if the runner gave no token for the upload service',
      {},
      { env: { ACTIONS_RUNTIME_TOKEN: '' } },
    ],
    ['with upload-report: false', { 'upload-report': 'false' }, {}],
    ['while the job is being cancelled', {}, { halted: 'cancelled' }],
  ])('is not uploaded %s, and the log shows its local path', async (_, given, options) => {
    const { url, info, warnings, file } = await linked(given, options);
    expect([url, warnings, info]).toEqual([null, [], [`The report with every answer: ${file}`]]);
    expect(server().methods).toEqual([]);
  });
});
