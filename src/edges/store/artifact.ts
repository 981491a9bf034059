import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Artifact, ArtifactClient } from '@actions/artifact';
import { errorMessage, userError } from '../../errors.ts';
import { tooManyBytes } from '../../text/amounts.ts';
import { visibleLine } from '../../text/visible.ts';

export type ArtifactLibrary = Pick<
  ArtifactClient,
  'uploadArtifact' | 'listArtifacts' | 'downloadArtifact'
>;

/** GitHub allows re-runs of a workflow run for this long. */
const RETENTION_DAYS = 30;

const MOST_BYTES = 4 * 1024 * 1024 * 1024;

const COMPRESSION = 6;

const CONCURRENT_DOWNLOADS = 4;

const ARTIFACT_NAME = /^evaldiff-shard-(\d{1,3})-of-(\d{1,3})-([0-9a-f]{8})$/;

export function projectMark(project: string): string {
  return createHash('sha256').update(project).digest('hex').slice(0, 8);
}

export function artifactName(
  { index, count }: { index: number; count: number },
  project: string,
): string {
  return `evaldiff-shard-${index}-of-${count}-${projectMark(project)}`;
}

export function unreachable(env: NodeJS.ProcessEnv): string | null {
  // The library rejects every call on GitHub Enterprise Server. This repeats its check.
  const server = env['GITHUB_SERVER_URL'] ?? '';
  const host = URL.canParse(server) ? new URL(server).hostname : '';
  if (host !== '' && !/^github\.com$|\.ghe\.com$|\.localhost$/i.test(host))
    return (
      'GitHub Enterprise Server does not offer these artifacts: use "evaldiff run --shard" ' +
      'and "evaldiff merge", and pass the files between the jobs yourself'
    );
  const missing = ['ACTIONS_RUNTIME_TOKEN', 'ACTIONS_RESULTS_URL'].filter((name) => !env[name]);
  if (missing.length === 0) return null;
  const unset = `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not set`;
  return (
    `artifacts are unavailable: ${unset}. GitHub's runner sets it only for steps with uses:, ` +
    'not for commands in run:; elsewhere use "evaldiff run --shard" and "evaldiff merge"'
  );
}

export async function uploadPart(
  library: ArtifactLibrary,
  { name, folder, files }: { name: string; folder: string; files: readonly string[] },
): Promise<void> {
  const paths = files.map((file) => join(folder, file));
  const options = { retentionDays: RETENTION_DAYS, compressionLevel: COMPRESSION };
  await library
    .uploadArtifact(name, paths, folder, options)
    .catch(notUploaded(name, 'in shard: i/n, give each job of the matrix its own i'));
}

/** Does not zip the page, so that GitHub's link opens it in a browser. */
export async function uploadPage(
  library: ArtifactLibrary,
  { name, folder }: { name: string; folder: string },
): Promise<number> {
  const { id } = await library
    .uploadArtifact(name, [join(folder, name)], folder, { skipArchive: true })
    .catch(notUploaded(name, 'give each use of the action its own check-name'));
  if (id !== undefined) return id;
  throw userError(null, `The artifact ${name} was uploaded, but has no id`);
}

function notUploaded(name: string, ifTwice: string): (error: unknown) => never {
  return (error) => {
    const said = explainError(error);
    const advice = /already exists|\(409\)/i.test(said) ? ` – ${ifTwice}` : '';
    throw userError(null, `The artifact ${name} could not be uploaded: ${said}${advice}`);
  };
}

export async function fetchParts(
  library: ArtifactLibrary,
  { project, folder }: { project: string; folder: string },
) {
  const parts: { name: string; folder: string; index: number; count: number }[] = [];
  const problems: string[] = [];
  const listed = await library.listArtifacts({ latest: true }).catch((error: unknown) => {
    const failed = 'The artifacts of this workflow run could not be listed';
    problems.push(`${failed}: ${explainError(error)}`);
    return { artifacts: [] };
  });
  const mark = projectMark(project);
  const waiting = listed.artifacts.values();
  const fetchNext = async () => {
    for (const artifact of waiting) {
      const { name } = artifact;
      const [, index, count, of] = ARTIFACT_NAME.exec(name) ?? [];
      if (of !== mark) continue;
      const part = { name, folder: join(folder, name), index: Number(index), count: Number(count) };
      const flaw = await fetchFlaw(library, artifact, part.folder);
      if (flaw === null) parts.push(part);
      else problems.push(`The artifact ${name} ${flaw}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_DOWNLOADS }, fetchNext));
  return { parts: parts.sort((a, b) => a.index - b.index), problems: problems.sort() };
}

async function fetchFlaw(
  library: ArtifactLibrary,
  { id, size, digest }: Artifact,
  path: string,
): Promise<string | null> {
  if (size > MOST_BYTES) return tooManyBytes(size, MOST_BYTES);
  try {
    const { digestMismatch } = await library.downloadArtifact(id, {
      path,
      ...(digest === undefined ? {} : { expectedHash: digest }),
    });
    return digestMismatch === true
      ? 'was damaged in the download: its hash differs from that of the upload. Run the merge ' +
          'again'
      : null;
  } catch (error) {
    return `could not be downloaded: ${explainError(error)}`;
  }
}

function explainError(error: unknown): string {
  return visibleLine(errorMessage(error));
}
