import { UserError } from '../../errors.ts';
import {
  calledModel,
  isHosted,
  type Complete,
  type Completion,
  type HostedTarget,
  type ProgramTarget,
  type Request,
  type Target,
} from '../../types/model.ts';
import { ownEntry, type Problem, type WaitingBatches } from '../../types/plain.ts';
import { vendorNames } from '../../types/vendors.ts';
import { addressProblems, loginOf, missingKeys } from './address.ts';
import type { Activity } from './clock.ts';
import { vendorCredential } from './exchange.ts';
import type { CallOptions } from './hosted-server.ts';
import { createHosted } from './hosted.ts';
import { createPrograms, type ProgramOptions } from './program.ts';
import { createReplay, type ReplayOptions } from './replay.ts';

export interface ProviderOptions extends ProgramOptions, ReplayOptions {
  ownPrograms?: OwnPrograms;
  /** Told every token that an identity is exchanged for. */
  register(secrets: readonly string[]): void;
  transport?: {
    /** The options' `signal` stops calls that wait, but not a call that may already cost money. */
    open(options: CallOptions): RequestTransport;
    activity: Activity;
  };
}

export type OwnPrograms = (options: CallOptions) => Readonly<Record<string, OwnProgram>>;

export interface OwnProgram {
  complete(request: Request, target: ProgramTarget): Promise<Completion>;
  close(): Promise<void>;
}

export interface RequestTransport {
  complete(request: Request, target: HostedTarget): Promise<Completion>;
  waiting(): WaitingBatches | null;
  close(): Promise<void>;
}

export interface Providers {
  /** Never rejects: a failure is a completion of status `error`. */
  complete: Complete;
  missingKeys(targets: readonly Target[]): Problem[];
  waiting(): WaitingBatches | null;
  close(): Promise<void>;
}

export function isOffline(env: ProviderOptions['env']): boolean {
  return !['', '0', 'false'].includes(env['EVALDIFF_OFFLINE']?.trim() ?? '');
}

/** @throws UserError for an address that is not https or loopback. */
export function createProviders(options: ProviderOptions): Providers {
  const problems = addressProblems(options);
  if (problems.length > 0) throw new UserError(problems);
  const closing = new AbortController();
  const given = { ...options, signal: AbortSignal.any([options.signal, closing.signal]) };
  const renewed = vendorNames().filter(
    (vendor) => options.identities?.has(vendor) || loginOf(vendor, options.cloud) !== null,
  );
  const credentials = new Map(
    renewed.map((vendor) => [vendor, vendorCredential(vendor, given)] as const),
  );
  const inner = { ...given, credentials };
  const hosted = createHosted(inner);
  const programs = createPrograms(inner);
  const own = options.ownPrograms?.(inner) ?? {};
  const replay = createReplay(options);

  const direct: Complete = (request) => {
    const { target } = request;
    if (isHosted(target)) return hosted.complete(request, target);
    if (target.provider === 'replay') return replay(request, target);
    if (request.purpose === 'embedding') {
      const message = 'a program returns text, not embeddings';
      return Promise.resolve({ status: 'error', kind: 'program', message });
    }
    return (ownEntry(own, target.command[0] ?? '') ?? programs).complete(request, target);
  };
  const { transport } = options;
  const other = transport?.open({ ...inner, signal: options.signal });
  const complete: Complete = (request) => {
    const { target } = request;
    if (!transport || !other) return direct(request);
    return 'transport' in target && request.purpose !== 'embedding'
      ? other.complete(request, target)
      : transport.activity.during(() => direct(request));
  };
  return {
    complete,
    waiting: () => other?.waiting() ?? null,
    missingKeys: (targets) =>
      missingKeys(
        isOffline(options.env) ? targets.filter((target) => calledModel(target) === null) : targets,
        inner,
        options.programEnv,
      ),
    async close() {
      closing.abort();
      hosted.close();
      const closed = Object.values(own).map((program) => program.close());
      await Promise.all([other?.close(), programs.close(), ...closed]);
    },
  };
}
