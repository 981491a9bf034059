export const id=3550;export const ids=[3550,5550];export const modules={125:((e,t,n)=>{function s(e,t){if(null===t)return"";let{repository:n,ref:s}=t;return`# yaml-language-server: $schema=https://raw.githubusercontent.com/${n}/${s}/schemas/${e}.schema.json
`}n.d(t,{cZ:()=>s}),n(61469)}),15550:((e,t,n)=>{n.r(t),n.d(t,{contextNotices:()=>m,contextTokens:()=>l,frontMatter:()=>d,isContextFile:()=>c});var s=n(92929),i=n(1679),r=n(10236),a=n(55261),o=n(99539);function l({instructionFiles:e,skillFolders:t},n){let i=(0,a.Ke)(e);return[...n].flatMap(([e,n])=>i(e)?[n]:u(e,t)?[d(n)]:[]).reduce((e,t)=>e+Math.ceil((0,s.bP)(t)),0)}function c({instructionFiles:e,skillFolders:t},n){return(0,a.Ke)(e)(n)||u(n,t)}function u(e,t){let[,n]=/^(?:(.*)\/)?[^/]+\/SKILL\.md$/.exec(e)??[];return void 0!==n&&(t?.includes(n)??!0)}function d(e){return/^---\r?\n([\s\S]*?)\r?\n---/.exec(e)?.[1]??""}async function m({base:e,head:t}){let n=null===e?new Map:await h(e);return[...await h(t)].flatMap(([e,t])=>{let s=n.get(e);if(void 0===s||s===t)return[];let r=t>s?`${(0,i.U9)(t-s)} more`:`${(0,i.U9)(s-t)} fewer`;return[{kind:"settings",place:null,message:`${e}: the agent's instructions, which every call contains, take about ${(0,i.hS)(t,"token")}, ${r} than on base`}]})}async function h({tree:e,project:t}){let n=new Map;for(let{prompt:s}of t.suites){let i=(0,o.rI)(t.settings.models.get(s.model??"")?.command??[]);if(null===i)continue;let u=(0,r.o)(i.agent),d=[...(0,a.h$)(e.files.keys(),i.workspace)].filter(([e])=>c(u,e)).map(async([t,n])=>[t,new TextDecoder().decode(await e.read(n))]);n.set(s.name,l(u,new Map(await Promise.all(d))))}return n}}),13550:((e,t,n)=>{n.r(t),n.d(t,{starterSuite:()=>h});var s=n(76760),i=n(125),r=n(25296),a=n(42417),o=n(15550),l=n(10236),c=n(55261),u=n(99539);let d=/^(?:(.*)\/)?SKILL\.md$/,m=/^(?:AGENTS\.md|CLAUDE\.md|\.github\/copilot-instructions\.md)$/;async function h(e){let{tree:t,keys:n}=e,i=[...t.files.keys()].filter(e=>!e.split("/").includes("node_modules")).sort((e,t)=>e.split("/").length-t.split("/").length||(e<t?-1:1)),a=i.find(e=>d.test(e));if(void 0!==a){var l;let n,c,u=new TextDecoder().decode(await t.read(a));return function({file:e,name:t,description:n,paths:i},a){let o=d.exec(e)?.[1]??"",l=/^[a-z\d][\w.-]*$/i.test(t)?t:s.posix.basename(o)||"skill",c=({skillFolders:e})=>e?.some(e=>`${e}/${l}`===o)??!1,u=f(a.keys,c),m=c(u)?[]:[`  skills: { ${l}: ${JSON.stringify(o||".")} }
`],h=s.posix.join(o,"evals"),g=""!==o&&i.some(e=>e.startsWith(`${h}/`)),p=`  hide: [${g?`${JSON.stringify(h)}, `:""}evals]
`,w=JSON.stringify((0,r.ml)(""===n?`Use ${l}.`:n,300)),k=`  metrics:
    # What must be true afterwards.
    - { name: writes, uses: files, with: { exist: [RESULT.md] } }
    - { name: uses-skill, uses: skill_used, with: { name: ${l} } }
  references:
    - { id: example, task: "Use the skill ${l} on this repository. Write the result to RESULT.md." }
    # Trigger tests, one model call each: does the description make the agent choose the skill?
    - { id: chosen, task: ${w}, trigger: ${l} }
    - { id: not-chosen, task: "What is 2 + 2? Answer in one word.", trigger: null }
`;return{path:`evals/${l}.yaml`,...$(u,m.join("")+p,k,a),found:e}}({file:a,paths:i,...(l=u,n=(0,o.frontMatter)(l),{name:(c=e=>RegExp(`^${e}: *(?:[>|][-+]?\\s+)?["']?([^\\r\\n]+?)["']?\\s*$`,"m").exec(n)?.[1]??"")("name"),description:c("description")})},e)}let u=i.find(e=>m.test(e));return void 0===u?null:{path:"evals/agents.yaml",...$(f(n,({instructionFiles:e})=>(0,c.Ke)(e)(u)),"",`  metrics:
    # What must be true afterwards. Add the rules of ${u}, such as
    # - { name: tests, uses: runs, with: { run: npm test } }
    - { name: writes, uses: files, with: { exist: [SUMMARY.md], only_changed: [SUMMARY.md] } }
  references:
    - { id: newcomer, task: "Write SUMMARY.md: what a newcomer must know, in ten lines." }
    - { id: check, task: "Write SUMMARY.md: how a change is checked here, in ten lines." }
`,e),found:u}}function f(e,t){let n=u.RO.map(l.o).filter(({npm:e})=>null!==e),s=n.some(t)?n.filter(t):n;return s.find(({wires:t})=>t.some(t=>e.includes(t)))??s[0]??(0,l.o)("claude-code")}function $({name:e,wires:t},n,s,{keys:r,origin:o}){let l=t.find(e=>r.includes(e))??t[0]??"anthropic";return{text:`${(0,i.cZ)("agents",o)}# A suite for an agent. Each run gets a fresh copy of one side and a task.
agent: ${e}
model: ${(0,a.xS)(l).starterModel}
${""===n?"":`workspace:
${n}`}limits: { turns: 30, minutes: 10, usd: 1 } # of one run
tests:
${s}`,vendor:l}}})};