import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { INPUT_DEFAULTS } from '../../config/inputs.ts';
import { unreachable, uploadPage } from '../../edges/store/artifact.ts';
import { errorMessage } from '../../errors.ts';
import type { Session } from '../session/session.ts';
import { artifactLibrary, type Job } from './context.ts';
import { runIdentity, runUrl } from './identity.ts';

/** The verdict waits for a slow service no longer. Milliseconds. */
const PATIENCE_MS = 60_000;

/**
 * Uploads `report.html` as it is. The address at which GitHub opens it; null where it is not
 * uploaded, and then the log says where the file lies. A failure is a warning.
 */
export async function linkedReport(
  job: Job,
  session: Session,
  reports: string | null,
): Promise<string | null> {
  const { inputs, env, runner } = job;
  // Where nothing could be written, that was said already.
  if (reports === null) return null;
  const file = join(reports, 'report.html');
  const run = runUrl(env);
  const closed = unreachable(env);
  // A job that is being cancelled has ten seconds, and the verdict comes first.
  const interrupted = session.halting.halted()?.title === 'Interrupted';
  if (!inputs.uploadReport || run === null || closed !== null || interrupted) {
    runner.info(`The report with every answer: ${file}`);
    return null;
  }
  try {
    return `${run}/artifacts/${String(await inTime(upload(job, session, file)))}`;
  } catch (error) {
    runner.warning(`${errorMessage(error)}. The verdict stands; the report is ${file}`);
    return null;
  }
}

/** An artifact that is not packed has its file's name, so the file is copied under that name. */
async function upload(job: Job, session: Session, file: string): Promise<number> {
  const folder = join(session.temporaryFolder, 'evaldiff-upload');
  const name = reportFileName(job);
  await mkdir(folder, { recursive: true });
  await copyFile(file, join(folder, name));
  return uploadPage(await artifactLibrary(job), { name, folder });
}

/** Names of artifacts must differ within a workflow run. */
function reportFileName({ inputs, env }: Job): string {
  const { about, hash } = runIdentity(inputs, env);
  const usual = about === '' && inputs.checkName === INPUT_DEFAULTS['check-name'];
  return `evaldiff-report${usual ? '' : `-${hash}`}.html`;
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`The artifact service took longer than ${String(PATIENCE_MS / 1000)} s`));
    }, PATIENCE_MS);
  });
  return Promise.race([work, late]).finally(() => {
    clearTimeout(timer);
  });
}
