import type { Session } from '../session/session.ts';
import type { Variant } from '../suite/suite.ts';

/** The tries of one reference in one column, to be made more of. */
export interface Single {
  suite: string;
  id: string;
  variant: Variant;
  tries: number;
  /** Base is asked too. */
  compared: boolean;
}

/** What a look may spend. */
export interface Allowance {
  maxCalls: number | null;
  /** US dollars. */
  maxCost: number | null;
}

/** The session, in which no more may be spent than this. */
export function withAllowance(session: Session, allowance: Allowance): Session {
  return { ...session, inputs: { ...session.inputs, ...allowance } };
}

/**
 * For looks that make no model calls: no cap refuses what lies there, and what they do is over before
 * anybody has read of it.
 */
export function silent(session: Session): Session {
  const free = { maxCalls: Number.MAX_SAFE_INTEGER, maxCost: Number.MAX_SAFE_INTEGER };
  return { ...withAllowance(session, free), progress: { style: 'steps', write: () => undefined } };
}

/** The session, whose progress is said in one line that changes. */
export function saying(session: Session, write: (line: string) => void): Session {
  return { ...session, progress: { style: 'line', write } };
}

/** The session, in which no further call is made once the files have changed. */
export function endingWith(session: Session, edited: AbortSignal): Session {
  const { halting } = session;
  return {
    ...session,
    halting: {
      ...halting,
      signal: AbortSignal.any([halting.signal, edited]),
      halted: () =>
        halting.halted() ??
        (edited.aborted ? { title: 'Interrupted', why: 'the files changed' } : null),
    },
  };
}

/** A session in which one reference alone runs in one column, so many times. */
export function onlyOne(session: Session, { suite, id, variant, tries }: Single): Session {
  const { inputs } = session;
  const { overrides } = inputs.read;
  return {
    ...session,
    inputs: {
      ...inputs,
      read: {
        ...inputs.read,
        overrides: {
          ...overrides,
          prompts: [suite],
          references: [id],
          tags: null,
          only: { ...variant.parameters, model: variant.model },
          settings: [
            ...overrides.settings.filter(({ path }) => path[0] !== 'n_tries'),
            { path: ['n_tries'], value: tries, line: `n_tries=${String(tries)}` },
          ],
        },
      },
    },
  };
}
