import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The system's own Python, which any user may run. */
export const systemPython = '/usr/bin/python3';

const script = (body: string) => `#!${systemPython} -ISB\n${body}\n`;

/** Puts an executable into `folder` and returns its path. */
function program(folder: string, name: string, text: string) {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

/**
 * A Python that appears to run on a kernel without Landlock, or without Landlock and seccomp. A
 * filter answers their system calls as such a kernel does, before the real Python starts.
 */
export function pythonWithout(
  missing: 'landlock' | 'landlock and seccomp',
  folder: string,
): string {
  return program(
    folder,
    `python-without-${missing.replaceAll(' ', '-')}`,
    script(`
import ctypes, os, struct, sys
x86 = os.uname().machine == "x86_64"
libc = ctypes.CDLL(None, use_errno=True)
rules = []
def add(code, yes, no, value): rules.append(struct.pack("=HBBI", code, yes, no, value))
add(0x20, 0, 0, 0)
add(0x15, 0, 1, 444)
add(0x06, 0, 0, 0x00050000 | 38)
if ${missing === 'landlock and seccomp' ? 'True' : 'False'}:
    add(0x15, 0, 1, 317 if x86 else 277)
    add(0x06, 0, 0, 0x00050000 | 38)
    add(0x15, 0, 3, 157 if x86 else 167)
    add(0x20, 0, 0, 16)
    add(0x15, 0, 1, 22)
    add(0x06, 0, 0, 0x00050000 | 22)
add(0x06, 0, 0, 0x7FFF0000)
text = ctypes.create_string_buffer(b"".join(rules))
head = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(rules), ctypes.addressof(text)))
assert libc.prctl(38, ctypes.c_ulong(1), ctypes.c_ulong(0), ctypes.c_ulong(0), ctypes.c_ulong(0)) == 0
assert libc.prctl(22, ctypes.c_ulong(2), ctypes.c_ulong(ctypes.addressof(head)), ctypes.c_ulong(0), ctypes.c_ulong(0)) == 0
os.execv("${systemPython}", ["python3"] + sys.argv[1:])`),
  );
}

/** A Python that reports version 3.7. */
export function oldPython(folder: string): string {
  return program(
    folder,
    'python3.7',
    script(`
import sys
source, sys.argv = sys.argv[sys.argv.index("-c") + 1], ["-c"] + sys.argv[sys.argv.index("-c") + 2:]
sys.version_info = (3, 7, 9)
exec(compile(source, "<string>", "exec"), {"__name__": "__main__", "__builtins__": __builtins__})`),
  );
}
