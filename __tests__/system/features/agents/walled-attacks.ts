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
}

/** Commands for `sh -c`. They print what they can reach. */
export const walledAttacks = ({ home, runs, probes, tools, parent, port, abstract }: Outside) =>
  ({
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
