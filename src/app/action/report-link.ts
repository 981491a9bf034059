import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { INPUT_DEFAULTS } from '../../config/inputs.ts';
import { unreachable, uploadPage } from '../../edges/store/artifact.ts';
import { errorMessage } from '../../errors.ts';
import type { Session } from '../session/session.ts';
import { artifactLibrary, type Job } from './context.ts';
import { runIdentity, runUrl } from './identity.ts';

/** Milliseconds; longer would delay the verdict. */
const PATIENCE_MS = 60_000;

/** Returns the address of the uploaded `report.html`. Null with a warning or notice otherwise. */
export async function linkedReport(
  job: Job,
  session: Session,
  reports: string | null,
): Promise<string | null> {
  const { inputs, env, runner } = job;
  // Already reported.
  if (reports === null) return null;
  const file = join(reports, 'report.html');
  const run = runUrl(env);
  const closed = unreachable(env);
  // A canceled job has ten seconds, and the verdict comes first.
  const interrupted = session.halting.halted()?.code === 'cancelled';
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

/** An unpacked artifact has its file's name, so the file is copied under that name. */
async function upload(job: Job, session: Session, file: string): Promise<number> {
  const folder = join(session.temporaryFolder, 'evaldiff-upload');
  const name = reportFileName(job);
  await mkdir(folder, { recursive: true });
  await copyFile(file, join(folder, name));
  return uploadPage(await artifactLibrary(job), { name, folder });
}

/** Artifact names must differ within a workflow run. */
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
