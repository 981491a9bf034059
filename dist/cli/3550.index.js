export const id=3550;export const ids=[3550,5550];export const modules={15550:((e,t,s)=>{s.r(t),s.d(t,{contextNotices:()=>m,contextTokens:()=>l,frontMatter:()=>u,isContextFile:()=>c});var n=s(92929),i=s(1679),r=s(10236),a=s(55261),o=s(99539);function l({instructionFiles:e,skillFolders:t},s){let i=(0,a.Ke)(e);return[...s].flatMap(([e,s])=>i(e)?[s]:d(e,t)?[u(s)]:[]).reduce((e,t)=>e+Math.ceil((0,n.bP)(t)),0)}function c({instructionFiles:e,skillFolders:t},s){return(0,a.Ke)(e)(s)||d(s,t)}function d(e,t){let[,s]=/^(?:(.*)\/)?[^/]+\/SKILL\.md$/.exec(e)??[];return void 0!==s&&(t?.includes(s)??!0)}function u(e){return/^---\r?\n([\s\S]*?)\r?\n---/.exec(e)?.[1]??""}async function m({base:e,head:t}){let s=null===e?new Map:await f(e);return[...await f(t)].flatMap(([e,t])=>{let n=s.get(e);if(void 0===n||n===t)return[];let r=t>n?`${(0,i.U9)(t-n)} more`:`${(0,i.U9)(n-t)} fewer`;return[{kind:"settings",place:null,message:`${e}: the agent's instructions, which every call contains, take about ${(0,i.hS)(t,"token")}, ${r} than on base`}]})}async function f({tree:e,project:t}){let s=new Map;for(let{prompt:n}of t.suites){let i=(0,o.rI)(t.settings.models.get(n.model??"")?.command??[]);if(null===i)continue;let d=(0,r.o)(i.agent),u=[...(0,a.h$)(e.files.keys(),i.workspace)].filter(([e])=>c(d,e)).map(async([t,s])=>[t,new TextDecoder().decode(await e.read(s))]);s.set(n.name,l(d,new Map(await Promise.all(u))))}return s}}),13550:((e,t,s)=>{s.r(t),s.d(t,{starterSuite:()=>f});var n=s(76760),i=s(125),r=s(25296),a=s(42417),o=s(15550),l=s(10236),c=s(55261),d=s(99539);let u=/^(?:(.*)\/)?SKILL\.md$/,m=/^(?:AGENTS\.md|CLAUDE\.md|\.github\/copilot-instructions\.md)$/;async function f(e){let{tree:t,keys:s}=e,i=[...t.files.keys()].filter(e=>!e.split("/").includes("node_modules")).sort((e,t)=>e.split("/").length-t.split("/").length||(e<t?-1:1)),a=i.find(e=>u.test(e));if(void 0!==a){var l;let s,c,d=new TextDecoder().decode(await t.read(a));return function({file:e,name:t,description:s,paths:i},a){let o=u.exec(e)?.[1]??"",l=/^[a-z\d][\w.-]*$/i.test(t)?t:n.posix.basename(o)||"skill",c=({skillFolders:e})=>e?.some(e=>`${e}/${l}`===o)??!1,d=h(a.keys,c),m=c(d)?[]:[`  skills: { ${l}: ${JSON.stringify(o||".")} }
`],f=n.posix.join(o,"evals"),p=""!==o&&i.some(e=>e.startsWith(`${f}/`)),w=`  hide: [${p?`${JSON.stringify(f)}, `:""}evals]
`,g=JSON.stringify((0,r.ml)(""===s?`Use ${l}.`:s,300)),k=`  metrics:
    # What must be true afterwards.
    - { name: writes, uses: files, with: { exist: [RESULT.md] } }
    - { name: uses-skill, uses: skill_used, with: { name: ${l} } }
  references:
    - { id: example, task: "Use the skill ${l} on this repository. Write the result to RESULT.md." }
    # Trigger tests, one model call each: does the description make the agent choose the skill?
    - { id: chosen, task: ${g}, trigger: ${l} }
    - { id: not-chosen, task: "What is 2 + 2? Answer in one word.", trigger: null }
`;return{path:`evals/${l}.yaml`,...$(d,m.join("")+w,k,a),found:e}}({file:a,paths:i,...(l=d,s=(0,o.frontMatter)(l),{name:(c=e=>RegExp(`^${e}: *(?:[>|][-+]?\\s+)?["']?([^\\r\\n]+?)["']?\\s*$`,"m").exec(s)?.[1]??"")("name"),description:c("description")})},e)}let d=i.find(e=>m.test(e));return void 0===d?null:{path:"evals/agents.yaml",...$(h(s,({instructionFiles:e})=>(0,c.Ke)(e)(d)),"",`  metrics:
    # What must be true afterwards. Add the rules of ${d}, such as
    # - { name: tests, uses: runs, with: { run: npm test } }
    - { name: writes, uses: files, with: { exist: [SUMMARY.md], only_changed: [SUMMARY.md] } }
  references:
    - { id: newcomer, task: "Write SUMMARY.md: what a newcomer must know, in ten lines." }
    - { id: check, task: "Write SUMMARY.md: how a change is checked here, in ten lines." }
`,e),found:d}}function h(e,t){let s=d.RO.map(l.o).filter(({npm:e})=>null!==e),n=s.some(t)?s.filter(t):s;return n.find(({wires:t})=>t.some(t=>e.includes(t)))??n[0]??(0,l.o)("claude-code")}function $({name:e,wires:t},s,n,{keys:r,origin:o}){let l=t.find(e=>r.includes(e))??t[0]??"anthropic";return{text:`${(0,i.cZ)("agents",o)}# A suite for an agent. Each run gets a fresh copy of one side and a task.
agent: ${e}
model: ${(0,a.xS)(l).starterModel}
${""===s?"":`workspace:
${s}`}limits: { turns: 30, minutes: 10, usd: 1 } # of one run
tests:
${n}`,vendor:l}}})};