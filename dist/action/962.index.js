export const id=962;export const ids=[962];export const modules={78649:((e,o,n)=>{n.d(o,{Zo:()=>d,bW:()=>a,bi:()=>i,bj:()=>t,hz:()=>s,lI:()=>m,sg:()=>u,xA:()=>c});var r=n(25296);let t={work:"/workspace",home:"/home/agent",tmp:"/tmp"},s={gateway:8137,proxy:8138},i=`http://127.0.0.1:${s.gateway}`,l=["usr","bin","sbin","lib","lib32","lib64","libx32","etc","nix"],a=e=>l.some(o=>e===`/${o}`||e.startsWith(`/${o}/`)),d={gateway:"/run/evaldiff/gateway",proxy:"/run/evaldiff/proxy"},u="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";function c({root:e,own:o,readable:n,cover:s,sockets:i}){let a=r.r7,$=(e,o)=>`mount --bind ${a(e)} ${a(`.${o}`)}`;return[`set -e; umask 022; PATH=${u}`,"ip link set lo up; hostname agent || :",`mount -t tmpfs -o mode=755,nosuid,nodev,size=16m evaldiff ${a(e)}; cd ${a(e)}`,p,`links=; for name in ${l.join(" ")}; do
       if [ -L "/$name" ]; then links="$links /$name"
       elif [ -d "/$name" ]; then mkdir "$name"; show "/$name"; fi
     done; [ -z "$links" ] || cp -P $links .`,...s.map(e=>`if [ -d ${a(`.${e}`)} ]; then mount -t tmpfs -o mode=755,size=1m none ${a(`.${e}`)}; fi`),"mkdir -p workspace home/agent tmp dev/shm dev/pts var proc old run","mkdir -m 700 run/evaldiff; ln -s /tmp var/tmp",...void 0===o.layers?[$(o.work,t.work),$(o.home,t.home)]:["mkdir layers; cd layers",...m(o.layers,!0),"mount --bind merged/work ../workspace; mount --bind merged/home ../home/agent","umount merged run lower; cd ..; rmdir layers/* layers"],"mount -t tmpfs -o mode=1777,nosuid,nodev,size=1g none tmp","for name in null zero full random urandom; do : >dev/$name; mount --bind /dev/$name dev/$name; done","ln -s /proc/self/fd dev/fd; ln -s fd/0 dev/stdin; ln -s fd/1 dev/stdout; ln -s fd/2 dev/stderr","mount -t tmpfs -o mode=1777,nosuid,nodev,size=64m none dev/shm","mount -t devpts -o newinstance,ptmxmode=0666,mode=620 none dev/pts && ln -s pts/ptmx dev/ptmx || :","mount -t proc -o nosuid,nodev,noexec,hidepid=2 none proc","for name in keys key-users; do [ ! -e proc/$name ] || mount --bind /dev/null proc/$name; done",...n.map(e=>{var o;let n,t,s;return o=e,n=(0,r.r7)(o),t=(0,r.r7)(`.${o}`),s=(0,r.r7)(`.${o.slice(0,o.lastIndexOf("/"))}/`),`if [ ! -e ${t} ]; then if [ -d ${n} ]; then mkdir -p ${t}; else mkdir -p ${s}; : >${t}; fi; show ${n}; fi`}),...["gateway","proxy"].flatMap(e=>{let o=i[e];return null===o?[]:[`: >.${d[e]}; ${$(o,d[e])}`]}),f,"pivot_root . old; cd /; umount -l /old; rmdir /old; mount -o remount,bind,ro /"].join("\n")}function m({lower:e,run:o},n){return["mkdir lower run merged",`mount --bind ${(0,r.r7)(e)} lower; mount --bind ${(0,r.r7)(o)} run`,`mount -t overlay -o nosuid,nodev,userxattr,${n?"lowerdir=lower,upperdir=run/upper,workdir=run/scratch":"lowerdir=run/upper:lower"} none merged`]}let p=`hosts=$(printf '%b\\n' "$(cut -d ' ' -f 5 /proc/self/mountinfo)" | sort -u); mkdir mnt
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
    to=".$1$\{path#"$from"}"
    if [ ! -e "$to" ] || overlay "$path" "$to"; then continue; fi
    mount --bind "$path" "$to"; cover "$to"
  done
}`,f=`mounts=$(cat /proc/self/mountinfo); root=$(pwd)
printf '%s\\n' "$mounts" | while read -r _ _ _ _ point flags _; do
  case "$point" in *\\\\*) point=$(printf '%b' "$point") ;; esac
  case "$point" in
    "$root"/workspace|"$root"/home/agent|"$root"/tmp|"$root"/proc|"$root"/run/evaldiff/*) ;;
    "$root"/dev/null|"$root"/dev/*om|"$root"/dev/zero|"$root"/dev/full) ;;
    "$root"/dev/shm|"$root"/dev/pts) ;;
    "$root"/*) case "$flags" in ro|ro,*) continue ;; esac
      flags=$\{flags#r[ow]}; mount -o "remount,bind,ro,$\{flags#,}" "$point" ;;
  esac
done`}),30962:((e,o,n)=>{n.r(o),n.d(o,{WALL_KINDS:()=>w,agentUser:()=>x,findWalls:()=>E,startInside:()=>_,unshareWords:()=>S});var r=n(31421),t=n(78474),s=n(73024),i=n(51455),l=n(77030),a=n(48161),d=n(76760),u=n(61469),c=n(25296),m=n(93246),p=n(9811),f=n(10240);let $={argument:0,values:[[1,"allow"],[2,"allow"],[10,"allow"],[16,{argument:2,values:[[0,"allow"]],otherwise:"EPERM"}]],otherwise:"EPERM"},h={socket:$,socketpair:$,clone:{argument:0,mask:0x7e020000,values:[[0,"allow"]],otherwise:"EPERM"},clone3:"ENOSYS",personality:{argument:0,values:[0,8,131072,131080,0xffffffff].map(e=>[e,"allow"]),otherwise:"EPERM"}},v=`
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
`,y=[["/usr/bin/perl","-e",`
my ($keyctl, $seccomp, $hex) = splice @ARGV, 0, 3;
syscall($keyctl + 0, 1, 0) != -1 or $! == 38 or die "no new session keyring: $!\\n";
my $code = pack 'H*', $hex;
my $program = pack 'S x6 P', length($code) / 8, $code;
syscall($seccomp + 0, 1, 4, $program) == 0 or die "no filter of system calls: $!\\n";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n";
`,"--"],["/usr/bin/python3","-ISB","-c",v],["/usr/local/bin/python3","-ISB","-c",v]];var g=n(78649);let w=["root","rootless","sudo"],b=(0,s.readFileSync)(n.ab+"inside.js","utf8"),k=["--mount","--net","--pid","--ipc","--uts","--fork","--kill-child"];function x(e){return"root"===e?{uid:65534,gid:65534}:{uid:process.getuid?.()??65534,gid:process.getgid?.()??65534}}function S(e){return"sudo"===e?["sudo","-n","--","unshare"]:"rootless"===e?["unshare","--map-root-user"]:["unshare"]}let P=["--fsize=1000000000","--nproc=16384","--core=0"];async function _(e){var o,n;let $,v=(0,d.join)(e.folder,"control"),w=(0,d.join)(e.folder,"root");await (0,i.mkdir)(w,{recursive:!0});let _=`${JSON.stringify(function(e,o){var n,r;let t,i,l,c,m,$,{own:v,readable:w,sockets:b}=e,k=["gateway","proxy"].flatMap(e=>null===b[e]?[]:{port:g.hz[e],socket:g.Zo[e]}),S=(t=(0,s.realpathSync)(process.execPath),i=["/opt/hostedtoolcache",process.env.RUNNER_TOOL_CACHE??""].filter(s.existsSync),l=(0,d.dirname)((0,d.dirname)(t)),c=(0,d.join)(l,"lib","node_modules"),"bin"===(0,d.basename)((0,d.dirname)(t))&&(0,s.existsSync)((0,d.join)(c,"npm"))?[(0,d.dirname)(t),c,...i]:[t,...i]),_=[(0,a.homedir)(),process.cwd(),(0,a.tmpdir)(),...e.cover].filter(g.bW);return{script:(0,g.xA)({root:o,own:v,readable:[...w,...S],cover:_,sockets:b}),ports:k,command:function({kind:e,command:o},n){let{uid:r,gid:t}=x(e),i="rootless"===e?["--","unshare","--user",`--map-user=${r}`,`--map-group=${t}`]:[`--reuid=${r}`,`--regid=${t}`,"--clear-groups","--inh-caps=-all","--bounding-set=-all"],l=function(e,o=y){let n=(0,f.e)(process.arch),r=function(e){let o=(0,f.e)(e);if(null===o)return null;let n=new Map([...o.calls.keys()].map(e=>[e,h[e]??"allow"]));return(0,p.g)(o,n,"ENOSYS")}(process.arch),t=o.find(([e=""])=>(0,s.existsSync)(e));if(null===n||null===r||void 0===t)return null;let i=[n.keyctl,n.calls.get("seccomp")].map(String);return[...t,...i,r.toString("hex"),...e]}(["env",...Object.entries(n).map(([e,o])=>`${e}=${o}`),...o]);if(null===l)throw new u.Gd(`${A}${j}`);return["prlimit",...P,"--","setpriv","--no-new-privs",...i,"--",...l]}(e,{...e.env,PATH:(n=[...w,...S],r=e.env.PATH??"",m=(process.env.PATH??"").split(d.delimiter),$=[(0,d.dirname)(process.execPath),...m].filter(e=>(0,g.bW)(e)||n.some(o=>`${e}/`.startsWith(`${o}/`)||(0,d.dirname)(o)===e)),[...new Set([...r.split(d.delimiter),...$,"/usr/local/bin","/usr/bin","/bin"])].filter(e=>""!==e).join(d.delimiter))}),folder:g.bj.work,env:{PATH:g.sg}}}(e,w))}
`,E={report:"",isKilled:!1},L=[],H=(0,l.createServer)(e=>{L.push(e),e.setEncoding("utf8").on("data",e=>E.report+=e),e.on("error",()=>void 0).write(_)});await (0,t.once)(H.listen(v),"listening"),H.on("error",()=>void 0);let[R="",...z]=S(e.kind),I=[...z,...k,"--",process.execPath,"--input-type=module","-e",b,v],T=(0,r.spawn)(R,I,{cwd:"/",env:{PATH:process.env.PATH??"/usr/bin:/bin:/usr/sbin:/sbin"},stdio:"pipe",detached:!0});return{child:T,kill:()=>{for(let e of(E.isKilled=!0,L))e.destroy();H.close(),"sudo"!==e.kind&&T.kill("SIGKILL")},ended:(o=T,n=E,$="",o.stderr?.on("data",e=>$=($+String(e)).slice(-1e3)),o.stdin?.on("error",()=>void 0),new Promise((e,r)=>{let t=e=>{let o=(0,c.P8)(e.trim().split("\n").at(-1)??"");r(new u.Gd(`${A}${(0,c.ml)(o,300)||"no reason given"}`))};o.once("error",({message:e})=>t(e)),o.once("close",()=>{let o=(0,m.U4)(n.report);o?.code!==void 0?e({code:o.code}):n.isKilled?e({code:null}):t(o?.failed??$)})})).finally(()=>H.close())}}let A="The sandbox of a run could not be created: ",j=`nothing can load the filter of system calls (${process.arch}); on x64 or arm64, install the package perl or python3`;async function E(e=process.getuid?.()===0?["root"]:["rootless","sudo"],o=process.platform){if("linux"!==o)return{refused:H(["this system is not Linux"])};let n=[];for(let o of e){let e=await L(o);if(null===e)return{kind:o};n.push(`${o}: ${e}`)}return{refused:H(n)}}async function L(e){let o=await (0,i.mkdtemp)((0,d.join)((0,a.tmpdir)(),"evaldiff-walls-"));try{let{child:n,ended:r}=await _({kind:e,folder:o,own:{work:o,home:o},sockets:{gateway:null,proxy:null},readable:[],cover:[],command:["true"],env:{}}),t="";n.stdin?.end(),n.stdout?.resume(),n.stderr?.on("data",e=>t+=String(e));let{code:s}=await r;return 0===s?null:(0,c.ml)((0,c.P8)(t),300)}catch(e){return(0,u.gJ)(e).replace(A,"")}finally{await (0,i.rm)(o,{recursive:!0,force:!0})}}function H(e){return`Agents run in a sandbox (Linux namespaces), so that they cannot read keys or other files, and this machine cannot create it (${e.join("; ")}). Run it on Linux (on Windows: WSL 2; on macOS: a Linux virtual machine, or CI) with util-linux 2.36, iproute2 and Perl or Python 3, and one of: root with CAP_SYS_ADMIN (Docker: --privileged), user namespaces (Ubuntu 24.04: sysctl kernel.apparmor_restrict_unprivileged_userns=0), or sudo without a password, as on GitHub's runners.`}})};