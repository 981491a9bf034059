export const id=3550;export const ids=[3550];export const modules={61715:((e,t,s)=>{s.d(t,{c:()=>n});function n(e){return`# yaml-language-server: $schema=https://cdn.jsdelivr.net/npm/evaldiff@1/schemas/${e}.schema.json
`}}),13550:((e,t,s)=>{s.r(t),s.d(t,{starterSuite:()=>h});var n=s(76760),i=s(61715),r=s(25296),a=s(42417),o=s(15550),l=s(10236),d=s(55261),c=s(99539);let m=/^(?:(.*)\/)?SKILL\.md$/,u=/^(?:AGENTS\.md|CLAUDE\.md|\.github\/copilot-instructions\.md)$/;async function h({tree:e,keys:t}){let s=[...e.files.keys()].filter(e=>!e.split("/").includes("node_modules")).sort((e,t)=>e.split("/").length-t.split("/").length||(e<t?-1:1)),i=s.find(e=>m.test(e));if(void 0!==i){var a;let l,d,c=new TextDecoder().decode(await e.read(i));return function({file:e,name:t,description:s,paths:i},a){let o=m.exec(e)?.[1]??"",l=/^[a-z\d][\w.-]*$/i.test(t)?t:n.posix.basename(o)||"skill",d=({skillFolders:e})=>e?.some(e=>`${e}/${l}`===o)??!1,c=f(a,d),u=d(c)?[]:[`  skills: { ${l}: ${JSON.stringify(o||".")} }
`],h=n.posix.join(o,"evals"),p=""!==o&&i.some(e=>e.startsWith(`${h}/`)),g=`  hide: [${p?`${JSON.stringify(h)}, `:""}evals]
`,w=JSON.stringify((0,r.ml)(""===s?`Use ${l}.`:s,300)),k=`  metrics:
    # What must be true afterwards.
    - { name: writes, uses: files, with: { exist: [RESULT.md] } }
    - { name: uses-skill, uses: skill_used, with: { name: ${l} } }
  references:
    - { id: example, task: "Use the skill ${l} on this repository. Write the result to RESULT.md." }
    # Trigger tests, one model call each: does the description make the agent choose the skill?
    - { id: chosen, task: ${w}, trigger: ${l} }
    - { id: not-chosen, task: "What is 2 + 2? Answer in one word.", trigger: null }
`;return{path:`evals/${l}.yaml`,...$(c,u.join("")+g,{tests:k,keys:a}),found:e}}({file:i,paths:s,...(a=c,l=(0,o.frontMatter)(a),{name:(d=e=>RegExp(`^${e}: *(?:[>|][-+]?\\s+)?["']?([^\\r\\n]+?)["']?\\s*$`,"m").exec(l)?.[1]??"")("name"),description:d("description")})},t)}let l=s.find(e=>u.test(e));return void 0===l?null:{path:"evals/agents.yaml",...$(f(t,({instructionFiles:e})=>(0,d.Ke)(e)(l)),"",{tests:`  metrics:
    # What must be true afterwards. Add the rules of ${l}, such as
    # - { name: tests, uses: runs, with: { run: npm test } }
    - { name: writes, uses: files, with: { exist: [SUMMARY.md], only_changed: [SUMMARY.md] } }
  references:
    - { id: newcomer, task: "Write SUMMARY.md: what a newcomer must know, in ten lines." }
    - { id: check, task: "Write SUMMARY.md: how a change is checked here, in ten lines." }
`,keys:t}),found:l}}function f(e,t){let s=c.RO.map(l.o).filter(({npm:e})=>null!==e),n=s.some(t)?s.filter(t):s;return n.find(({wires:t})=>t.some(t=>e.includes(t)))??n[0]??(0,l.o)("claude-code")}function $({name:e,wires:t},s,{tests:n,keys:r}){let o=t.find(e=>r.includes(e))??t[0]??"anthropic";return{text:`${(0,i.c)("agents")}# A suite for an agent. Each run gets a fresh copy of one side and a task.
agent: ${e}
model: ${(0,a.xS)(o).starterModel}
${""===s?"":`workspace:
${s}`}limits: { turns: 30, minutes: 10, usd: 1 } # of one run
tests:
${n}`,vendor:o}}})};