import { existsSync } from 'node:fs';
import { compileFilter, type CallRule } from '../../../edges/sandbox/seccomp.ts';
import { callTableOf } from '../../../edges/sandbox/system-calls.ts';

/** All CLONE_NEW* flags. */
const NAMESPACE_FLAGS = 0x7e020000;

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;

const netlinkRule: CallRule = {
  argument: 2,
  values: [[NETLINK_ROUTE, 'allow']],
  otherwise: 'EPERM',
};

const socketRule: CallRule = {
  argument: 0,
  values: [
    [AF_UNIX, 'allow'],
    [AF_INET, 'allow'],
    [AF_INET6, 'allow'],
    [AF_NETLINK, netlinkRule],
  ],
  otherwise: 'EPERM',
};

const RESTRICTED: Readonly<Record<string, CallRule>> = {
  socket: socketRule,
  socketpair: socketRule,
  clone: {
    argument: 0,
    mask: NAMESPACE_FLAGS,
    values: [[0, 'allow']],
    otherwise: 'EPERM',
  },
  // A filter cannot read clone3's flags. After ENOSYS, C libraries call clone.
  clone3: 'ENOSYS',
  // PER_LINUX and PER_LINUX32, with UNAME26 or without, and the query.
  personality: {
    argument: 0,
    values: [0, 8, 0x20000, 0x20008, 0xffffffff].map((persona) => [persona, 'allow']),
    otherwise: 'EPERM',
  },
};

/** The filter of every program in a sandbox. Null if this architecture has no table. */
export function agentFilter(arch: NodeJS.Architecture): Buffer | null {
  const table = callTableOf(arch);
  if (table === null) return null;
  const calls = new Map([...table.calls.keys()].map((name) => [name, RESTRICTED[name] ?? 'allow']));
  return compileFilter(table, calls, 'ENOSYS');
}

/**
 * Without keyrings in the kernel (ENOSYS, 38), there is nothing to leave. SECCOMP_FILTER_FLAG_SPEC_ALLOW
 * (4), which runc also sets, keeps kernels before 5.16 from slowing the processor down.
 */
const PERL = `
my ($keyctl, $seccomp, $hex) = splice @ARGV, 0, 3;
syscall($keyctl + 0, 1, 0) != -1 or $! == 38 or die "no new session keyring: $!\\n";
my $code = pack 'H*', $hex;
my $program = pack 'S x6 P', length($code) / 8, $code;
syscall($seccomp + 0, 1, 4, $program) == 0 or die "no filter of system calls: $!\\n";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n";
`;

const PYTHON = `
import ctypes, os, struct, sys
keyctl, seccomp, code = int(sys.argv[1]), int(sys.argv[2]), bytes.fromhex(sys.argv[3])
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    result = libc.syscall(*[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    error = ctypes.get_errno()
    if result == -1 and (name, error) != ("new session keyring", 38):
        sys.exit("no %s: %s" % (name, os.strerror(error)))
call("new session keyring", keyctl, 1, 0)
buffer = ctypes.create_string_buffer(code)
program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
call("filter of system calls", seccomp, 1, 4, program)
os.execvp(sys.argv[4], sys.argv[4:])
`;

export const LOADERS = [
  ['/usr/bin/perl', '-e', PERL, '--'],
  ['/usr/bin/python3', '-ISB', '-c', PYTHON],
  ['/usr/local/bin/python3', '-ISB', '-c', PYTHON],
] as const;

/**
 * Starts a command with an empty session keyring and the filter, which its children inherit. Node
 * cannot make these system calls. Null if no program here can.
 */
export function filteredCommand(
  command: readonly string[],
  loaders: readonly (readonly string[])[] = LOADERS,
): string[] | null {
  const table = callTableOf(process.arch);
  const filter = agentFilter(process.arch);
  const loader = loaders.find(([path = '']) => existsSync(path));
  if (table === null || filter === null || loader === undefined) return null;
  const calls = [table.keyctl, table.calls.get('seccomp')].map(String);
  return [...loader, ...calls, filter.toString('hex'), ...command];
}
