import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { INPUT_DEFAULTS } from '../../config/inputs.ts';
import { unreachable, uploadPage, uploadPart } from '../../edges/store/artifact.ts';
import { errorMessage } from '../../errors.ts';
import type { Links } from '../../report/sections/document.ts';
import type { Session } from '../session/session.ts';
import { artifactLibrary, type Job } from './context.ts';
import { runIdentity, runUrl } from './identity.ts';

const PATIENCE_MS = 60_000;

type UploadedReport = Pick<Links, 'report' | 'artifact'>;

export async function uploadReports(
  job: Job,
  session: Session,
  reports: string | null,
): Promise<UploadedReport> {
  const { inputs, env, runner } = job;
  if (reports === null) return { report: null };
  const file = join(reports, 'report.html');
  const run = runUrl(env);
  const closed = unreachable(env);
  // A canceled job skips uploads, because it needs its last ten seconds for the verdict.
  const interrupted = session.halting.halted()?.code === 'cancelled';
  if (!inputs.uploadReport || run === null || closed !== null || interrupted) {
    runner.info(`The report with every answer: ${file}`);
    return { report: null };
  }
  const [id, artifact] = await Promise.all([
    inTime(uploadHtml(job, session, file)).catch((error: unknown) => {
      runner.warning(`${errorMessage(error)}. The verdict is not affected. The report is ${file}`);
      return null;
    }),
    job.mode === 'diff' ? inTime(uploadResult(job, reports)).catch(() => null) : null,
  ]);
  return {
    report: id === null ? null : `${run}/artifacts/${id}`,
    ...(artifact === null ? {} : { artifact }),
  };
}

async function uploadResult(
  job: Job,
  folder: string,
): Promise<NonNullable<UploadedReport['artifact']>> {
  const name = reportArtifactName('evaldiff-result', job);
  await uploadPart(await artifactLibrary(job), { name, folder, files: ['result.json'] });
  return { name, run: job.env['GITHUB_RUN_ID'] ?? '' };
}

/** GitHub names an unzipped artifact after its file, so this copies the file to a unique name. */
async function uploadHtml(job: Job, session: Session, file: string): Promise<number> {
  const folder = join(session.temporaryFolder, 'evaldiff-upload');
  const name = `${reportArtifactName('evaldiff-report', job)}.html`;
  await mkdir(folder, { recursive: true });
  await copyFile(file, join(folder, name));
  return uploadPage(await artifactLibrary(job), { name, folder });
}

/** Artifact names must differ within a workflow run. */
function reportArtifactName(what: string, { inputs, env }: Job): string {
  const { about, hash } = runIdentity(inputs, env);
  const usual = about === '' && inputs.checkName === INPUT_DEFAULTS['check-name'];
  return `${what}${usual ? '' : `-${hash}`}`;
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`The artifact service took longer than ${PATIENCE_MS / 1000} s`));
    }, PATIENCE_MS);
  });
  return Promise.race([work, late]).finally(() => {
    clearTimeout(timer);
  });
}
