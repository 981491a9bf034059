import { shellWord } from '../../../text/visible.ts';

/** Paths in the sandbox. They are the same in all runs, because prompts may contain them. */
export const INSIDE = { work: '/workspace', home: '/home/agent', tmp: '/tmp' } as const;

export const PORTS = { gateway: 8137, proxy: 8138 } as const;

export const GATEWAY_URL = `http://127.0.0.1:${PORTS.gateway}`;

/**
 * System folders that commands may read. Excluded on purpose: /home, /root, /run, /var, /mnt and
 * /opt, where runners keep credentials.
 */
const SYSTEM = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'etc', 'nix'];

export const isSystemPath = (path: string): boolean =>
  SYSTEM.some((name) => path === `/${name}` || path.startsWith(`/${name}/`));

export const SOCKETS = { gateway: '/run/evaldiff/gateway', proxy: '/run/evaldiff/proxy' } as const;

/** A run's folders. With `layers`, they contain only what differs from those in `lower`. */
export interface OwnFolders {
  work: string;
  home: string;
  layers?: RunLayers;
}

interface RunLayers {
  lower: string;
  /** The folder of the run, with the folders `upper` and `scratch`. */
  run: string;
}

export interface MountPlan {
  root: string;
  own: OwnFolders;
  readable: readonly string[];
  cover: readonly string[];
  sockets: { gateway: string | null; proxy: string | null };
}

export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Only the run's own folders are writable. Each program that the script starts costs every run. */
export function mountScript({ root, own, readable, cover, sockets }: MountPlan): string {
  const q = shellWord;
  const bind = (source: string, target: string) => `mount --bind ${q(source)} ${q(`.${target}`)}`;
  return [
    `set -e; umask 022; PATH=${SYSTEM_PATH}`,
    'ip link set lo up; hostname agent || :',
    `mount -t tmpfs -o mode=755,nosuid,nodev,size=16m evaldiff ${q(root)}; cd ${q(root)}`,
    SHOW,
    `links=; for name in ${SYSTEM.join(' ')}; do
       if [ -L "/$name" ]; then links="$links /$name"
       elif [ -d "/$name" ]; then mkdir "$name"; show "/$name"; fi
     done; [ -z "$links" ] || cp -P $links .`,
    ...cover.map(
      (path) =>
        `if [ -d ${q(`.${path}`)} ]; then mount -t tmpfs -o mode=755,size=1m none ${q(`.${path}`)}; fi`,
    ),
    'mkdir -p workspace home/agent tmp dev/shm dev/pts var proc old run',
    'mkdir -m 700 run/evaldiff; ln -s /tmp var/tmp',
    ...(own.layers === undefined
      ? [bind(own.work, INSIDE.work), bind(own.home, INSIDE.home)]
      : [
          'mkdir layers; cd layers',
          ...layerLines(own.layers, true),
          'mount --bind merged/work ../workspace; mount --bind merged/home ../home/agent',
          'umount merged run lower; cd ..; rmdir layers/* layers',
        ]),
    'mount -t tmpfs -o mode=1777,nosuid,nodev,size=1g none tmp',
    'for name in null zero full random urandom; do : >dev/$name; mount --bind /dev/$name dev/$name; done',
    'ln -s /proc/self/fd dev/fd; ln -s fd/0 dev/stdin; ln -s fd/1 dev/stdout; ln -s fd/2 dev/stderr',
    'mount -t tmpfs -o mode=1777,nosuid,nodev,size=64m none dev/shm',
    'mount -t devpts -o newinstance,ptmxmode=0666,mode=620 none dev/pts && ln -s pts/ptmx dev/ptmx || :',
    'mount -t proc -o nosuid,nodev,noexec,hidepid=2 none proc',
    'for name in keys key-users; do [ ! -e proc/$name ] || mount --bind /dev/null proc/$name; done',
    ...readable.map((path) => readableLine(path)),
    ...(['gateway', 'proxy'] as const).flatMap((name) => {
      const path = sockets[name];
      return path === null ? [] : [`: >.${SOCKETS[name]}; ${bind(path, SOCKETS[name])}`];
    }),
    READ_ONLY,
    `pivot_root . old; cd /; umount -l /old; rmdir /old; mount -o remount,bind,ro /`,
  ].join('\n');
}

/** Binds the folders first, because the options of an overlay cannot contain every path. */
export function layerLines({ lower, run }: RunLayers, isWritable: boolean): string[] {
  const options = isWritable
    ? 'lowerdir=lower,upperdir=run/upper,workdir=run/scratch'
    : 'lowerdir=run/upper:lower';
  return [
    'mkdir lower run merged',
    `mount --bind ${shellWord(lower)} lower; mount --bind ${shellWord(run)} run`,
    `mount -t overlay -o nosuid,nodev,userxattr,${options} none merged`,
  ];
}

function readableLine(path: string): string {
  const from = shellWord(path);
  const to = shellWord(`.${path}`);
  const parent = shellWord(`.${path.slice(0, path.lastIndexOf('/'))}/`);
  return (
    `if [ ! -e ${to} ]; then if [ -d ${from} ]; then mkdir -p ${to}; ` +
    `else mkdir -p ${parent}; : >${to}; fi; show ${from}; fi`
  );
}

/**
 * Shows a path of the host in the new root. A read-only bind mount does not stop a program from
 * connecting to a socket or writing to a FIFO. In an overlay, they are not the host's. Where the
 * kernel refuses an overlay, the ones that exist are covered: in user namespaces before Linux 5.11,
 * and on folders that contain mounts which such a namespace must not separate. An overlay does not
 * contain the mounts below its folder, so each is shown on its own.
 */
const SHOW = `hosts=$(printf '%b\\n' "$(cut -d ' ' -f 5 /proc/self/mountinfo)" | sort -u); mkdir mnt
overlay() {
  case "$1" in *[,:\\\\]*) return 1 ;; esac
  mount -t overlay -o "ro,nosuid,nodev,lowerdir=$1:mnt" none "$2" 2>/dev/null
}
cover() {
  left=$(timeout 20 find "$1" \\( -type s -o -type p \\) -exec sh -c '
    for path; do mount --bind /dev/null "$path" || echo "$path"; done' sh {} + 2>/dev/null) ||
    [ $? != 124 ]
  if [ -n "$left" ]; then echo "cannot cover $left" >&2; return 1; fi
}
show() {
  if [ ! -d "$1" ]; then mount --bind "$1" ".$1"; return; fi
  if ! overlay "$1" ".$1"; then mount --rbind "$1" ".$1"; cover ".$1"; return; fi
  from=$(cd "$1" && pwd -P)
  printf '%s\\n' "$hosts" | while read -r path; do
    case "$path" in "$from"/*) ;; *) continue ;; esac
    to=".$1\${path#"$from"}"
    if [ ! -e "$to" ] || overlay "$path" "$to"; then continue; fi
    mount --bind "$path" "$to"; cover "$to"
  done
}`;

/**
 * Makes the mounts that `--rbind` copied read-only; overlays already are. Keeps their other flags,
 * or the kernel refuses. In mountinfo, field 5 is the path with octal escapes, and field 6 the flags.
 */
const READ_ONLY = `mounts=$(cat /proc/self/mountinfo); root=$(pwd)
printf '%s\\n' "$mounts" | while read -r _ _ _ _ point flags _; do
  case "$point" in *\\\\*) point=$(printf '%b' "$point") ;; esac
  case "$point" in
    "$root"/workspace|"$root"/home/agent|"$root"/tmp|"$root"/proc|"$root"/run/evaldiff/*) ;;
    "$root"/dev/null|"$root"/dev/*om|"$root"/dev/zero|"$root"/dev/full) ;;
    "$root"/dev/shm|"$root"/dev/pts) ;;
    "$root"/*) case "$flags" in ro|ro,*) continue ;; esac
      flags=\${flags#r[ow]}; mount -o "remount,bind,ro,\${flags#,}" "$point" ;;
  esac
done`;
