export const id=9491;export const ids=[9491,9560];export const modules={6438:((e,t,n)=>{n.d(t,{dashboardHtml:()=>m});var r=n(229),s=n(78593),l=n(98407),a=n(8640),i=n(43110),o=n(1679),d=n(7116),u=n(25296),h=n(25855),f=n(4884),p=n(4213),$=n(94273),c=n(40753);function m(e,t,n){let m=(0,f.sR)(e,(0,a.L2)(e.suites));if(0===m.length)return null;let g=m.slice(0,20),w=[...m.length>g.length?[`The attributes of ${(0,o.hS)(m.length-g.length,"suite")} are left out; result.json has them.`]:[],...t.left>0?[`Charts are drawn for the worst suites, to keep this file small; those of ${(0,o.hS)(t.left,"suite")} are left out; result.json has the numbers.`]:[]];return(0,d.PT)`
    <section id="kinds"><h2>Attributes</h2>
      ${0===e.attributes.length?null:(0,d.PT)`<p>${function({attributes:e,mode:t}){if("sweep"===t)return`${(0,o.hS)(e.length,"attribute")}, worked out from the references.`;let n=e.filter(({verdict:e})=>"too few"===e).length,r=0===n?"":`; ${(0,o.U9)(n)} with too few references to judge`;return`${(0,f.ET)(e)}${r}.`}(e)}</p>`}
      ${g.map(a=>(function(e,t,n,a){let{attributes:m,insights:g}=e,w="diff"===t?(0,f.DA)(m.filter(f.tv)):[],b=(0,i.v)(w.length,10),[v]=m,y=void 0===v?void 0:n.kinds.get((0,p.aJ)(v)),k=(e,t=[])=>0===t.length?null:(0,d.PT)`<h4>${e}</h4><div class="cards">${t}</div>`;return(0,d.PT)`
    <section class="kinds"><h3><code>${(0,u.ml)(e.name,l.Uo)}</code></h3>
      ${function(e,t,n){let a=(0,f.Ic)(t.dropped);if(0===e.length&&null===a)return null;let o=e.map(({text:e,attributes:r,references:a})=>{let o=r.flatMap(e=>t.attributes.find(t=>t.id===e)??[]).map(e=>(0,h.JR)(e,(0,u.ml)(e.name,l.Uo),n)),f=a.slice(0,12).map(e=>(0,s.M)(t.suite,e,n.anchor)),p=(0,i.v)(a.length,f.length),$=[...o,...f,...null===p?[]:[p]],c=(0,d.PT)`<br><span class="soft">rests on</span> ${(0,d.Rm)($,", ")}`;return(0,d.PT)`<li>${(0,u.ml)(e,600)}${0===$.length?null:c}</li>`});return(0,d.PT)`
    <div class="insights">
      <h4>${(0,f.gU)(e)}</h4>
      ${e.some(({generated:e})=>e)?(0,r.MB)(f.y4):null}
      ${0===o.length?null:(0,d.PT)`<ul>${o}</ul>`}
      ${null===a?null:(0,r.MB)(a)}
    </div>`}(g,e,a)}
      ${k("Domains: what inputs are about",y?.domains)}
      ${k("Sub-tasks: what answering takes",y?.subtasks)}
      ${w.slice(0,10).map(t=>(function(e,t,n){let{name:s,kind:a,explanation:p,n:m,base:g,head:w,low:b,high:v,verdict:y,alignment:k}=e,P="regressed"===y,S=`${f.Pv[a]}, ${(0,o.hS)(m,"reference")}: ${(0,i.It)(g,w)}, ${(0,i.Zg)(e)}, 90 % interval ${(0,i.qK)(b,v)}`,T=t.attributes.filter(t=>t.explained_by.includes(e.id)).map(e=>(0,u.ml)(e.name,l.Uo)),M=[...0===T.length?[]:[`Moved only with references shared with it: ${T.join(", ")}.`],...null===k?[]:[`Answers with other skills than expected, lower is better: ${(0,c.bW)(e)}.`]],j=`Show its ${(0,o.hS)(e.references.length,"reference")}`;return(0,d.PT)`
    <details class="kind" open>
      <summary>${(0,r.jw)(P?"✗ regressed":"↑ improved",P?"bad":"good")}${" "}
        <b>${(0,u.ml)(s,l.Uo)}</b> <span class="soft">${S}</span></summary>
      <div class="body">
        ${""===p?null:(0,d.PT)`<p>${(0,u.ml)(p,600)}</p>`}
        ${M.map(r.MB)}
        <p>${(0,h.JR)(e,j,n)}</p>
        ${(0,$.M)(e,t,n)}
      </div>
    </details>`})(t,e,a))}
      ${null===b?null:(0,d.PT)`<p>${b}, in the table of all attributes.</p>`}
      ${(0,$.I)(e,a)}
      ${function(e,t){let{attributes:n}=e;if(0===n.length)return null;let s=n.slice(0,60).map(n=>{let{name:s,kind:a,explanation:i,prior:p,explained_by:$}=n,c=(0,f._U)(n,e).map(e=>(0,u.ml)(e,l.Uo)),m=(0,d.PT)`
      <br><span class="soft">moved only with references shared with ${c.join(", ")}</span>`;return[(0,r.wI)((0,d.PT)`
        <b>${(0,u.ml)(s,l.Uo)}</b> <span class="soft">${f.Pv[a]}</span>
        ${0===$.length?null:m}`),(0,r.Lw)((0,o.KN)(p)),(0,r.Lw)((0,h.JR)(n,(0,o.hS)(n.references.length,"reference"),t)),(0,r.wI)((0,u.ml)(i,600))]}),a=(0,i.v)(n.length,s.length);return(0,d.PT)`
    <details class="samples"><summary>All ${(0,o.hS)(n.length,"attribute")}</summary>
      ${(0,r.qj)(["Attribute","Prior","Assigned","What it is"],s)}
      ${null===a?null:(0,d.PT)`<p>${a}.</p>`}
    </details>`}(e,a)}
    </section>`})(a,e.mode,t,n))}
      ${w.map(r.MB)}
    </section>`}}),94273:((e,t,n)=>{n.d(t,{I:()=>m,M:()=>c,ratingsHtml:()=>$});var r=n(229),s=n(78593),l=n(84583),a=n(98407),i=n(81024),o=n(8640),d=n(1679),u=n(7116),h=n(25296),f=n(93246),p=n(4884);function $(e,t){return e.map(({attribute:e,rating:{affinity:n,evidence:s}})=>{let l=null===n?"not rated":`affinity ${String(n)} of 5`,o=""===s?null:(0,u.PT)`: ${(0,r.zw)((0,i.WQ)(s,t))}`;return(0,u.PT)`
      <dt>${(0,h.ml)(e.name,a.Uo)}</dt><dd>${p.Pv[e.kind]}, ${l}${o}</dd>`})}function c({samples:e},{suite:t},n){let r=e.filter(e=>"drop"===e.kind);return 0===r.length?null:(0,u.PT)`<h4>Largest drops</h4>
    ${r.map(e=>w(t,e.reference,(({base:e,head:t})=>`${(0,d.KN)(e)} → ${(0,d.KN)(t)}`)(e),n,null))}`}function m({suite:e,attributes:t},n){let r=t.flatMap(e=>e.samples.flatMap(t=>"skill"===t.kind?[{attribute:e,sample:t}]:[])).sort((e,t)=>g(t.sample)-g(e.sample));if(0===r.length)return null;let s=r.slice(0,12),l=s.map(({attribute:t,sample:r})=>{let s=[`${r.side}'s answer uses "${(0,h.ml)(t.name,a.Uo)}" `,r.output<r.expected?"less":"more",` than expected: affinity ${String(r.output)}`,` where the expected answer has ${String(r.expected)}`].join("");return w(e,r.reference,s,n,r.side)}),i=r.length>s.length?`${String(s.length)} of ${(0,d.hS)(r.length,"sample")}`:(0,d.hS)(r.length,"sample");return(0,u.PT)`
    <details class="samples">
      <summary>Answers with other skills than expected, ${i}</summary>${l}
    </details>`}function g({expected:e,output:t}){return Math.abs(e-t)}function w(e,t,n,d,p){let $=e?.references.find(e=>e.id===t);return(0,u.PT)`
    <div class="sample">
      <p>${(0,s.M)(e,t,d.anchor)} <span class="soft">${n}</span></p>
      ${void 0===$?null:[function({input:e,expected:t}){let n=([e,t])=>(0,u.PT)`
    <dt>${(0,h.ml)(e,a.Uo)}</dt><dd><code>${(0,r.zw)((0,i.WQ)(String(t),300))}</code></dd>`;return(0,u.PT)`<dl>
    ${Object.entries(e).map(n)}
    ${null===t?null:n(["expected",(0,f.s$)(t)])}
  </dl>`}($),function(e,t,n){if(null!==t){let n=e[t]?.tries.find(({parts:e})=>null!==e);return void 0===n?null:(0,u.PT)`<pre>${(0,r.Or)((0,l.NO)(n,300),a.EB)}</pre>`}let{base:s,head:i}=(0,o.Oj)(e,n),d=(0,l.Kc)(s,i,{characters:300,gaps:!0}),h=(e,t)=>void 0===t?(0,r.Or)((0,l.NO)(e,300),a.EB):(0,r.zw)(t);return(0,u.PT)`<div class="sides">
    <div class="base"><h4>Base</h4><pre>${h(s,d?.base)}</pre></div>
    <div class="head"><h4>Head</h4><pre>${h(i,d?.head)}</pre></div>
  </div>`}($,p,d.reports)]}
    </div>`}}),51804:((e,t,n)=>{n.d(t,{F:()=>l,Y:()=>s});var r=n(42110);let s=["empty","cut","withheld","refused","unknown"],l={empty:e=>null===e.parts&&null!==e.ended&&!a(e),cut:({parts:e,ended:t})=>null!==e&&"length"===t,withheld:e=>null===e.parts&&a(e),refused:e=>null!==e.parts&&a(e),unknown:({ended_as:e})=>void 0!==e};function a({ended:e}){return null!==e&&(0,r.Ys)({ended:e})}}),12015:((e,t,n)=>{n.d(t,{q:()=>l});var r=n(51804);let s={empty:"empty",cut:"cut at a limit of tokens",withheld:"filtered or refused without a word",refused:"filtered or refused",unknown:"ended for a reason that evaldiff does not know"};function l(e){let t=["base","head"].map(t=>({side:t,tries:e.flatMap(e=>e[t]?.tries??[])})).filter(({tries:e})=>e.length>0);return r.Y.flatMap(e=>{let n=t.flatMap(({tries:t})=>t.filter(r.F[e]));if(0===n.length)return[];let l=t.map(({side:t,tries:n})=>`${t} ${String(n.filter(r.F[e]).length)} of ${String(n.length)}`),a=[...new Set(n.flatMap(({ended_as:e})=>e??[]))],i="unknown"===e?` (${a.join(", ")})`:"";return[`${s[e]}${i}: ${l.join(", ")}`]})}}),41758:((e,t,n)=>{n.d(t,{OX:()=>f,Py:()=>u,Q5:()=>a,Rm:()=>p,VS:()=>i,Wz:()=>s,gC:()=>o,ge:()=>d,nt:()=>h,rG:()=>l});var r=n(1679);let s="had tries that ended in an error; those are not counted",l={added:"added by this change",removed:"removed by this change and no longer run",edited:"edited by this change",unskipped:"no longer skipped by this change",skipped:"marked skip: run and shown, but not part of the verdict",newlySkipped:"newly skipped by this change",error:s,ungraded:"had tries without a readable grade; those are not counted"};function a(e,t,n){return`${e}: ${(0,r.hS)(t.length,"reference")} ${n}: ${(0,r.Cb)(t,20)}`}function i(e){if("variable"===e)return"could be run on head only: base has no value for a variable of its prompt";let t=null===e.answerer?"its model":`"${e.answerer}"`;return`could be run on head only: base's settings do not say who answers as ${t}`}function o(e){return`the sides were answered by different models: ${e}`}function d(e,{before:t,now:n,tries:s}){let l=1===s?"was":"were";return`${e} is answered by ${n.join(", ")} now; ${(0,r.hS)(s,"stored answer")} of ${t.join(", ")} ${l} asked again`}function u({model:e,tries:t}){let n=1===t?"is":"are";return`${(0,r.hS)(t,"stored answer")} of ${e} ${n} by another build of the model: its server names another fingerprint now`}function h(e){return`the custom roll-up "${e}" sees skipped tries too, so skip is ignored for its verdict`}function f(e,{isOneSided:t}){let n=null===e?"":` on ${e.join(" and ")}`;return`every try of a reference gave the same answer${n}; ${t?"more tries of that side add nothing":"if this model always repeats itself, set `n_tries: 1`"}`}function p({changed:e,compared:t,base:n,head:s,worse:l}){return`${String(e)} of ${(0,r.hS)(t,"reference")} answer differently on head, the pass rate did not fall (${(0,r.KN)(n)} → ${(0,r.KN)(s)}), and ${(0,r.hS)(l,"reference")} got worse. If answers are meant to change, as with a new model, set \`gate.churn: accept\`: pass rates and critical references still gate, other single references do not`}})};