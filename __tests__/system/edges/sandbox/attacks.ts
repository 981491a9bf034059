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

const closed = /metric code cannot use files/;
const text = (value: string) => JSON.stringify(value);
/**
 * Python code that makes a system call by its number on x86-64 or arm64, which avoids Python's own
 * checks.
 */
const call = (x86: number, arm: number, args: string) =>
  [
    'import ctypes, os',
    'libc = ctypes.CDLL(None, use_errno=True)',
    `number = ${x86} if os.uname().machine == "x86_64" else ${arm}`,
    `answer = libc.syscall(ctypes.c_long(number), ${args})`,
    'if answer < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))',
    'metric = answer',
    'result = True',
  ].join('\n');
const done = '\nresult = True';

/** Builds attacks that all end in the same way. */
function ending(
  ends: Attack['ends'],
  codes: Record<string, string>,
  unlocked?: 'works unlocked',
): Record<string, Attack> {
  const worksUnlocked = unlocked !== undefined;
  return Object.fromEntries(
    Object.entries(codes).map(([name, code]) => [name, { code, ends, worksUnlocked }]),
  );
}

export function pythonAttacks(at: Surroundings): Record<string, Attack> {
  return {
    ...ending(null, {
      'reads its own environment': `import os\nmetric = dict(os.environ)${done}`,
      'reads every descriptor': `import os\nfound = []\nfor fd in range(3, 40):\n  try: os.set_blocking(fd, False); found.append(os.read(fd, 99).decode())\n  except OSError: pass\nmetric = found${done}`,
      'prints workflow commands': `import sys\nprint("::set-output name=x::evil")\nprint("::error::evil", file=sys.stderr)\nmetric = 1${done}`,
    }),
    ...ending(
      closed,
      {
        "reads the holder's environment": `metric = open("/proc/${at.holder}/environ", "rb").read().decode("latin-1")${done}`,
        "reads the holder's memory": `lines = open("/proc/${at.holder}/maps").readlines()\nmetric = len(lines)${done}`,
        'opens a handle on the holder': call(434, 434, `ctypes.c_long(${at.holder}), 0`),
        'signals the holder': `import os\nos.kill(${at.holder}, 0)\nmetric = 1${done}`,
        'reads a token file': `metric = open(${text(at.token)}).read()${done}`,
        'reads a token file by system call': `${call(257, 56, `-100, ${text(at.token)}.encode(), 0, 0`)}`,
        'lists the root folder': `import os\nmetric = os.listdir("/")${done}`,
        "appends to the runner's command file": `open(${text(at.writable)}, "a").write("EVIL=1\\n")\nmetric = 1${done}`,
        'connects over TCP': `import socket\nmetric = socket.create_connection(("127.0.0.1", ${at.port}), 2).recv(9).decode()${done}`,
        'sends over UDP': `import socket\nmetric = socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", ${at.udpPort}))${done}`,
        'connects to a Unix socket': `import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect(${text(at.unixSocket)})\nmetric = s.recv(9).decode()${done}`,
        'connects to an abstract socket': `import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect("\\0" + ${text(at.abstractSocket)})\nmetric = s.recv(9).decode()${done}`,
        'opens a socket by system call': call(41, 198, '2, 1, 0'),
        'starts a shell': `import os\nmetric = os.system("true")\nif metric != 0: raise PermissionError(1, "no shell")${done}`,
        'makes an anonymous file': call(319, 279, 'b"x", 0'),
        'takes back its death signal': call(157, 167, '1, 0, 0, 0, 0'),
      },
      'works unlocked',
    ),
    ...ending(closed, {
      'reads its own environment file': `metric = open("/proc/self/environ", "rb").read().decode("latin-1")${done}`,
      "reads the first process's environment": `metric = open("/proc/1/environ").read()${done}`,
      'writes its own memory file': `metric = open("/proc/self/mem", "r+b").fileno()${done}`,
      "copies the holder's memory": call(
        310,
        270,
        `ctypes.c_long(${at.holder}), None, 0, None, 0, 0`,
      ),
      'attaches to the holder': call(101, 117, `16, ctypes.c_long(${at.holder}), None, None`),
      "opens the holder's inspector": `import os, signal\nos.kill(${at.holder}, signal.SIGUSR1)\nmetric = 1${done}`,
      'signals everybody': `import os\nos.kill(-1, 0)\nmetric = 1${done}`,
      "signals through a descriptor's owner": `import fcntl\nfcntl.fcntl(2, 8, ${at.holder})\nmetric = 1${done}`,
      'asks for a signal on input': `import fcntl\nfcntl.fcntl(2, 4, 0o20000)\nmetric = 1${done}`,
      'signals through a device control': `import fcntl, struct\nfcntl.ioctl(2, 0x8901, struct.pack("i", ${at.holder}))\nmetric = 1${done}`,
      'types into the terminal': `import fcntl\nfcntl.ioctl(2, 0x5412, b"x")\nmetric = 1${done}`,
      'reads the user list': `metric = open("/etc/passwd").read()${done}`,
      'writes into its working directory': `open("x", "w").write("x")\nmetric = 1${done}`,
      'makes a folder': `import os\nos.mkdir(${text(`${at.folder}/made`)})\nmetric = 1${done}`,
      'removes a file': `import os\nos.unlink(${text(at.writable)})\nmetric = 1${done}`,
      'renames a file': `import os\nos.rename(${text(at.writable)}, ${text(`${at.folder}/moved`)})\nmetric = 1${done}`,
      "changes a file's rights": `import os\nos.chmod(${text(at.writable)}, 0o777)\nmetric = 1${done}`,
      'cuts a file': `import os\nos.truncate(${text(at.writable)}, 0)\nmetric = 1${done}`,
      'links to a file': `import os\nos.symlink(${text(at.token)}, ${text(`${at.folder}/link`)})\nmetric = 1${done}`,
      'listens on TCP': `import socket\ns = socket.socket()\ns.bind(("127.0.0.1", 0))\ns.listen()\nmetric = 1${done}`,
      'opens a netlink socket': call(41, 198, '16, 3, 0'),
      'becomes another program': `import os\nos.execv("/bin/true", ["true"])`,
      forks: `import os\nif os.fork() == 0: os._exit(0)\nmetric = 1${done}`,
      'opens an io_uring': call(425, 425, '4, ctypes.create_string_buffer(256)'),
      'enters a user namespace': call(272, 97, '0x10000000'),
      'loads a kernel program': call(321, 280, '0, None, 0'),
      'reads performance counters': call(298, 241, 'None, 0, -1, -1, 0'),
      'reads kernel keys': call(250, 219, '0, -3, 0'),
      'changes its root': call(161, 51, 'b"/"'),
      'calls with x32 numbers': call(0x40000000 + 39, 1000, '0'),
      mounts: call(165, 40, 'None, None, None, 0, None'),
      'changes its user': `import os\nos.setuid(0)\nmetric = 1${done}`,
      'asks for a restart': call(169, 142, '0, 0, 0, None'),
      'adds a second filter': call(317, 277, '0, 0, None'),
      'opens a pseudo-terminal': `import os\nmetric = os.openpty()${done}`,
    }),
    ...ending(/metric code cannot use files|ModuleNotFoundError/, {
      'fetches a page': `import urllib.request\nmetric = urllib.request.urlopen("http://127.0.0.1:${at.port}/", timeout=60).read().decode()${done}`,
    }),
    ...ending(
      /metric code cannot use files|ModuleNotFoundError/,
      {
        'starts a program': `import subprocess\nmetric = subprocess.run(["id"], capture_output=True).stdout.decode()${done}`,
      },
      'works unlocked',
    ),
    ...ending(
      /can't start new thread/,
      {
        'starts a thread': `import threading\nt = threading.Thread(target=print)\nt.start()\nt.join()\nmetric = 1${done}`,
      },
      'works unlocked',
    ),
    ...ending(/metric code cannot use files|ValueError|ModuleNotFoundError/, {
      'raises its own limits': `import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))\nmetric = 1${done}`,
    }),
    ...ending(/ended the Python process|metric code cannot use files|ModuleNotFoundError/, {
      // int 0x80 uses the i386 table, whose numbers mean other calls. The filter ends the process.
      'calls with 32-bit numbers': [
        'import ctypes, mmap, os',
        'if os.uname().machine != "x86_64": os._exit(1)',
        'libc = ctypes.CDLL(None, use_errno=True)',
        'libc.mmap.restype = ctypes.c_void_p',
        'page = libc.mmap(None, ctypes.c_size_t(4096), 7, 0x22, -1, ctypes.c_long(0))',
        'ctypes.memmove(page, bytes.fromhex("b814000000cd80c3"), 8)',
        'metric = ctypes.CFUNCTYPE(ctypes.c_int)(page)()',
        'result = True',
      ].join('\n'),
    }),
    ...ending(/wrote to evaldiff's internal channel/, {
      'writes to every descriptor': `import os\nfor fd in range(40):\n  try: os.write(fd, b'{"id":1,"values":{"metric":"forged","result":true}}\\n')\n  except OSError: pass\nmetric = 1${done}`,
    }),
    ...ending(/^used more than 512 MiB$/, {
      'takes 3 GiB': `x = bytearray(3 << 30)\nmetric = len(x)${done}`,
      'takes memory for ever': `x = []\nwhile True: x.append(bytearray(1 << 24))`,
    }),
    ...ending(/^took longer than 0\.3 s and was stopped$/, { loops: 'while True: pass' }),
    ...ending(/took longer than 0\.3 s/, {
      'computes a huge power': `metric = len(str((10 ** 7) ** (10 ** 7)))${done}`,
      'bombs a regular expression': `import re\nmetric = bool(re.match(r"(a+)+$", "a" * 40 + "!"))${done}`,
      'ignores every signal':
        'import signal\nfor s in range(1, 32):\n  try: signal.signal(s, signal.SIG_IGN)\n  except Exception: pass\nwhile True: pass',
      'catches everything':
        'while True:\n  try:\n    while True: pass\n  except BaseException: pass',
      'prints without end': 'while True: print("x" * 1000)',
      'raises an error that loops':
        'class E(Exception):\n  def __str__(self):\n    while True: pass\nraise E()',
    }),
    ...ending(/ended the Python process|took longer|used more|RecursionError/, {
      'recurses without end': 'import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(): f()\nf()',
    }),
    ...ending(/^ended the Python process$/, {
      'follows a null pointer': `import ctypes\nctypes.string_at(0)`,
      'ends the process': 'import os\nos._exit(0)',
      aborts: 'import os\nos.abort()',
      'closes every descriptor': `import os\nos.closerange(0, 64)\nmetric = 1${done}`,
    }),
    ...ending(/^metric is larger than 64 KiB$/, {
      'answers 50 MB': `metric = "x" * (50 << 20)${done}`,
    }),
    ...ending(/^result must be True or False, not B$/, {
      'answers with its own kind of truth':
        'class B:\n  def __bool__(self): return True\n  def __eq__(self, other): return True\nmetric = 1\nresult = B()',
    }),
  };
}

/** QuickJS has no access to files, network or processes. These attacks check that none exists. */
export function javascriptAttacks(at: Surroundings): Record<string, Attack> {
  const none = /is not defined|not a function|cannot read property|not an object|no setter/;
  const has = 'metric = String(process.env.EVALDIFF_CANARY); result = true';
  return {
    ...ending(none, {
      'reads the environment': has,
      'reads it through the function constructor': `metric = this.constructor.constructor(${text(`${has}; return metric`)})(); result = true`,
      'reads it through console': `metric = console.log.constructor(${text(`${has}; return metric`)})(); result = true`,
      "reads it through an error's stack":
        'Error.prepareStackTrace = (e, frames) => frames; metric = new Error("x").stack[0].getThis().process.env; result = true',
      'requires a module': `metric = require("fs").readFileSync(${text(at.token)}, "utf8"); result = true`,
      fetches: `fetch("http://127.0.0.1:${at.port}/")`,
      'opens a socket': `new WebSocket("ws://127.0.0.1:${at.port}/")`,
      'starts a worker': 'new Worker("data:text/javascript,1")',
      'posts to the host': 'postMessage({ kind: "answer" })',
    }),
    ...ending(null, {
      'imports a module':
        'import("fs").then((fs) => { metric = fs }); metric = "asked"; result = true',
      "looks for the shell's modules":
        'metric = typeof std + typeof os + typeof scriptArgs + typeof globalThis.process; result = true',
      'grows shared memory': 'metric = typeof WebAssembly; result = true',
      'forges the reply by poisoning arrays':
        'Array.prototype[Symbol.iterator] = function* () { yield "forged"; }; Array.prototype.push = () => 1; metric = 1; result = true',
      'prints workflow commands':
        'console.log("::set-output name=x::evil"); metric = 1; result = true',
      'loops in a promise': '(async () => { for (;;) await 0; })(); metric = 1; result = true',
    }),
    ...ending(/SyntaxError/, {
      'imports a module at the top': 'import fs from "fs"; metric = 1; result = true',
    }),
    ...ending(/wrote to evaldiff's internal channel|must be plain data/, {
      'forges the reply by poisoning JSON':
        'const bare = (parts) => Object.assign(Object.create(null), parts); JSON.stringify = () => "forged"; Object.prototype.toJSON = () => bare({ reply: bare({ values: bare({ metric: "forged", result: true }) }) }); metric = {}; result = true',
    }),
    ...ending(/took longer than 0\.3 s/, {
      'prints without end': 'for (;;) console.log("x".repeat(1000))',
      'loops and catches': 'for (;;) { try { for (;;); } catch (e) {} }',
      'loops in a getter of its answer': 'metric = { get a() { for (;;); } }; result = true',
      'bombs a regular expression': 'metric = /(a+)+$/.test("a".repeat(40) + "!"); result = true',
      'sorts for ever': '[2, 1].sort(() => { for (;;); })',
    }),
    ...ending(/^took longer than 0\.3 s and was stopped$/, { loops: 'for (;;);' }),
    ...ending(/too large|took longer|used more/, {
      'computes a huge power': 'metric = String(7n ** 7000000n).length; result = true',
    }),
    ...ending(/^used more than 512 MiB$/, {
      'takes 3 GB': 'var a = []; for (;;) a.push(new ArrayBuffer(1 << 26))',
    }),
    ...ending(/took longer than 0\.3 s|used more than 512 MiB/, {
      'takes memory for ever': 'var a = []; for (;;) a.push(new Array(100000).fill(1))',
    }),
    ...ending(/stack overflow/, {
      'recurses without end': 'function f() { return f() + 1 } f()',
      'nests without end': 'eval("[".repeat(100000))',
    }),
    ...ending(/nested deeper than 8 levels/, {
      'nests its answer':
        'metric = []; for (var i = 0; i < 100000; i++) metric = [metric]; result = true',
      'answers in a circle': 'metric = []; metric.push(metric); result = true',
    }),
    ...ending(/^metric is larger than 64 KiB$/, {
      'answers 50 MB': 'metric = "x".repeat(50 << 20); result = true',
    }),
    ...ending(/^result must be true or false, not Boolean$/, {
      'answers with its own kind of truth': 'metric = 1; result = new Boolean(true)',
    }),
    ...ending(/mine/, {
      'answers with a proxy':
        'metric = new Proxy({}, { ownKeys() { throw new Error("mine") } }); result = true',
    }),
  };
}
