import type { Session } from '../../app/session/session.ts';
import type { Variant } from '../../kernel/result/pieces.ts';

export interface Single {
  suite: string;
  /** Null: all tests of the suite. */
  id: string | null;
  variant: Variant;
  /** Null: as the settings say. */
  tries: number | null;
  compared: boolean;
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

export function narrowSession(session: Session, { suite, id, variant, tries }: Single): Session {
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
          references: id === null ? null : [id],
          tags: null,
          only: { ...variant.parameters, model: variant.model },
          settings: [
            ...overrides.settings.filter(({ path }) => tries === null || path[0] !== 'n_tries'),
            ...(tries === null
              ? []
              : [{ path: ['n_tries'], value: tries, line: `n_tries=${tries}` }]),
          ],
        },
      },
    },
  };
}
