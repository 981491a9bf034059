import { compileFilter, type CallRule } from './seccomp.ts';
import { callTableOf } from './system-calls.ts';

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
  const filter = (names: readonly string[]): string => {
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
