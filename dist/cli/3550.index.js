export const id=3550;export const ids=[3550];export const modules={13550:((e,t,s)=>{s.r(t),s.d(t,{starterFor:()=>g});var i=s(76760),l=s(125),n=s(6306),a=s(25464),o=s(15550),r=s(56702),d=s(54198),u=s(55261),h=s(99539);let m=/^(?:(.*)\/)?SKILL\.md$/,c=/(?:^|\/)(?:AGENTS|CLAUDE|GEMINI)\.md$/,f=/(?:^|\/)_?(?:skill-)?templates?(?:-skill)?\//i,p=/^(?:replace (?:this|with|me)\b|todo\b *(?::|$)|(?:a )?description of (?:the|this|your) skill|<)/i,w=h.RO.map(r.o).filter(({npm:e})=>null!==e);async function g(e){var t,s,l;let n,o=[...e.tree.files.keys()].filter(e=>!e.split("/").includes("node_modules")).sort((e,t)=>e.split("/").length-t.split("/").length||(e<t?-1:1)),d=await Promise.all(o.filter(e=>m.test(e)).map(t=>k(t,o,e))),u=await y(e),h=d.filter(({name:e,hasEvals:t,isTemplate:s})=>!s&&!t&&!u.skills.includes(e)),p=o.filter(e=>{var t;return t=e,(c.test(t)||w.some(e=>$(e,t)))&&!f.test(e)&&!u.files.includes(e)}),g=e.isEmpty?h[0]:void 0,x=e.isEmpty?p[0]:void 0,A=function(e,t,s){let l=w;for(let n of[e=>void 0!==s&&$(e,s),e=>void 0!==s&&$(e,i.posix.basename(s)),e=>void 0!==t&&v(e,t),({wires:t})=>t.some(t=>e.includes(t))])l.some(n)&&(l=l.filter(n));return l[0]??(0,r.o)("claude-code")}(e.keys,g,x),S=[...void 0===g?[]:[function(e,t,s){let{file:i,name:l,folder:n,hidden:a}=e,o=v(t,e)?"":`  skills: { ${l}: ${JSON.stringify(n||".")} }
`,r=`  hide: [${null===a?"":`${JSON.stringify(a)}, `}evals]
`,d=`  metrics:
    # What must be true afterwards.
    - { name: writes, uses: files, with: { exist: [RESULT.md] } }
    - { name: uses-skill, uses: skill_used, with: { name: ${l} } }
  references:
    - { id: example, task: "Use the skill ${l} on this repository. Write the result to RESULT.md." }
    # Trigger tests, one model call each: does the description make the agent choose the skill?
    # Write what a user would ask who needs the skill, in other words than its description:
    # - { id: chosen, task: "…", trigger: ${l} }
    - { id: not-chosen, task: "What is 2 + 2? Answer in one word.", trigger: null }
`;return{path:`evals/${l}.yaml`,...M(t,o+r,d,s),found:i}}(g,A,e)],...void 0===x?[]:[(t=x,s=A,l=e,n=$(s,t)?"":`  from: ${JSON.stringify(i.posix.dirname(t))}
`,{path:"evals/agents.yaml",...M(s,n,`  metrics:
    # What must be true afterwards. Add the rules of ${t}, such as
    # - { name: tests, uses: runs, with: { run: npm test } }
    - { name: writes, uses: files, with: { exist: [SUMMARY.md], only_changed: [SUMMARY.md] } }
  references:
    - { id: newcomer, task: "Write SUMMARY.md: what a newcomer must know, in ten lines." }
    - { id: check, task: "Write SUMMARY.md: how a change is checked here, in ten lines." }
`,l),found:t})]],b=[...h.filter(e=>e!==g).map(e=>e.file),...p.filter(e=>void 0===x||!(e===x||$(A,e)))],E=d.filter(({isTemplate:e})=>e),U=d.filter(({hasEvals:e})=>e).map(({name:e})=>e),j=void 0===S[0]?"write":`copy ${S[0].path} to`,T=`For each file listed as left, ${j} evals/NAME.yaml with its own tasks (docs/agents.md). evaldiff does not judge these files before that.`,W=`The cases in evals.json of ${U.join(", ")} run as prompts without tools. To run them with an agent, add the key agent to evaldiff.yaml, such as agent: { agent: claude-code, model: ${(0,a.xS)("anthropic").starterModel} } (docs/agents.md).`,R=U.length>0&&(e.project.settings.agent??null)===null;return{suites:S,needsHost:S.length>0||u.byAgents,left:[...b.map(e=>({path:e,why:"no suite tests it yet"})),...E.map(e=>({path:e.file,why:"it is a template"}))],steps:[...b.length>0?[T]:[],...R?[W]:[]]}}async function k(e,t,{tree:s}){let l=m.exec(e)?.[1]??"",n=new TextDecoder().decode(await s.read(e)),a=(0,o.AY)(n,"name"),r=i.posix.join(l,"evals");return{file:e,folder:l,name:/^[a-z\d][\w.-]*$/i.test(a)?a:i.posix.basename(l)||"skill",hasEvals:t.includes(`${r}/evals.json`),hidden:""!==l&&t.some(e=>e.startsWith(`${r}/`))?r:null,isTemplate:f.test(e)||p.test((0,o.AY)(n,"description"))}}let $=({instructionFiles:e},t)=>(0,u.Ke)(e)(t);async function y({project:{suites:e,settings:t},tree:s}){let i=e.flatMap(({prompt:e})=>(0,h.jk)(e,t)??[]),l=await Promise.all(i.map(e=>(0,o.PO)(s,e))),a=e.flatMap(({tests:e})=>(0,n.UZ)(e));return{byAgents:i.length>0,skills:a.flatMap(({source:e})=>"built-in"===e.kind&&"skill_used"===e.uses?[e.with.name]:[]),files:l.flatMap(({files:e})=>e)}}let v=({skillFolders:e},{name:t,folder:s})=>e?.some(e=>`${e}/${t}`===s)??!1;function M({name:e,wires:t,npm:s,version:i},n,o,{keys:r,origin:u}){let h=t.find(e=>r.includes(e))??t[0]??"anthropic";return{text:`${(0,l.cZ)("agents",u)}# A suite for an agent. Each run gets a fresh copy of one side and a task.
agent: ${e}
model: ${(0,a.xS)(h).starterModel}
${""===n?"":`workspace:
${n}`}limits: { turns: 30, minutes: 10, usd: 1 } # of one run
tests:
${o}`,vendor:h,install:null===s?null:(0,d.J)(s,i??"")}}})};