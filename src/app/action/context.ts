import { appendFile } from 'node:fs/promises';
import type { Inputs } from '../../config/inputs.ts';
import type { ArtifactLibrary } from '../../edges/store/artifact.ts';
import { userError } from '../../errors.ts';
import type { Result } from '../../kernel/result/result.ts';
import type { SecretRegister } from '../../text/redact.ts';
import { ORIGIN_WORDS } from '../../trust/trust-table.ts';
import type { TrustDecision } from '../../trust/trust.ts';
import type { Problem, Conclusion } from '../../types/plain.ts';
import type { EventFacts } from '../../types/repository.ts';
import type { Feature } from '../run/feature.ts';
import type { Access, TestOverrides } from '../session/access.ts';
import type { RunCommits, CommitsRequest } from '../session/commits.ts';
import type { Evaluated } from '../session/evaluate.ts';
import { visibleErrorMessage } from '../session/safe-writing.ts';
import type { SessionRow } from '../session/session-row.ts';
import type { Session } from '../session/session.ts';
import type { Sides } from '../session/sides.ts';
import type { SessionRole } from '../session/stores.ts';
import type { Lease } from './lease.ts';

interface JobRunner {
  /** GitHub's runner would execute workflow commands in the text, so this escapes them. */
  info(text: string): void;
  notice(text: string): void;
  warning(text: string): void;
  error(text: string, place?: { file?: string; startLine?: number }): void;
  output(name: string, value: string | number): void;
}

export interface Job {
  inputs: Inputs;
  access: Access;
  facts: EventFacts;
  mode: 'diff' | 'sweep' | 'merge' | 'noise' | 'drift';
  trust: TrustDecision;
  commits: Promise<RunCommits>;
  workspace: string;
  env: NodeJS.ProcessEnv;
  secrets: SecretRegister;
  runner: JobRunner;
  lease: Lease;
  problems: Problem[];
  now(): Date;
  testOverrides?: TestOverrides | undefined;
  secondMs?: number | undefined;
  features: readonly (Feature & SessionRow)[];
  /** A feature's kind of job. Absent: a run with a verdict. */
  own: OwnJob | undefined;
  artifacts?: () => Promise<ArtifactLibrary>;
}

export async function artifactLibrary({
  artifacts,
}: Pick<Job, 'artifacts'>): Promise<ArtifactLibrary> {
  return artifacts === undefined ? (await import('@actions/artifact')).default : artifacts();
}

export interface JobEnding {
  conclusion: Conclusion;
  line: string;
}

export interface OwnJob {
  takes(job: Pick<Job, 'inputs' | 'mode'>): boolean;
  role?: SessionRole;
  isOfBase?: true;
  refuse?(job: Pick<Job, 'mode'>): string | null;
  /** Runs a job that has no verdict. Called instead of `open`. */
  run?(job: Job, session: Session): Promise<JobEnding>;
  open?(job: Job, session: Session, sides: Sides): Promise<OpenedJob>;
}

/** `sides` is null if a commit or a folder is missing. */
export interface EvaluatedJob extends Evaluated {
  sides: Sides | null;
  published(): Promise<void>;
}

export interface OpenedJob {
  evaluate(): Promise<Evaluated>;
  published(): Promise<void>;
}

export async function appendSummary(
  path: string | null | undefined,
  text: () => string,
  warn: (line: string) => void,
): Promise<void> {
  if (!path) return;
  try {
    await appendFile(path, text());
  } catch (error) {
    warn(`The job summary could not be written: ${visibleErrorMessage(error)}`);
  }
}

export const modeOf = ({ mode }: Pick<Job, 'mode'>): Result['mode'] =>
  mode === 'diff' ? mode : 'sweep';

export function commitsRequest(
  job: Pick<Job, 'inputs' | 'facts' | 'mode' | 'own'>,
): CommitsRequest & { workingDirectory: string } {
  const { inputs, facts } = job;
  const { workingDirectory, base, head } = inputs;
  if (job.own?.isOfBase !== true) return { workingDirectory, base, head, facts, mode: modeOf(job) };
  const ofBase = { ...facts, head: facts.base ?? facts.head, pullRequest: null };
  return { workingDirectory, base: null, head: base ?? head, facts: ofBase, mode: 'sweep' };
}

/**
 * @throws UserError if a commit is not found, or if `code` or `mode` forbids a head that is
 * not on a branch or tag of this repository.
 */
export async function commitsOf({ commits, inputs, mode, trust }: Job): Promise<RunCommits> {
  const found = await commits;
  const refused = inputs.code === 'host' ? 'code: host' : mode === 'diff' ? null : `mode: ${mode}`;
  if (refused === null || trust.foreign === undefined) return found;
  const instead =
    refused === 'code: host'
      ? "leave out code: host, so that it is judged like an outside contributor's pull request"
      : 'compare it with a base (mode: diff), whose tests and settings then apply';
  const message =
    `${refused} is refused: head (${found.head.slice(0, 7)}) is ` +
    `${ORIGIN_WORDS[trust.foreign]}. Read the commit and push it to a branch of this ` +
    `repository, or ${instead}.`;
  throw userError(null, message);
}
