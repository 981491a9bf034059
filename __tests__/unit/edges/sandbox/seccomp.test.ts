import { pythonFilters } from '../../../../src/edges/sandbox/seccomp.ts';
import { callTableOf } from '../../../../src/edges/sandbox/system-calls.ts';
import { agentFilter } from '../../../../src/features/agents/workspace/filter.ts';

interface Call {
  architecture: number;
  number: number;
  args?: readonly number[];
}

const ANSWERS: Readonly<Record<number, string>> = {
  0x7fff0000: 'allow',
  0x50000: 'zero',
  0x50001: 'EPERM',
  0x50026: 'ENOSYS',
  0x80000000: 'kill',
};

/** Runs a filter as the kernel does, and checks that it only uses valid instructions. */
function evaluate(program: Buffer, { architecture, number, args = [] }: Call): string {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(architecture, 4);
  args.forEach((value, index) => data.writeBigUInt64LE(BigInt(value), 16 + 8 * index));
  let accumulator = 0;
  for (let at = 0; at < program.length; at += 8) {
    const [code, value] = [program.readUInt16LE(at), program.readUInt32LE(at + 4)];
    const jump = (isTrue: boolean) => 8 * program.readUInt8(at + (isTrue ? 2 : 3));
    if (code === 0x06) return ANSWERS[value] ?? `unknown answer ${value}`;
    if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0;
    else if (code === 0x15) at += jump(accumulator === value);
    else if (code === 0x35) at += jump(accumulator >= value);
    else return `unknown instruction ${code}`;
  }
  return 'no answer';
}

const ARCHES = ['x64', 'arm64'] as const;
const AMD64 = 0xc000003e;
const I386 = 0x40000003;
const ARM = 0x40000028;

describe.each(ARCHES)('filter of agents on %s', (arch) => {
  const { architecture, calls } = callTableOf(arch)!;
  const program = agentFilter(arch)!;
  const answer = (name: string, ...args: number[]): string =>
    evaluate(program, { architecture, number: calls.get(name)!, args });
  const DEPENDS_ON_ARGUMENTS = ['socket', 'socketpair', 'clone', 'personality'];

  test('allows exactly the calls of the table, except clone3', () => {
    const allowed = new Set(calls.values());
    for (const name of [...DEPENDS_ON_ARGUMENTS, 'clone3']) allowed.delete(calls.get(name)!);
    const last = Math.max(...calls.values());
    const found = Array.from({ length: last + 50 }, (_, number) => number).filter(
      (number) => evaluate(program, { architecture, number }) === 'allow',
    );
    const withoutArguments = ['clone', 'personality'].map((name) => calls.get(name)!);
    expect(found).toEqual([...allowed, ...withoutArguments].sort((a, b) => a - b));
    expect(answer('clone3')).toBe('ENOSYS');
    expect(program.length / 8).toBeLessThan(4096);
  });

  test.each([
    ['a denied call', 425, 'EPERM'],
    ['the call after the table', 467, 'ENOSYS'],
    ['a call of the future', 5000, 'ENOSYS'],
    ['x32', 0x40000000, 'ENOSYS'],
    ['a negative number', 0xffffffff, 'ENOSYS'],
  ])('answers %s (%d) with %s', (_, number, expected) => {
    expect(evaluate(program, { architecture, number })).toBe(expected);
  });

  test.each([I386, ARM, 0, arch === 'x64' ? 0xc00000b7 : AMD64])(
    'kills programs of the architecture %d',
    (other) => {
      expect(evaluate(program, { architecture: other, number: calls.get('read')! })).toBe('kill');
    },
  );

  test.each([
    ['socket', [1, 1, 0], 'allow'],
    ['socket', [2, 1, 6], 'allow'],
    ['socket', [10, 2, 0], 'allow'],
    ['socket', [16, 3, 0], 'allow'],
    ['socket', [16, 3, 4], 'EPERM'],
    ['socket', [16, 3, 15], 'EPERM'],
    ['socket', [17, 3, 0], 'EPERM'],
    ['socket', [38, 5, 0], 'EPERM'],
    ['socket', [40, 1, 0], 'EPERM'],
    ['socket', [0x100000028, 1, 0], 'EPERM'],
    ['socket', [0, 1, 0], 'EPERM'],
    ['socketpair', [1, 1, 0], 'allow'],
    ['socketpair', [30, 1, 0], 'EPERM'],
    ['clone', [0x003d0f00], 'allow'],
    ['clone', [17], 'allow'],
    ...[0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000].map(
      (flag) => ['clone', [flag + 17], 'EPERM'] as const,
    ),
    ['clone', [0x100000000 + 0x10000000], 'EPERM'],
    ['personality', [0xffffffff], 'allow'],
    ['personality', [0x0040000], 'EPERM'],
  ])('answers %s with the arguments %j: %s', (name, args, expected) => {
    expect(answer(name, ...args)).toBe(expected);
  });
});

test.each(ARCHES)('filters of Python code on %s allow only listed calls', (arch) => {
  const { architecture, calls } = callTableOf(arch)!;
  const { files, no_files: none } = pythonFilters(arch)!;
  const answers = (program: string, names: string, ...args: number[]): string[] =>
    names.split(' ').map((name) => {
      const call = { architecture, number: calls.get(name)!, args };
      return evaluate(Buffer.from(program, 'hex'), call);
    });
  expect(answers(files, 'read openat getpid execve times ioctl')).toEqual([
    'allow',
    'allow',
    'zero',
    'EPERM',
    'EPERM',
    'EPERM',
  ]);
  expect(answers(none, 'read openat getcwd gettid')).toEqual(['allow', 'EPERM', 'EPERM', 'zero']);
  expect([1, 8].flatMap((command) => answers(files, 'fcntl', 0, command))).toEqual([
    'allow',
    'EPERM',
  ]);
});

test('there is no filter for architectures without a table', () => {
  expect([agentFilter('ia32'), pythonFilters('s390x')]).toEqual([null, null]);
});
