export const id=962;export const ids=[962];export const modules={78649:((e,o,n)=>{n.d(o,{Zo:()=>d,bW:()=>a,bi:()=>i,bj:()=>t,hz:()=>s,lI:()=>m,sg:()=>u,xA:()=>c});var r=n(25296);let t={work:"/workspace",home:"/home/agent",tmp:"/tmp"},s={gateway:8137,proxy:8138},i=`http://127.0.0.1:${s.gateway}`,l=["usr","bin","sbin","lib","lib32","lib64","libx32","etc","nix"],a=e=>l.some(o=>e===`/${o}`||e.startsWith(`/${o}/`)),d={gateway:"/run/evaldiff/gateway",proxy:"/run/evaldiff/proxy"},u="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";function c({root:e,own:o,readable:n,cover:s,sockets:i}){let a=r.r7,$=(e,o)=>`mount --bind ${a(e)} ${a(`.${o}`)}`;return[`set -e; umask 022; PATH=${u}`,"ip link set lo up; hostname agent || :",`mount -t tmpfs -o mode=755,nosuid,nodev,size=16m evaldiff ${a(e)}; cd ${a(e)}`,p,`links=; for name in ${l.join(" ")}; do
       if [ -L "/$name" ]; then links="$links /$name"
       elif [ -d "/$name" ]; then mkdir "$name"; show "/$name"; fi
     done; [ -z "$links" ] || cp -P $links .`,...s.map(e=>`if [ -d ${a(`.${e}`)} ]; then mount -t tmpfs -o mode=755,size=1m none ${a(`.${e}`)}; fi`),"mkdir -p workspace home/agent tmp dev/shm dev/pts var proc old run","mkdir -m 700 run/evaldiff; ln -s /tmp var/tmp",...void 0===o.layers?[$(o.work,t.work),$(o.home,t.home)]:["mkdir layers; cd layers",...m(o.layers,!0),"mount --bind merged/work ../workspace; mount --bind merged/home ../home/agent","umount merged run lower; cd ..; rmdir layers/* layers"],"mount -t tmpfs -o mode=1777,nosuid,nodev,size=1g none tmp","for name in null zero full random urandom; do : >dev/$name; mount --bind /dev/$name dev/$name; done","ln -s /proc/self/fd dev/fd; ln -s fd/0 dev/stdin; ln -s fd/1 dev/stdout; ln -s fd/2 dev/stderr","mount -t tmpfs -o mode=1777,nosuid,nodev,size=64m none dev/shm","mount -t devpts -o newinstance,ptmxmode=0666,mode=620 none dev/pts && ln -s pts/ptmx dev/ptmx || :","mount -t proc -o nosuid,nodev,noexec,hidepid=2 none proc","for name in keys key-users; do [ ! -e proc/$name ] || mount --bind /dev/null proc/$name; done",...n.map(e=>(function(e){let[o,n]=[(0,r.r7)(e),(0,r.r7)(`.${e}`)],t=(0,r.r7)(`.${e.slice(0,e.lastIndexOf("/"))}/`);return`if [ ! -e ${n} ]; then if [ -d ${o} ]; then mkdir -p ${n}; else mkdir -p ${t}; : >${n}; fi; show ${o}; fi`})(e)),...["gateway","proxy"].flatMap(e=>{let o=i[e];return null===o?[]:[`: >.${d[e]}; ${$(o,d[e])}`]}),f,"pivot_root . old; cd /; umount -l /old; rmdir /old; mount -o remount,bind,ro /"].join("\n")}function m({lower:e,run:o},n){return["mkdir lower run merged",`mount --bind ${(0,r.r7)(e)} lower; mount --bind ${(0,r.r7)(o)} run`,`mount -t overlay -o nosuid,nodev,userxattr,${n?"lowerdir=lower,upperdir=run/upper,workdir=run/scratch":"lowerdir=run/upper:lower"} none merged`]}let p=`hosts=$(printf '%b\\n' "$(cut -d ' ' -f 5 /proc/self/mountinfo)" | sort -u); mkdir mnt
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
done`}),30962:((e,o,n)=>{n.r(o),n.d(o,{WALL_KINDS:()=>x,agentUser:()=>_,findWalls:()=>R,startInside:()=>E,unshareWords:()=>A});var r=n(31421),t=n(73024),s=n(51455),i=n(77030),l=n(48161),a=n(76760),d=n(61469),u=n(25296),c=n(93246),m=n(9811),p=n(10240);let[f,$,h,v]=[1,2,10,16],y={argument:0,values:[[f,"allow"],[$,"allow"],[h,"allow"],[v,{argument:2,values:[[0,"allow"]],otherwise:"EPERM"}]],otherwise:"EPERM"},w={socket:y,socketpair:y,clone:{argument:0,mask:0x7e020000,values:[[0,"allow"]],otherwise:"EPERM"},clone3:"ENOSYS",personality:{argument:0,values:[0,8,131072,131080,0xffffffff].map(e=>[e,"allow"]),otherwise:"EPERM"}},g=`
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
`,b=[["/usr/bin/perl","-e",`
my ($keyctl, $seccomp, $hex) = splice @ARGV, 0, 3;
syscall($keyctl + 0, 1, 0) != -1 or $! == 38 or die "no new session keyring: $!\\n";
my $code = pack 'H*', $hex;
my $program = pack 'S x6 P', length($code) / 8, $code;
syscall($seccomp + 0, 1, 4, $program) == 0 or die "no filter of system calls: $!\\n";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n";
`,"--"],["/usr/bin/python3","-ISB","-c",g],["/usr/local/bin/python3","-ISB","-c",g]];var k=n(78649);let x=["root","rootless","sudo"],P=(0,t.readFileSync)(n.ab+"inside.js","utf8"),S=["--mount","--net","--pid","--ipc","--uts","--fork","--kill-child"];function _(e){return"root"===e?{uid:65534,gid:65534}:{uid:process.getuid?.()??65534,gid:process.getgid?.()??65534}}function A(e){return"sudo"===e?["sudo","-n","--","unshare"]:"rootless"===e?["unshare","--map-root-user"]:["unshare"]}let j=["--fsize=1000000000","--nproc=16384","--core=0"];async function E(e){var o,n;let f,[$,h]=[(0,a.join)(e.folder,"control"),(0,a.join)(e.folder,"root")];await (0,s.mkdir)(h,{recursive:!0});let v=`${JSON.stringify(function(e,o){var n,r;let s,i,u,c,f,$,{own:h,readable:v,sockets:y}=e,g=["gateway","proxy"].flatMap(e=>null===y[e]?[]:{port:k.hz[e],socket:k.Zo[e]}),x=(s=(0,t.realpathSync)(process.execPath),i=["/opt/hostedtoolcache",process.env.RUNNER_TOOL_CACHE??""].filter(t.existsSync),u=(0,a.dirname)((0,a.dirname)(s)),c=(0,a.join)(u,"lib","node_modules"),"bin"===(0,a.basename)((0,a.dirname)(s))&&(0,t.existsSync)((0,a.join)(c,"npm"))?[(0,a.dirname)(s),c,...i]:[s,...i]),P=[(0,l.homedir)(),process.cwd(),(0,l.tmpdir)(),...e.cover].filter(k.bW);return{script:(0,k.xA)({root:o,own:h,readable:[...v,...x],cover:P,sockets:y}),ports:g,command:function({kind:e,command:o},n){let{uid:r,gid:s}=_(e),i="rootless"===e?["--","unshare","--user",`--map-user=${r}`,`--map-group=${s}`]:[`--reuid=${r}`,`--regid=${s}`,"--clear-groups","--inh-caps=-all","--bounding-set=-all"],l=function(e,o=b){let[n,r]=[(0,p.e)(process.arch),function(e){let o=(0,p.e)(e);if(null===o)return null;let n=new Map([...o.calls.keys()].map(e=>[e,w[e]??"allow"]));return(0,m.g)(o,n,"ENOSYS")}(process.arch)],s=o.find(([e=""])=>(0,t.existsSync)(e));if(null===n||null===r||void 0===s)return null;let i=[n.keyctl,n.calls.get("seccomp")].map(String);return[...s,...i,r.toString("hex"),...e]}(["env",...Object.entries(n).map(([e,o])=>`${e}=${o}`),...o]);if(null===l)throw new d.Gd(`${L}${H}`);return["prlimit",...j,"--","setpriv","--no-new-privs",...i,"--",...l]}(e,{...e.env,PATH:(n=[...v,...x],r=e.env.PATH??"",f=(process.env.PATH??"").split(a.delimiter),$=[(0,a.dirname)(process.execPath),...f].filter(e=>(0,k.bW)(e)||n.some(o=>`${e}/`.startsWith(`${o}/`)||(0,a.dirname)(o)===e)),[...new Set([...r.split(a.delimiter),...$,"/usr/local/bin","/usr/bin","/bin"])].filter(e=>""!==e).join(a.delimiter))}),folder:k.bj.work,env:{PATH:k.sg}}}(e,h))}
`,y={report:"",isKilled:!1},g=[],x=(0,i.createServer)(e=>{g.push(e),e.setEncoding("utf8").on("data",e=>y.report+=e),e.on("error",()=>void 0).write(v)});await new Promise((e,o)=>{x.once("error",o).listen($,e)});let[E="",...R]=A(e.kind),z=[...R,...S,"--",process.execPath,"--input-type=module","-e",P,$],I=(0,r.spawn)(E,z,{cwd:"/",env:{PATH:process.env.PATH??"/usr/bin:/bin:/usr/sbin:/sbin"},stdio:"pipe",detached:!0});return{child:I,kill:()=>{for(let e of(y.isKilled=!0,g))e.destroy();x.close(),"sudo"!==e.kind&&I.kill("SIGKILL")},ended:(o=I,n=y,f="",o.stderr?.on("data",e=>f=(f+String(e)).slice(-1e3)),o.stdin?.on("error",()=>void 0),new Promise((e,r)=>{let t=e=>{let o=(0,u.P8)(e.trim().split("\n").at(-1)??"");r(new d.Gd(`${L}${(0,u.ml)(o,300)||"no reason given"}`))};o.once("error",({message:e})=>t(e)),o.once("close",()=>{let o=(0,c.U4)(n.report);o?.code!==void 0?e({code:o.code}):n.isKilled?e({code:null}):t(o?.failed??f)})})).finally(()=>x.close())}}let L="The sandbox of a run could not be created: ",H=`nothing can load the filter of system calls (${process.arch}); on x64 or arm64, install the package perl or python3`;async function R(e=process.getuid?.()===0?["root"]:["rootless","sudo"],o=process.platform){if("linux"!==o)return{refused:I(["this system is not Linux"])};let n=[];for(let o of e){let e=await z(o);if(null===e)return{kind:o};n.push(`${o}: ${e}`)}return{refused:I(n)}}async function z(e){let o=await (0,s.mkdtemp)((0,a.join)((0,l.tmpdir)(),"evaldiff-walls-"));try{let{child:n,ended:r}=await E({kind:e,folder:o,own:{work:o,home:o},sockets:{gateway:null,proxy:null},readable:[],cover:[],command:["true"],env:{}}),t="";n.stdin?.end(),n.stdout?.resume(),n.stderr?.on("data",e=>t+=String(e));let{code:s}=await r;return 0===s?null:(0,u.ml)((0,u.P8)(t),300)}catch(e){return(0,d.gJ)(e).replace(L,"")}finally{await (0,s.rm)(o,{recursive:!0,force:!0})}}function I(e){return`Agents run in a sandbox (Linux namespaces), so that they cannot read keys or other files, and this machine cannot create it (${e.join("; ")}). Run it on Linux (on Windows: WSL 2; on macOS: a Linux virtual machine, or CI) with util-linux 2.36, iproute2 and Perl or Python 3, and one of: root with CAP_SYS_ADMIN (Docker: --privileged), user namespaces (Ubuntu 24.04: sysctl kernel.apparmor_restrict_unprivileged_userns=0), or sudo without a password, as on GitHub's runners.`}})};