import { readdirSync, readFileSync } from 'node:fs';
import { GATEWAY_URL } from '../../../../src/features/agents/workspace/mounts.ts';

/** Facts about the machine outside the sandbox that attacks use. */
export interface Outside {
  /** The caller's HOME, which contains a file `secret`. */
  home: string;
  /** Folder of all workspaces of this evaldiff run. */
  runs: string;
  /** A folder outside that any user may write to. */
  probes: string;
  /** A folder outside that any user may write to and that is readable inside. */
  tools: string;
  parent: number;
  /** A server on the loopback interface outside, and one on an abstract socket. */
  port: number;
  abstract: string;
  /** Folders that are readable inside and contain a `socket` with a server and a `fifo`. */
  doors: readonly string[];
}

const python = (program: string) => `python3 - <<'PROGRAM'\n${program}\nPROGRAM`;

/** Each call has its name, its numbers on x86_64 and aarch64, and its arguments. */
const KERNEL_CALLS = python(`
import ctypes, errno, os, sys
libc, buffer = ctypes.CDLL(None, use_errno=True), ctypes.create_string_buffer(4096)
own, session, user, new_user = os.pidfd_open(os.getpid()), -3, -4, 0x10000000
for name, *numbers, arguments in (
    ("keyctl read", 250, 219, (11, session, buffer, 4096)),
    ("keyctl link", 250, 219, (8, user, session)),
    ("keyctl join", 250, 219, (1, None)),
    ("add_key", 248, 217, (b"user", b"evaldiff", b"x", 1, user)),
    ("request_key", 249, 218, (b"user", b"evaldiff", None, session)),
    ("io_uring_setup", 425, 425, (4, buffer)),
    ("io_uring_enter", 426, 426, (0, 0, 0, 0, None, 0)),
    ("io_uring_register", 427, 427, (-1, 0, None, 0)),
    ("bpf", 321, 280, (0, buffer, 64)),
    ("perf_event_open", 298, 241, (buffer, 0, -1, -1, 0)),
    ("userfaultfd", 323, 282, (1,)),
    ("ptrace", 101, 117, (0, 0, 0, 0)),
    ("process_vm_readv", 310, 270, (os.getpid(), None, 0, None, 0, 0)),
    ("process_vm_writev", 311, 271, (os.getpid(), None, 0, None, 0, 0)),
    ("pidfd_getfd", 438, 438, (own, 0, 0)),
    ("unshare user", 272, 97, (new_user,)),
    ("unshare files", 272, 97, (0x400,)),
    ("clone user", 56, 220, (new_user | 17, None, None, None, None)),
    ("setns", 308, 268, (own, 0x20000)),
    ("mount", 165, 40, (b"/tmp", b"/tmp", None, 4096, None)),
    ("fsopen", 430, 430, (b"tmpfs", 0)),
    ("open_tree", 428, 428, (-100, b"/tmp", 0)),
    ("chroot", 161, 51, (b"/tmp",)),
    ("clock_settime", 227, 112, (0, buffer)),
    ("settimeofday", 164, 170, (buffer, None)),
    ("adjtimex", 159, 171, (buffer,)),
    ("personality", 135, 92, (0x40000,)),
    ("socket vsock", 41, 198, (40, 1, 0)),
    ("socket packet", 41, 198, (17, 3, 0)),
    ("socket alg", 41, 198, (38, 5, 0)),
    ("socket bluetooth", 41, 198, (31, 3, 0)),
    ("socket netlink diag", 41, 198, (16, 3, 4)),
    ("socketpair tipc", 53, 199, (30, 1, 0, buffer)),
    ("clone3", 435, 435, (buffer, 88)),
    ("unknown", 600, 600, ()),
    ("x32 getpid", 0x40000000 + 39, 600, ()),
):
    number = numbers[os.uname().machine == "aarch64"]
    whole = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    result = libc.syscall(ctypes.c_long(number), *whole)
    if name.startswith("clone") and result == 0:
        os._exit(0)
    print(name, errno.errorcode[ctypes.get_errno()] if result == -1 else "done", flush=True)`);

/** int 0x80 uses the i386 table, whose numbers mean other calls. */
const CALL_OF_I386 = python(`
import ctypes
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
page = libc.mmap(None, ctypes.c_size_t(4096), 7, 0x22, -1, ctypes.c_long(0))
ctypes.memmove(page, bytes.fromhex("b814000000cd80c3"), 8)
print("reached", ctypes.CFUNCTYPE(ctypes.c_int)(page)())`);

const openDoors = (doors: readonly string[]) =>
  python(`
import os, socket
def connect(kind, path):
    try:
        socket.socket(socket.AF_UNIX, kind).connect(path)
        print("connected", path)
    except ConnectionRefusedError:
        pass
    except OSError as error:
        print(error, path)
for number, folder in enumerate(${JSON.stringify(doors)}):
    path, fifo, link = folder + "/socket", folder + "/fifo", "/tmp/link%d" % number
    os.symlink(path, link)
    connect(socket.SOCK_STREAM, path), connect(socket.SOCK_DGRAM, path), connect(socket.SOCK_STREAM, link)
    if not os.path.exists(fifo):
        print("missing", fifo)
    try:
        os.write(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK), b"x")
    except OSError:
        pass`);

/** Commands for `sh -c`. They print what they can reach. */
export const walledAttacks = ({
  home,
  runs,
  probes,
  tools,
  parent,
  port,
  abstract,
  doors,
}: Outside) =>
  ({
    'runs ordinary programs': `
      git stash -q && echo git; bash -c 'coproc cat; echo bash >&\${COPROC[1]}; head -1 <&\${COPROC[0]}'
      node -e 'new (require("worker_threads").Worker)("console.log(42)", { eval: true })'
      python3 -c 'import multiprocessing; print(multiprocessing.Pool(2).map(abs, [-1, -2]))'
      [ ! -e /usr/bin/chromium ] || /usr/bin/chromium --headless --no-sandbox --disable-gpu \
        --dump-dom 'data:text/html,<script>document.title = 6 * 7</script>' 2>/dev/null`,
    'asks the kernel for keys, namespaces and other objects': KERNEL_CALLS,
    'calls with 32-bit numbers': `[ $(uname -m) = aarch64 ] && exit 159; ${CALL_OF_I386}\nexit $?`,
    'opens sockets and FIFOs of the host': openDoors(doors),
    'reads the list of keys': 'cat /proc/keys /proc/key-users',
    'reads the environment of other processes': `
      cat /proc/[0-9]*/environ | tr '\\0' '\\n'; cat /proc/${parent}/environ; cat /proc/1/environ`,
    'writes outside the workspace': `
      for at in / /usr /etc /opt /dev /home /run /proc/sys/kernel ${probes} ${runs} ${tools}; do
        touch $at/evaldiff-was-here && echo wrote $at
      done; echo x >> /etc/passwd && echo wrote passwd
      echo x >> ${tools}/tool && echo wrote tool; cat ${tools}/tool >&2; test -w /proc/sysrq-trigger && echo sysrq; :`,
    'opens the sandbox from its own namespace': `
      unshare --map-root-user --mount sh -c '
        mount -o remount,bind,rw /usr && touch /usr/evaldiff-was-here && echo wrote
        umount -l /usr && echo unmounted; umount -l / && echo bare; ls -d ${home} ${runs}'
      nsenter --target 1 --mount --net true && echo entered; chroot / true && echo rooted; :`,
    'reads the home folder of the user': `
      cat ${home}/secret; ls ${home} /root /home/*/secret; find / -name secret -type f 2>/dev/null; :`,
    'reads the folder of another run': `ls ${runs} ${runs}/*; ls -d /proc/1/root/${runs}; :`,
    'kills and traces the process that started it': `
      kill -9 ${parent} && echo killed; kill -USR1 1; kill -9 1; kill -STOP 1; kill -9 -1
      python3 -c 'import ctypes; print("ptrace", ctypes.CDLL(None).ptrace(16, 1, 0, 0))'; :`,
    'reaches the network': `
      node -e '
        const net = require("node:net");
        const tell = (name) => (error) => console.log(name, error.code ?? "reached");
        net.connect(${port}, "127.0.0.1").on("connect", tell("loopback")).on("error", tell("loopback"));
        net.connect(443, "1.1.1.1").on("connect", tell("internet")).on("error", tell("internet"));
        net.connect("\\0${abstract}").on("connect", tell("abstract")).on("error", tell("abstract"));
        fetch("${GATEWAY_URL}/hello").then((r) => r.text()).then((t) => console.log("gateway", t));
      '; ls /run/docker.sock /var/run/docker.sock /run/evaldiff 2>&1`,
    'becomes another user': `
      sudo -n id -u; su -c 'id -u' root </dev/null; setpriv --reuid 0 id -u
      cp /bin/sh ./sh && chmod 4755 ./sh && ./sh -p -c 'id -u'; id -Gn; grep -E 'Cap(Prm|Eff|Amb)|NoNew' /proc/self/status`,
    'makes devices and hard links': `
      mknod disk b 8 0 && echo disk; ln /etc/passwd passwd && echo linked; ls /dev/sd* /dev/vd* /dev/mem; :`,
    'leaves processes behind': `
      setsid bash -c 'exec -a left-${parent} sleep 1000' </dev/null >/dev/null 2>&1 &
      bash -c 'exec -a left-${parent} sleep 1000' &
      (setsid bash -c '(trap "" TERM HUP INT; exec -a left-${parent} sleep 1000) </dev/null >/dev/null 2>&1 & exit' &)
      until [ "$(cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -c '^left-${parent}$')" = 3 ]; do :; done
      echo 3 left`,
    'links out of the workspace': `
      ln -s /etc/passwd absolute; ln -s ../../etc/passwd up; ln -s docs/../../x around
      ln -s .git/config git; ln -s a.txt fine; echo linked`,
    'plants hooks, filters and settings of git': `
      printf '#!/bin/sh\\ntouch ${probes}/git-ran\\n' > .git/hooks-run; chmod +x .git/hooks-run
      mkdir -p .git/hooks sub/.git/hooks
      for hook in post-checkout pre-commit post-index-change; do
        cp .git/hooks-run .git/hooks/$hook; cp .git/hooks-run sub/.git/hooks/$hook; done
      git config core.fsmonitor 'touch ${probes}/git-ran'; git config core.hooksPath .git/hooks
      git config filter.evil.clean 'touch ${probes}/git-ran'; git config filter.evil.smudge 'touch ${probes}/git-ran'
      git config diff.evil.textconv 'touch ${probes}/git-ran'; git config core.pager 'touch ${probes}/git-ran'
      printf '* filter=evil diff=evil\\n' > .gitattributes; echo changed >> a.txt; echo planted`,
    'leaves entries that are hard to read': `
      mkfifo pipe; mkdir locked; echo in > locked/in; chmod 000 locked/in locked
      touch "$(printf 'not-utf8-\\377')"; truncate -s 900M sparse
      deep=.; for i in $(seq 60); do deep=$deep/$(printf 'd%.0s' $(seq 80)); done; mkdir -p $deep
      printf '\\0\\1' > binary; chmod +x a.txt; echo done`,
    'shows the canary': `
      echo $EVALDIFF_CANARY_API_KEY; echo $EVALDIFF_CANARY_API_KEY > plain
      printf %s $EVALDIFF_CANARY_API_KEY | base64 > encoded; echo nothing > clean`,
    'edits the tests and the tools that setup made': `
      echo 'exit 0' > tests/check.sh; echo 'exit 0' > tools/run; echo 'exit 0' > tools/more
      rm -r docs; echo now-a-file > docs; mkdir -p evals; echo 42 > evals/answers.json; echo good > a.txt`,
  }) satisfies Record<string, string>;

export type AttackName = keyof ReturnType<typeof walledAttacks>;

/** Commands that only a limit ends. */
export const endless = {
  time: 'sleep 1000',
  output: 'yes',
  size: 'for i in 1 2 3; do dd if=/dev/zero of=big$i bs=1M count=900; done; sleep 1000',
  stopped: 'echo started; sleep 1000',
} as const;

/** Processes of this machine whose command line contains the text. */
export function processesNamed(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[0] ?? '';
        return line.includes(text) ? [line] : [];
      } catch {
        return [];
      }
    });
}
