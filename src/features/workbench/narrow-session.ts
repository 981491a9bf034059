import type { Feature } from '../../app/run/feature.ts';
import type { Session } from '../../app/session/session.ts';
import type { SuiteId } from '../../report/sections/order.ts';

export interface SingleRun {
  suite: SuiteId;
  /** Absent: all tests of the suite. */
  id?: string;
  /** Absent: as the settings say. */
  tries?: number;
  compared?: boolean;
  /** Runs instead of the project's features. */
  feature?: Feature;
}

export interface Allowance {
  maxCalls: number | null;
  maxCost: number | null;
}

export function withAllowance(session: Session, allowance: Allowance): Session {
  return { ...session, inputs: { ...session.inputs, ...allowance } };
}

export function withProgressLine(session: Session, write: (line: string) => void): Session {
  return { ...session, progress: { style: 'line', write } };
}

export function stopOnEdit(session: Session, edited: AbortSignal): Session {
  const { halting } = session;
  return {
    ...session,
    halting: {
      ...halting,
      signal: AbortSignal.any([halting.signal, edited]),
      halted: () =>
        halting.halted() ??
        (edited.aborted ? { code: 'interrupted', why: 'the files changed' } : null),
    },
  };
}

export function narrowSession(
  session: Session,
  { suite: { name, variant }, id, tries }: SingleRun,
): Session {
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
          prompts: [name],
          references: id === undefined ? null : [id],
          tags: null,
          only: { ...variant.parameters, model: variant.model },
          settings: [
            ...overrides.settings.filter(
              ({ path }) => tries === undefined || path[0] !== 'n_tries',
            ),
            ...(tries === undefined
              ? []
              : [{ path: ['n_tries'], value: tries, line: `n_tries=${tries}` }]),
          ],
        },
      },
    },
  };
}
