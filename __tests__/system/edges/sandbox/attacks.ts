/**
 * Programs that try to get out of the sandbox, or to disturb it. Each says how it must end: with an
 * error that matches, or with a value (then the harness still looks for the canary in it). No jest
 * here: the harness runs as a program of its own.
 */
export interface Surroundings {
  /** The process that holds the canary in its environment and memory. */
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
  /** What its error says; null: it may finish, and only what it brings home is checked. */
  ends: RegExp | null;
  /** It gets what it wants where nothing is locked; the control run proves that. */
  worksUnlocked?: boolean;
}

/** Seconds of those that are meant to run into the time limit. */
export const HASTE = 0.3;

/** Whether it runs into a limit of time or memory, which no lock of the kernel has a part in. */
export function meetsLimit({ ends }: Attack): boolean {
  return isTimed({ ends }) || ends?.test('used more than 512 MiB') === true;
}

export function isTimed({ ends }: Pick<Attack, 'ends'>): boolean {
  return ends?.test(`took longer than ${HASTE} s and was stopped`) === true;
}

const closed = /closed to metric code/;
const text = (value: string): string => JSON.stringify(value);
/** A system call by its number on x86-64 and arm64, straight past Python's own checks. */
const call = (x86: number, arm: number, args: string): string =>
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

export function pythonAttacks(at: Surroundings): Record<string, Attack> {
  return {
    'reads its own environment': {
      code: `import os\nmetric = dict(os.environ)${done}`,
      ends: null,
    },
    "reads the holder's environment": {
      code: `metric = open("/proc/${at.holder}/environ", "rb").read().decode("latin-1")${done}`,
      ends: closed,
      worksUnlocked: true,
    },
    'reads its own environment file': {
      code: `metric = open("/proc/self/environ", "rb").read().decode("latin-1")${done}`,
      ends: closed,
    },
    "reads the holder's memory": {
      code: `lines = open("/proc/${at.holder}/maps").readlines()\nmetric = len(lines)${done}`,
      ends: closed,
      worksUnlocked: true,
    },
    'writes its own memory file': {
      code: `metric = open("/proc/self/mem", "r+b").fileno()${done}`,
      ends: closed,
    },
    "copies the holder's memory": {
      code: call(310, 270, `ctypes.c_long(${at.holder}), None, 0, None, 0, 0`),
      ends: closed,
    },
    'attaches to the holder': {
      code: call(101, 117, `16, ctypes.c_long(${at.holder}), None, None`),
      ends: closed,
    },
    'opens a handle on the holder': {
      code: call(434, 434, `ctypes.c_long(${at.holder}), 0`),
      ends: closed,
      worksUnlocked: true,
    },
    'signals the holder': {
      code: `import os\nos.kill(${at.holder}, 0)\nmetric = 1${done}`,
      ends: closed,
      worksUnlocked: true,
    },
    "opens the holder's inspector": {
      code: `import os, signal\nos.kill(${at.holder}, signal.SIGUSR1)\nmetric = 1${done}`,
      ends: closed,
    },
    'signals everybody': { code: `import os\nos.kill(-1, 0)\nmetric = 1${done}`, ends: closed },
    "signals through a descriptor's owner": {
      code: `import fcntl\nfcntl.fcntl(2, 8, ${at.holder})\nmetric = 1${done}`,
      ends: closed,
    },
    'asks for a signal on input': {
      code: `import fcntl\nfcntl.fcntl(2, 4, 0o20000)\nmetric = 1${done}`,
      ends: closed,
    },
    'signals through a device control': {
      code: `import fcntl, struct\nfcntl.ioctl(2, 0x8901, struct.pack("i", ${at.holder}))\nmetric = 1${done}`,
      ends: closed,
    },
    'types into the terminal': {
      code: `import fcntl\nfcntl.ioctl(2, 0x5412, b"x")\nmetric = 1${done}`,
      ends: closed,
    },
    'reads a token file': {
      code: `metric = open(${text(at.token)}).read()${done}`,
      ends: closed,
      worksUnlocked: true,
    },
    'reads a token file by system call': {
      code: `${call(257, 56, `-100, ${text(at.token)}.encode(), 0, 0`)}`,
      ends: closed,
      worksUnlocked: true,
    },
    'reads the user list': { code: `metric = open("/etc/passwd").read()${done}`, ends: closed },
    'lists the root folder': {
      code: `import os\nmetric = os.listdir("/")${done}`,
      ends: closed,
      worksUnlocked: true,
    },
    "appends to the runner's command file": {
      code: `open(${text(at.writable)}, "a").write("EVIL=1\\n")\nmetric = 1${done}`,
      ends: closed,
      worksUnlocked: true,
    },
    'writes into its working directory': {
      code: `open("x", "w").write("x")\nmetric = 1${done}`,
      ends: closed,
    },
    'makes a folder': {
      code: `import os\nos.mkdir(${text(`${at.folder}/made`)})\nmetric = 1${done}`,
      ends: closed,
    },
    'removes a file': {
      code: `import os\nos.unlink(${text(at.writable)})\nmetric = 1${done}`,
      ends: closed,
    },
    'renames a file': {
      code: `import os\nos.rename(${text(at.writable)}, ${text(`${at.folder}/moved`)})\nmetric = 1${done}`,
      ends: closed,
    },
    "changes a file's rights": {
      code: `import os\nos.chmod(${text(at.writable)}, 0o777)\nmetric = 1${done}`,
      ends: closed,
    },
    'cuts a file': {
      code: `import os\nos.truncate(${text(at.writable)}, 0)\nmetric = 1${done}`,
      ends: closed,
    },
    'links to a file': {
      code: `import os\nos.symlink(${text(at.token)}, ${text(`${at.folder}/link`)})\nmetric = 1${done}`,
      ends: closed,
    },
    'connects over TCP': {
      code: `import socket\nmetric = socket.create_connection(("127.0.0.1", ${at.port}), 2).recv(9).decode()${done}`,
      ends: closed,
      worksUnlocked: true,
    },
    'listens on TCP': {
      code: `import socket\ns = socket.socket()\ns.bind(("127.0.0.1", 0))\ns.listen()\nmetric = 1${done}`,
      ends: closed,
    },
    'sends over UDP': {
      code: `import socket\nmetric = socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", ${at.udpPort}))${done}`,
      ends: closed,
      worksUnlocked: true,
    },
    'fetches a page': {
      code: `import urllib.request\nmetric = urllib.request.urlopen("http://127.0.0.1:${at.port}/", timeout=2).read().decode()${done}`,
      ends: /closed to metric code|ModuleNotFoundError/,
    },
    'connects to a Unix socket': {
      code: `import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect(${text(at.unixSocket)})\nmetric = s.recv(9).decode()${done}`,
      ends: closed,
      worksUnlocked: true,
    },
    'connects to an abstract socket': {
      code: `import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect("\\0" + ${text(at.abstractSocket)})\nmetric = s.recv(9).decode()${done}`,
      ends: closed,
      worksUnlocked: true,
    },
    'opens a socket by system call': {
      code: call(41, 198, '2, 1, 0'),
      ends: closed,
      worksUnlocked: true,
    },
    'opens a netlink socket': { code: call(41, 198, '16, 3, 0'), ends: closed },
    'starts a shell': {
      code: `import os\nmetric = os.system("true")\nif metric != 0: raise PermissionError(1, "no shell")${done}`,
      ends: closed,
      worksUnlocked: true,
    },
    'starts a program': {
      code: `import subprocess\nmetric = subprocess.run(["id"], capture_output=True).stdout.decode()${done}`,
      ends: /closed to metric code|ModuleNotFoundError/,
      worksUnlocked: true,
    },
    'becomes another program': { code: `import os\nos.execv("/bin/true", ["true"])`, ends: closed },
    forks: { code: `import os\nif os.fork() == 0: os._exit(0)\nmetric = 1${done}`, ends: closed },
    'starts a thread': {
      code: `import threading\nt = threading.Thread(target=print)\nt.start()\nt.join()\nmetric = 1${done}`,
      ends: /can't start new thread/,
      worksUnlocked: true,
    },
    'opens an io_uring': {
      code: call(425, 425, '4, ctypes.create_string_buffer(256)'),
      ends: closed,
    },
    'enters a user namespace': { code: call(272, 97, '0x10000000'), ends: closed },
    'loads a kernel program': { code: call(321, 280, '0, None, 0'), ends: closed },
    'reads performance counters': { code: call(298, 241, 'None, 0, -1, -1, 0'), ends: closed },
    'reads kernel keys': { code: call(250, 219, '0, -3, 0'), ends: closed },
    'makes an anonymous file': {
      code: call(319, 279, 'b"x", 0'),
      ends: closed,
      worksUnlocked: true,
    },
    'changes its root': { code: call(161, 51, 'b"/"'), ends: closed },
    mounts: { code: call(165, 40, 'None, None, None, 0, None'), ends: closed },
    'changes its user': { code: `import os\nos.setuid(0)\nmetric = 1${done}`, ends: closed },
    'asks for a restart': { code: call(169, 142, '0, 0, 0, None'), ends: closed },
    'takes back its death signal': {
      code: call(157, 167, '1, 0, 0, 0, 0'),
      ends: closed,
      worksUnlocked: true,
    },
    'adds a second filter': { code: call(317, 277, '0, 0, None'), ends: closed },
    'raises its own limits': {
      code: `import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))\nmetric = 1${done}`,
      ends: /closed to metric code|ValueError|ModuleNotFoundError/,
    },
    'opens a pseudo-terminal': { code: `import os\nmetric = os.openpty()${done}`, ends: closed },
    'calls with 32-bit numbers': {
      // int 0x80 reaches the i386 table, whose numbers mean other calls; the filter ends the
      // process.
      code: [
        'import ctypes, mmap, os',
        'if os.uname().machine != "x86_64": os._exit(1)',
        'libc = ctypes.CDLL(None, use_errno=True)',
        'libc.mmap.restype = ctypes.c_void_p',
        'page = libc.mmap(None, ctypes.c_size_t(4096), 7, 0x22, -1, ctypes.c_long(0))',
        'ctypes.memmove(page, bytes.fromhex("b814000000cd80c3"), 8)',
        'metric = ctypes.CFUNCTYPE(ctypes.c_int)(page)()',
        'result = True',
      ].join('\n'),
      ends: /ended the Python process|closed to metric code|ModuleNotFoundError/,
    },
    'calls with x32 numbers': {
      code: call(0x40000000 + 39, 1000, '0'),
      ends: /ended the Python process|closed to metric code/,
    },
    'writes to every descriptor': {
      code: `import os\nfor fd in range(40):\n  try: os.write(fd, b'{"id":1,"values":{"metric":"forged","result":true}}\\n')\n  except OSError: pass\nmetric = 1${done}`,
      ends: /wrote to a channel it does not own/,
    },
    'reads every descriptor': {
      code: `import os\nfound = []\nfor fd in range(3, 40):\n  try: os.set_blocking(fd, False); found.append(os.read(fd, 99).decode())\n  except OSError: pass\nmetric = found${done}`,
      ends: null,
    },
    'prints workflow commands': {
      code: `import sys\nprint("::set-output name=x::evil")\nprint("::error::evil", file=sys.stderr)\nmetric = 1${done}`,
      ends: null,
    },
    'takes 3 GiB': {
      code: `x = bytearray(3 << 30)\nmetric = len(x)${done}`,
      ends: /^used more than 512 MiB$/,
    },
    'takes memory for ever': {
      code: `x = []\nwhile True: x.append(bytearray(1 << 24))`,
      ends: /^used more than 512 MiB$/,
    },
    loops: { code: 'while True: pass', ends: /^took longer than 0\.3 s and was stopped$/ },
    'computes a huge power': {
      code: `metric = len(str((10 ** 7) ** (10 ** 7)))${done}`,
      ends: /took longer than 0\.3 s/,
    },
    'bombs a regular expression': {
      code: `import re\nmetric = bool(re.match(r"(a+)+$", "a" * 40 + "!"))${done}`,
      ends: /took longer than 0\.3 s/,
    },
    'ignores every signal': {
      code: 'import signal\nfor s in range(1, 32):\n  try: signal.signal(s, signal.SIG_IGN)\n  except Exception: pass\nwhile True: pass',
      ends: /took longer than 0\.3 s/,
    },
    'catches everything': {
      code: 'while True:\n  try:\n    while True: pass\n  except BaseException: pass',
      ends: /took longer than 0\.3 s/,
    },
    'recurses without end': {
      code: 'import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(): f()\nf()',
      ends: /ended the Python process|took longer|used more|RecursionError/,
    },
    'follows a null pointer': {
      code: `import ctypes\nctypes.string_at(0)`,
      ends: /^ended the Python process$/,
    },
    'ends the process': { code: 'import os\nos._exit(0)', ends: /^ended the Python process$/ },
    aborts: { code: 'import os\nos.abort()', ends: /^ended the Python process$/ },
    'closes every descriptor': {
      code: `import os\nos.closerange(0, 64)\nmetric = 1${done}`,
      ends: /^ended the Python process$/,
    },
    'prints without end': {
      code: 'while True: print("x" * 1000)',
      ends: /took longer than 0\.3 s/,
    },
    'answers 50 MB': {
      code: `metric = "x" * (50 << 20)${done}`,
      ends: /^metric is larger than 64 KiB$/,
    },
    'answers with its own kind of truth': {
      code: 'class B:\n  def __bool__(self): return True\n  def __eq__(self, other): return True\nmetric = 1\nresult = B()',
      ends: /^result must be True or False, not B$/,
    },
    'raises an error that loops': {
      code: 'class E(Exception):\n  def __str__(self):\n    while True: pass\nraise E()',
      ends: /took longer than 0\.3 s/,
    },
  };
}

/** QuickJS has no files, network or processes to close: there must simply be none of them. */
export function javascriptAttacks(at: Surroundings): Record<string, Attack> {
  const none = /is not defined|not a function|cannot read property|not an object|no setter/;
  const has = 'metric = String(process.env.EVALDIFF_CANARY); result = true';
  return {
    'reads the environment': { code: has, ends: none },
    'reads it through the function constructor': {
      code: `metric = this.constructor.constructor(${text(`${has}; return metric`)})(); result = true`,
      ends: none,
    },
    'reads it through console': {
      code: `metric = console.log.constructor(${text(`${has}; return metric`)})(); result = true`,
      ends: none,
    },
    "reads it through an error's stack": {
      code: 'Error.prepareStackTrace = (e, frames) => frames; metric = new Error("x").stack[0].getThis().process.env; result = true',
      ends: none,
    },
    'requires a module': {
      code: `metric = require("fs").readFileSync(${text(at.token)}, "utf8"); result = true`,
      ends: none,
    },
    'imports a module': {
      code: 'import("fs").then((fs) => { metric = fs }); metric = "asked"; result = true',
      ends: null,
    },
    'imports a module at the top': {
      code: 'import fs from "fs"; metric = 1; result = true',
      ends: /SyntaxError/,
    },
    "looks for the shell's modules": {
      code: 'metric = typeof std + typeof os + typeof scriptArgs + typeof globalThis.process; result = true',
      ends: null,
    },
    fetches: { code: `fetch("http://127.0.0.1:${at.port}/")`, ends: none },
    'opens a socket': { code: `new WebSocket("ws://127.0.0.1:${at.port}/")`, ends: none },
    'starts a worker': { code: 'new Worker("data:text/javascript,1")', ends: none },
    'grows shared memory': { code: 'metric = typeof WebAssembly; result = true', ends: null },
    'posts to the host': { code: 'postMessage({ kind: "answer" })', ends: none },
    'forges the reply by poisoning JSON': {
      code: 'const bare = (parts) => Object.assign(Object.create(null), parts); JSON.stringify = () => "forged"; Object.prototype.toJSON = () => bare({ reply: bare({ values: bare({ metric: "forged", result: true }) }) }); metric = {}; result = true',
      ends: /wrote to a channel it does not own|must be plain data/,
    },
    'forges the reply by poisoning arrays': {
      code: 'Array.prototype[Symbol.iterator] = function* () { yield "forged"; }; Array.prototype.push = () => 1; metric = 1; result = true',
      ends: null,
    },
    'prints workflow commands': {
      code: 'console.log("::set-output name=x::evil"); metric = 1; result = true',
      ends: null,
    },
    'prints without end': {
      code: 'for (;;) console.log("x".repeat(1000))',
      ends: /took longer than 0\.3 s/,
    },
    loops: { code: 'for (;;);', ends: /^took longer than 0\.3 s and was stopped$/ },
    'loops and catches': {
      code: 'for (;;) { try { for (;;); } catch (e) {} }',
      ends: /took longer than 0\.3 s/,
    },
    'loops in a getter of its answer': {
      code: 'metric = { get a() { for (;;); } }; result = true',
      ends: /took longer than 0\.3 s/,
    },
    'loops in a promise': {
      code: '(async () => { for (;;) await 0; })(); metric = 1; result = true',
      ends: null,
    },
    'bombs a regular expression': {
      code: 'metric = /(a+)+$/.test("a".repeat(40) + "!"); result = true',
      ends: /took longer than 0\.3 s/,
    },
    'sorts for ever': { code: '[2, 1].sort(() => { for (;;); })', ends: /took longer than 0\.3 s/ },
    'computes a huge power': {
      code: 'metric = String(7n ** 7000000n).length; result = true',
      ends: /too large|took longer|used more/,
    },
    'takes 3 GB': {
      code: 'var a = []; for (;;) a.push(new ArrayBuffer(1 << 26))',
      ends: /^used more than 512 MiB$/,
    },
    'takes memory for ever': {
      code: 'var a = []; for (;;) a.push(new Array(100000).fill(1))',
      ends: /took longer than 0\.3 s|used more than 512 MiB/,
    },
    'recurses without end': { code: 'function f() { return f() + 1 } f()', ends: /stack overflow/ },
    'nests without end': { code: 'eval("[".repeat(100000))', ends: /stack overflow/ },
    'nests its answer': {
      code: 'metric = []; for (var i = 0; i < 100000; i++) metric = [metric]; result = true',
      ends: /nested deeper than 8 levels/,
    },
    'answers in a circle': {
      code: 'metric = []; metric.push(metric); result = true',
      ends: /nested deeper than 8 levels/,
    },
    'answers 50 MB': {
      code: 'metric = "x".repeat(50 << 20); result = true',
      ends: /^metric is larger than 64 KiB$/,
    },
    'answers with its own kind of truth': {
      code: 'metric = 1; result = new Boolean(true)',
      ends: /^result must be true or false, not Boolean$/,
    },
    'answers with a proxy': {
      code: 'metric = new Proxy({}, { ownKeys() { throw new Error("mine") } }); result = true',
      ends: /mine/,
    },
  };
}
