import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import library from '@actions/artifact';
import {
  artifactName,
  fetchParts,
  projectMark,
  unreachable,
  uploadPart,
  type ArtifactLibrary,
} from '../../../../src/edges/store/artifact.ts';
import { openPart } from '../../../../src/edges/store/part.ts';
import { UserError } from '../../../../src/errors.ts';
import { PART_FILES } from '../../../../src/features/shards/manifest.ts';
import { artifactServerPerTest } from '../../../stand-ins/artifact-service.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';

const PROJECT = '.\nevaldiff.yaml';
const FILES = ['manifest.json', 'answers.sqlite', 'others.jsonl'];
const server = artifactServerPerTest();
const inRun = (run: string) => Object.assign(process.env, server().environment(run));

function part(content: string) {
  const folder = temporaryFolder('part');
  for (const name of FILES) writeFileSync(join(folder, name), `${name} ${content}`);
  return folder;
}

const upload = (
  shard: { index: number; count: number },
  content = String(shard.index),
  project = PROJECT,
) =>
  uploadPart(library, { name: artifactName(shard, project), folder: part(content), files: FILES });
const fetchAll = (from: ArtifactLibrary = library, folder = temporaryFolder('fetched')) =>
  fetchParts(from, { project: PROJECT, folder });
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no refusal',
    (error: unknown) => (error instanceof UserError ? error.message : String(error)),
  );

describe('shard results (parts)', () => {
  test('are downloaded as uploaded, in order, each into its own folder', async () => {
    await upload({ index: 2, count: 2 });
    await upload({ index: 1, count: 2 });
    const { parts, problems } = await fetchAll();
    expect(problems).toEqual([]);
    expect(parts.map(({ name, index, count }) => [name, index, count])).toEqual([
      [`evaldiff-shard-1-of-2-${projectMark(PROJECT)}`, 1, 2],
      [`evaldiff-shard-2-of-2-${projectMark(PROJECT)}`, 2, 2],
    ]);
    for (const { folder, index } of parts) {
      expect(readdirSync(folder).sort()).toEqual([...FILES].sort());
      for (const name of FILES)
        expect(readFileSync(join(folder, name), 'utf8')).toBe(`${name} ${index}`);
    }
  });

  test('of other runs, projects and tools are ignored', async () => {
    inRun('run-2');
    await upload({ index: 1, count: 1 }, 'of run 2');
    inRun('run-1');
    await upload({ index: 1, count: 1 }, 'of another project', 'packages/shop\nevaldiff.yaml');
    for (const name of [`evaldiff-shard-1-of-1-${projectMark(PROJECT)}x`, 'evaldiff-report'])
      await uploadPart(library, { name, folder: part('another'), files: FILES });
    expect(await fetchAll()).toEqual({ parts: [], problems: [] });
  });

  test('are rejected with advice if one shard was uploaded twice', async () => {
    await upload({ index: 1, count: 2 });
    expect(await refusalOf(upload({ index: 1, count: 2 }))).toMatch(
      /^The artifact evaldiff-shard-1-of-2-[0-9a-f]{8} could not be uploaded: .*already exists.* – in shard: i\/n, give each job of the matrix its own i$/,
    );
  });

  test.each([
    ['CreateArtifact', 403, 'not yours', /could not be uploaded: .*\(403\).*not yours/],
    [
      'CreateArtifact',
      400,
      'Artifact storage quota has been hit',
      /could not be uploaded: .*quota.*/,
    ],
    ['FinalizeArtifact', 400, 'no', /could not be uploaded: .*no$/],
  ])(
    "fail with the service's reason if it refuses at %s with %i",
    async (method, status, message, said) => {
      server().refuse(method, status, message);
      expect(await refusalOf(upload({ index: 1, count: 2 }))).toMatch(said);
    },
  );

  test('that cannot be listed or downloaded are reported, and the others are used', async () => {
    server().refuse('ListArtifacts', 403, 'forbidden');
    expect((await fetchAll()).problems).toEqual([
      expect.stringMatching(/^The artifacts of this workflow run could not be listed: .*\(403\)/),
    ]);
  });

  test('with hostile paths write nothing outside their folder', async () => {
    await upload({ index: 1, count: 1 });
    const packed = join(temporaryFolder('hostile'), 'x.zip');
    const script = `import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], "w") as z:\n  for name in ["../../evil.txt", "/tmp/evil-of-evaldiff.txt", "manifest.json", "a/../../../evil.txt"]: z.writestr(name, "evil")`;
    execFileSync('python3', ['-c', script, packed]);
    server().artifacts[0]!.body = readFileSync(packed);
    const folder = temporaryFolder('fetched');
    const { parts } = await fetchAll(library, join(folder, 'parts'));
    expect(readdirSync(folder)).toEqual(['parts']);
    expect(readdirSync(join(folder, 'parts'))).toEqual(parts.map(({ name }) => name));
    expect(existsSync('/tmp/evil-of-evaldiff.txt')).toBe(false);
    // The remaining files are not a part of a sweep.
    expect(await openPart(parts[0]!.folder, PART_FILES)).toEqual({
      flaw: expect.stringContaining('is not a part of a sweep'),
    });
  });

  test("cannot be uploaded if the runner's token lacks the ids of the run", async () => {
    process.env['ACTIONS_RUNTIME_TOKEN'] = `x.${Buffer.from('{}').toString('base64url')}.x`;
    expect(await refusalOf(upload({ index: 1, count: 2 }))).toContain(
      'The provided JWT token is invalid and/or missing claims',
    );
  });
});

describe('downloading shard results (parts)', () => {
  const name = artifactName({ index: 1, count: 2 }, PROJECT);
  const artifact = { id: 7, name, size: 10, digest: 'sha256:x' };
  const found = (changes: object): ArtifactLibrary => ({
    uploadArtifact: () => Promise.resolve({}),
    listArtifacts: () => Promise.resolve({ artifacts: [{ ...artifact, ...changes }] }),
    downloadArtifact: (_id, options) => {
      mkdirSync(options!.path!, { recursive: true });
      return Promise.resolve({});
    },
  });

  test("uses only parts of the same run's latest attempt that have the right hash", async () => {
    const asked: unknown[] = [];
    const { uploadArtifact, listArtifacts, downloadArtifact } = found({});
    const spy: ArtifactLibrary = {
      uploadArtifact,
      listArtifacts: (options) => {
        asked.push(options);
        return listArtifacts(options);
      },
      downloadArtifact: (id, options) => {
        asked.push({ id, ...options, path: '' });
        return downloadArtifact(id, options);
      },
    };
    await fetchAll(spy);
    expect(asked).toEqual([{ latest: true }, { id: 7, path: '', expectedHash: 'sha256:x' }]);
  });

  test.each([
    [
      'that is too large is not fetched',
      found({ size: 5 * 1024 ** 3 }),
      / is 5368709120 bytes; the limit is 4294967296$/,
    ],
    [
      'with a different hash is rejected',
      { ...found({}), downloadArtifact: () => Promise.resolve({ digestMismatch: true }) },
      / was damaged in the download: its hash differs from that of the upload\. Run the merge again$/,
    ],
    [
      'that cannot be downloaded is reported in one line',
      { ...found({}), downloadArtifact: () => Promise.reject(new Error('no\nroute')) },
      / could not be downloaded: no[^\n]*route$/,
    ],
  ])('reports that a shard result %s', async (_what, library, said) => {
    const { parts, problems } = await fetchAll(library);
    expect(parts).toEqual([]);
    expect(problems).toEqual([expect.stringMatching(said)]);
  });

  test.each([
    'evaldiff-shard-1-of-2-../../x',
    'evaldiff-shard-../1-of-2-12345678',
    '../evaldiff-shard-1-of-2-12345678',
    'evaldiff-shard-1-of-2-12345678/..',
  ])('does not use an artifact called %s', async (name) => {
    expect(await fetchAll(found({ name }))).toEqual({ parts: [], problems: [] });
  });
});

test('artifacts need environment variables of the runner; if they are missing, the error says what to do', () => {
  expect(unreachable({ ACTIONS_RUNTIME_TOKEN: 't', ACTIONS_RESULTS_URL: 'u' })).toBeNull();
  expect(unreachable({ ACTIONS_RESULTS_URL: 'u' })).toMatch(
    /^artifacts are unavailable: ACTIONS_RUNTIME_TOKEN is not set\. .*uses:.*"evaldiff run --shard" and "evaldiff merge"$/,
  );
  expect(unreachable({})).toContain('ACTIONS_RUNTIME_TOKEN and ACTIONS_RESULTS_URL are not set');
});
