export const id=2583;export const ids=[2583,5438];export const modules={6438:((e,t,n)=>{n.d(t,{dashboardHtml:()=>b});var s=n(229),r=n(78593),l=n(98407),a=n(43110),i=n(1679),o=n(7116),d=n(25296),u=n(97841),h=n(4610),$=n(25855),p=n(4884),c=n(30378),f=n(4213),m=n(94273),g=n(40753);function b(e,t,n){let b=(0,p.sR)(e,(0,h.L2)(e.suites));if(0===b.length)return null;let w=b.slice(0,20),v=[...b.length>w.length?[`The attributes of ${(0,i.hS)(b.length-w.length,"suite")} are left out; result.json has them.`]:[],...t.left>0?[`Charts are drawn for the worst suites, to keep this file small; those of ${(0,i.hS)(t.left,"suite")} are left out; result.json has the numbers.`]:[]];return(0,o.PT)`
    <section id="kinds"><h2>Attributes</h2>
      ${0===e.attributes.length?null:(0,o.PT)`<p>${function({attributes:e,mode:t}){if("sweep"===t)return`${(0,i.hS)(e.length,"attribute")}, derived from the references.`;let n=e.filter(({verdict:e})=>"too few"===e).length,s=0===n?"":`; ${(0,i.U9)(n)} not compared: too few tests have it, or too few lack it`;return`${(0,p.ET)(e)}${s}.`}(e)}</p>`}
      ${w.map(h=>(function(e,t,n,h){let{attributes:b,insights:w}=e,v="diff"===t?(0,p.DA)(b.filter(p.tv)):[],P=(0,a.v)(v.length,10),[y]=b,T=void 0===y?void 0:n.kinds.get((0,f.aJ)(y)),k=(e,t=[])=>0===t.length?null:(0,o.PT)`<h4>${e}</h4><div class="cards">${t}</div>`;return(0,o.PT)`
    <section class="kinds"><h3><code>${(0,d.ml)(e.name,l.Uo)}</code></h3>
      ${function(e,t,n){if(0===e.length)return null;let i=e.map(({attribute:e,references:s,fix:i})=>{let h=t.attributes.find(t=>t.id===e),p=h&&(0,$.JR)(h,(0,d.ml)(h.name,l.Uo),n),f=s.slice(0,12).map(e=>(0,r.M)(t.suite,e,n.anchor)),m=(0,a.v)(s.length,f.length),g=[...p?[p]:[],...f,...null===m?[]:[m]],b=(0,o.PT)`<br><span class="soft">rests on</span> ${(0,o.Rm)(g,", ")}`,{file:w,lines:v,replaced:P,replacement:y}=i,T=`${w}:${String(v.from)}`,k=(0,o.PT)`<br>${T}: <del>${P}</del> → <ins>${y}</ins>`,S=`${h?(0,c.eH)(h):""} The change ${(0,u.B0)(i)}.`;return(0,o.PT)`<li>${(0,d.ml)(S,600)}${k}${b}</li>`});return(0,o.PT)`
    <div class="insights">
      <h4>${(0,p.gU)(e)}</h4>
      ${(0,s.MB)(p.y4)}
      <ul>${i}</ul>
    </div>`}(w,e,h)}
      ${k("Domains: what inputs are about",T?.domains)}
      ${k("Sub-tasks: skills that the answers need",T?.subtasks)}
      ${v.slice(0,10).map(t=>(function(e,t,n){let{name:r,kind:u,explanation:h,n:c,low:f,high:b,verdict:w,alignment:v}=e,P="regressed"===w,y=`${p.Pv[u]}, ${(0,i.hS)(c,"test")}: ${(0,p.qO)(e)}`+(null===f?"":`, ${(0,a.Zg)(e)}, 90 % interval ${(0,a.qK)(f,b)}`),T=t.attributes.filter(t=>t.explained_by.includes(e.id)).map(e=>(0,d.ml)(e.name,l.Uo)),k=[...0===T.length?[]:[`${P?"Also fell":"Also rose"} and share tests with it: ${T.join(", ")}.`],...null===v?[]:[`Answers with other skills than expected, lower is better: ${(0,g.bW)(e)}.`]],S=`Show its ${(0,i.hS)(e.references.length,"test")}`;return(0,o.PT)`
    <details class="kind" open>
      <summary>${(0,s.jw)(P?"✗ regressed":"↑ improved",P?"bad":"good")}${" "}
        <b>${(0,d.ml)(r,l.Uo)}</b> <span class="soft">${y}</span></summary>
      <div class="body">
        ${""===h?null:(0,o.PT)`<p>${(0,d.ml)(h,600)}</p>`}
        ${k.map(s.MB)}
        <p>${(0,$.JR)(e,S,n)}</p>
        ${(0,m.M)(e,t,n)}
      </div>
    </details>`})(t,e,h))}
      ${null===P?null:(0,o.PT)`<p>${P}, in the table of all attributes.</p>`}
      ${(0,m.I)(e,h)}
      ${function(e,t){let{attributes:n}=e;if(0===n.length)return null;let r=n.slice(0,60).map(n=>{let{name:r,kind:a,explanation:u,prior:h,references:c,assigned:f}=n,m=function(e,t){let{verdict:n,explained_by:s,alternatives:r}=e;if(!n.startsWith("also"))return null;let a=e=>(0,p.Lt)(e,t).map(e=>(0,d.ml)(e,l.Uo)).join(", ");return r.length>0?`${n}: this or ${a(r.map(({id:e})=>e))}; ${(0,p.Zm)(e)}`:0===s.length?n:`${n} and shares tests with ${a(s)}`}(n,e);return[(0,s.wI)((0,o.PT)`
        <b>${(0,d.ml)(r,l.Uo)}</b> <span class="soft">${p.Pv[a]}</span>
        ${null===m?null:(0,o.PT)`<br><span class="soft">${m}</span>`}`),(0,s.Lw)((0,i.KN)(h)),(0,s.Lw)((0,$.JR)(n,(0,i.hS)(c.length,"test"),t)),(0,s.Lw)((0,i.U9)(f.length)),(0,s.wI)((0,d.ml)(u,600))]}),u=(0,a.v)(n.length,r.length);return(0,o.PT)`
    <details class="samples"><summary>All ${(0,i.hS)(n.length,"attribute")}</summary>
      ${(0,s.qj)(["Attribute","Prior","Rated 3 or more","Assigned","What it is"],r)}
      ${null===u?null:(0,o.PT)`<p>${u}.</p>`}
    </details>`}(e,h)}
    </section>`})(h,e.mode,t,n))}
      ${v.map(s.MB)}
    </section>`}}),94273:((e,t,n)=>{n.d(t,{I:()=>m,M:()=>f,ratingsHtml:()=>c});var s=n(229),r=n(78593),l=n(84583),a=n(98407),i=n(81024),o=n(8640),d=n(1679),u=n(7116),h=n(25296),$=n(93246),p=n(4884);function c(e,t){return e.map(({attribute:e,rating:{affinity:n,evidence:r}})=>{let l=null===n?"not rated":`affinity ${String(n)} of 5`,o=""===r?null:(0,u.PT)`: ${(0,s.zw)((0,i.WQ)(r,t))}`;return(0,u.PT)`
      <dt>${(0,h.ml)(e.name,a.Uo)}</dt><dd>${p.Pv[e.kind]}, ${l}${o}</dd>`})}function f({samples:e},{suite:t},n){let s=e.filter(e=>"drop"===e.kind);return 0===s.length?null:(0,u.PT)`<h4>Largest drops</h4>
    ${s.map(e=>b(t,e.reference,(({base:e,head:t})=>`${(0,d.KN)(e)} → ${(0,d.KN)(t)}`)(e),n,null))}`}function m({suite:e,attributes:t},n){let s=t.flatMap(e=>e.samples.flatMap(t=>"skill"===t.kind?[{attribute:e,sample:t}]:[])).sort((e,t)=>g(t.sample)-g(e.sample));if(0===s.length)return null;let r=s.slice(0,12),l=r.map(({attribute:t,sample:s})=>{let r=[`${s.side}'s answer uses "${(0,h.ml)(t.name,a.Uo)}" `,s.output<s.expected?"less":"more",` than expected: affinity ${String(s.output)}`,` where the expected answer has ${String(s.expected)}`].join("");return b(e,s.reference,r,n,s.side)}),i=s.length>r.length?`${String(r.length)} of ${(0,d.hS)(s.length,"sample")}`:(0,d.hS)(s.length,"sample");return(0,u.PT)`
    <details class="samples">
      <summary>Answers with other skills than expected, ${i}</summary>${l}
    </details>`}function g({expected:e,output:t}){return Math.abs(e-t)}function b(e,t,n,d,p){let c=e?.references.find(e=>e.id===t);return(0,u.PT)`
    <div class="sample">
      <p>${(0,r.M)(e,t,d.anchor)} <span class="soft">${n}</span></p>
      ${void 0===c?null:[function({input:e,expected:t}){let n=([e,t])=>(0,u.PT)`
    <dt>${(0,h.ml)(e,a.Uo)}</dt><dd><code>${(0,s.zw)((0,i.WQ)(String(t),300))}</code></dd>`;return(0,u.PT)`<dl>
    ${Object.entries(e).map(n)}
    ${null===t?null:n(["expected",(0,$.s$)(t)])}
  </dl>`}(c),function(e,t,n){if(null!==t){let n=e[t]?.tries.find(({parts:e})=>null!==e);return void 0===n?null:(0,u.PT)`<pre>${(0,s.Or)((0,l.NO)(n,300),a.EB)}</pre>`}let{base:r,head:i}=(0,o.Oj)(e,n),d=(0,l.Kc)(r,i,{characters:300,gaps:!0}),h=(e,t)=>void 0===t?(0,s.Or)((0,l.NO)(e,300),a.EB):(0,s.zw)(t);return(0,u.PT)`<div class="sides">
    <div class="base"><h4>Base</h4><pre>${h(r,d?.base)}</pre></div>
    <div class="head"><h4>Head</h4><pre>${h(i,d?.head)}</pre></div>
  </div>`}(c,p,d.reports)]}
    </div>`}}),41758:((e,t,n)=>{n.d(t,{OX:()=>$,Py:()=>u,Q5:()=>a,Rm:()=>p,VS:()=>i,Wz:()=>r,gC:()=>o,ge:()=>d,nt:()=>h,rG:()=>l});var s=n(1679);let r="had tries that ended in an error; those are not counted",l={added:"added by this change",removed:"removed by this change and no longer run",edited:"edited by this change",unskipped:"no longer skipped by this change",skipped:"marked skip: run and shown, but not part of the verdict",newlySkipped:"newly skipped by this change",error:r,ungraded:"had tries without a readable grade; those are not counted"};function a(e,t,n){return`${e}: ${(0,s.hS)(t.length,"test")} ${n}: ${(0,s.Cb)(t,20)}`}function i(e){if("variable"===e)return"could be run on head only: base has no value for a variable of its prompt";let t=null===e.answerer?"its model":`the model "${e.answerer}"`;return`could be run on head only: base's settings do not define ${t}`}function o(e){return`base and head were answered by different models: ${e}`}function d(e,{before:t,now:n,tries:r}){let l=1===r?"was":"were";return`${e} is answered by ${n.join(", ")} now; ${(0,s.hS)(r,"stored answer")} of ${t.join(", ")} ${l} asked again`}function u({model:e,tries:t}){let n=1===t?"is":"are";return`${(0,s.hS)(t,"stored answer")} of ${e} ${n} from another build of the model: its server now reports another fingerprint`}function h(e){return`the custom roll-up "${e}" also gets skipped tries, so skip does not change its verdict`}function $(e,{isOneSided:t}){let n=null===e?"":` on ${e.join(" and ")}`;return`every try of a reference gave the same answer${n}; ${t?"more tries of that side add nothing":"if this model always repeats itself, set `n_tries: 1`"}`}function p({changed:e,compared:t,base:n,head:r,worse:l}){return`${e} of ${(0,s.hS)(t,"test")} answer differently on head, the pass rate did not fall (${(0,s.KN)(n)} → ${(0,s.KN)(r)}), and ${(0,s.hS)(l,"test")} got worse. If answers are meant to change, as with a new model, set \`gate.churn: accept\`: pass rates and critical tests still affect the verdict, other individual tests do not`}})};