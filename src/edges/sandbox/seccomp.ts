import { callTableOf, type CallTable } from './system-calls.ts';

/** What the kernel does with a call. An error makes it fail; `zero` returns 0. */
const FILTER_ANSWERS = {
  allow: 0x7fff0000,
  zero: 0x00050000,
  EPERM: 0x00050001,
  ENOSYS: 0x00050026,
  kill: 0x80000000,
} as const;

type FilterAnswer = keyof typeof FILTER_ANSWERS;

/** Decides by the lower 32 bits of an argument, after the mask. */
interface ArgumentRule {
  argument: number;
  mask?: number;
  values: readonly (readonly [number, CallRule])[];
  otherwise: FilterAnswer;
}

export type CallRule = FilterAnswer | ArgumentRule;

interface Instruction {
  code: number;
  ifTrue: number;
  ifFalse: number;
  value: number;
}

const LOAD = 0x20;
const AND = 0x54;
const EQUAL = 0x15;
const AT_LEAST = 0x35;
const RETURN = 0x06;

/** Offsets in the kernel's `struct seccomp_data`. */
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const ARGUMENTS_AT = 16;

const instruction = (code: number, value: number): Instruction => ({
  code,
  ifTrue: 0,
  ifFalse: 0,
  value,
});

const returnCode = (name: FilterAnswer): Instruction => instruction(RETURN, FILTER_ANSWERS[name]);

const ifTrue = (code: number, value: number, body: Instruction[]): Instruction[] => [
  { code, ifTrue: 0, ifFalse: body.length, value },
  ...body,
];

function ruleCode(rule: CallRule): Instruction[] {
  if (typeof rule === 'string') return [returnCode(rule)];
  return [
    instruction(LOAD, ARGUMENTS_AT + 8 * rule.argument),
    ...(rule.mask === undefined ? [] : [instruction(AND, rule.mask)]),
    ...rule.values.flatMap(([value, inner]) => ifTrue(EQUAL, value, ruleCode(inner))),
    returnCode(rule.otherwise),
  ];
}

/**
 * A seccomp program (classic BPF). It kills programs of other architectures, such as i386.
 * Calls that are not in `calls` fail with EPERM. `unknown`: the answer to numbers above the table,
 * which are newer calls or x32.
 */
export function compileFilter(
  table: CallTable,
  calls: ReadonlyMap<string, CallRule>,
  unknown: FilterAnswer,
): Buffer {
  const program = [
    instruction(LOAD, ARCHITECTURE_AT),
    { code: EQUAL, ifTrue: 1, ifFalse: 0, value: table.architecture },
    returnCode('kill'),
    instruction(LOAD, NUMBER_AT),
    ...ifTrue(AT_LEAST, Math.max(...table.calls.values()) + 1, [returnCode(unknown)]),
    ...[...calls].flatMap(([name, rule]) => {
      const number = table.calls.get(name);
      return number === undefined ? [] : ifTrue(EQUAL, number, ruleCode(rule));
    }),
    returnCode('EPERM'),
  ];
  const bytes = Buffer.alloc(8 * program.length);
  program.forEach(({ code, ifTrue, ifFalse, value }, index) => {
    bytes.writeUInt16LE(code, 8 * index);
    bytes.writeUInt8(ifTrue, 8 * index + 2);
    bytes.writeUInt8(ifFalse, 8 * index + 3);
    bytes.writeUInt32LE(value, 8 * index + 4);
  });
  return bytes;
}

/**
 * ioctl is absent and fcntl restricted, because both can make the kernel signal another process of
 * the same user (F_SETOWN, FIOSETOWN). times is absent (it reads a clock), and readlink
 * (/proc/self is a link to the process's id).
 */
const ALLOWED = `
  read write close fstat poll lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask
  rt_sigreturn pread64 readv writev select sched_yield mremap madvise dup nanosleep exit uname
  gettimeofday getrlimit getrusage getuid getgid geteuid getegid sigaltstack time futex
  sched_getaffinity restart_syscall clock_gettime clock_getres clock_nanosleep exit_group pselect6
  ppoll set_robust_list getrandom rseq
`;

/** Not allowed if Landlock cannot restrict paths. */
const TAKE_PATHS = `
  openat access faccessat faccessat2 stat lstat newfstatat statx getdents64 getcwd
`;

const words = (text: string): string[] => text.trim().split(/\s+/);

/** F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC */
const FCNTL_COMMANDS = [0, 1, 2, 3, 1030];

/** Filters for user code, in hex. Null if this architecture has no table. */
export function pythonFilters(
  arch: NodeJS.Architecture,
): { files: string; no_files: string } | null {
  const table = callTableOf(arch);
  if (table === null) return null;
  const filter = (names: readonly string[]) => {
    const calls = new Map<string, CallRule>(names.map((name) => [name, 'allow']));
    // A process id would reveal the process, and so the side, that is scored.
    calls.set('getpid', 'zero').set('gettid', 'zero');
    calls.set('fcntl', {
      argument: 1,
      values: FCNTL_COMMANDS.map((command) => [command, 'allow']),
      otherwise: 'EPERM',
    });
    return compileFilter(table, calls, 'EPERM').toString('hex');
  };
  const allowed = words(ALLOWED);
  return { files: filter([...allowed, ...words(TAKE_PATHS)]), no_files: filter(allowed) };
}
