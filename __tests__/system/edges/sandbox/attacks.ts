import type { CodeLanguage } from '../../../../src/types/plain.ts';
import { readFixture } from '../../../stand-ins/fixture.ts';

/**
 * Programs that try to escape from the sandbox or to disturb it. Each must end with a matching
 * error, or with a value in which the harness looks for the canary. This file does not import jest,
 * because the harness is a separate program.
 */
export interface Surroundings {
  /** Id of the process that has the canary in its environment and memory. */
  holder: number;
  /** A readable file with the canary, a writable one, and the folder of both. */
  token: string;
  writable: string;
  folder: string;
  port: number;
  udpPort: number;
  unixSocket: string;
  abstractSocket: string;
}

export interface Attack {
  code: string;
  /** Pattern of the expected error. Null: the attack may finish, and only its value is checked. */
  ends: RegExp | null;
  /** Whether the attack succeeds without the locks. A control run proves that. */
  worksUnlocked: boolean;
}

/** Time limit in seconds of attacks that should time out. */
export const HASTE = 0.3;

/** Whether a limit of time or memory ends the attack, without the kernel's locks. */
export function meetsLimit({ ends }: Attack): boolean {
  return isTimed({ ends }) || ends?.test('used more than 512 MiB') === true;
}

export function isTimed({ ends }: Pick<Attack, 'ends'>): boolean {
  return ends?.test(`took longer than ${HASTE} s and was stopped`) === true;
}

/** How attacks end, and their code by name. Code may also be the numbers of a system call. */
interface Group {
  ends: string | null;
  works_unlocked?: true;
  attacks: Record<string, string | { x86: number; arm: number; arguments: string }>;
}

/** Python code that makes a system call by its number, which avoids Python's own checks. */
const call = (x86: number, arm: number, args: string) => `import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
number = ${x86} if os.uname().machine == "x86_64" else ${arm}
answer = libc.syscall(ctypes.c_long(number), ${args})
if answer < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
metric = answer
result = True`;

/** The attacks of `fixtures/attacks` with these surroundings filled in. */
export function attacksOn(language: CodeLanguage, at: Surroundings): Record<string, Attack> {
  const groups = readFixture(`attacks/${language}.yaml`) as Group[];
  return Object.fromEntries(
    groups.flatMap(({ ends, works_unlocked: worksUnlocked = false, attacks }) =>
      Object.entries(attacks).map(([name, written]): [string, Attack] => {
        const template =
          typeof written === 'string' ? written : call(written.x86, written.arm, written.arguments);
        const code = Object.entries(at).reduce(
          (text, [key, value]) => text.replaceAll(`{${key}}`, String(value)),
          template,
        );
        return [name, { code, ends: ends === null ? null : new RegExp(ends), worksUnlocked }];
      }),
    ),
  );
}
