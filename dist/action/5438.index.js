export const id=5438;export const ids=[5438];export const modules={94273:((e,t,n)=>{n.d(t,{I:()=>m,M:()=>f,ratingsHtml:()=>$});var r=n(229),l=n(78593),s=n(83377),d=n(98407),a=n(81024),i=n(8640),o=n(1679),p=n(7116),u=n(25296),c=n(93246),h=n(4884);function $(e,t){return e.map(({attribute:e,rating:{affinity:n,evidence:l}})=>{let s=null===n?"not rated":`affinity ${String(n)} of 5`,i=""===l?null:(0,p.PT)`: ${(0,r.zw)((0,a.WQ)(l,t))}`;return(0,p.PT)`
      <dt>${(0,u.ml)(e.name,d.Uo)}</dt><dd>${h.Pv[e.kind]}, ${s}${i}</dd>`})}function f({samples:e},{suite:t},n){let r=e.filter(e=>"drop"===e.kind);return 0===r.length?null:(0,p.PT)`<h4>Largest drops</h4>
    ${r.map(e=>v(t,e.reference,(({base:e,head:t})=>`${(0,o.KN)(e)} → ${(0,o.KN)(t)}`)(e),n,null))}`}function m({suite:e,attributes:t},n){let r=t.flatMap(e=>e.samples.flatMap(t=>"skill"===t.kind?[{attribute:e,sample:t}]:[])).sort((e,t)=>g(t.sample)-g(e.sample));if(0===r.length)return null;let l=r.slice(0,12),s=l.map(({attribute:t,sample:r})=>{let l=[`${r.side}'s answer uses "${(0,u.ml)(t.name,d.Uo)}" `,r.output<r.expected?"less":"more",` than expected: affinity ${String(r.output)}`,` where the expected answer has ${String(r.expected)}`].join("");return v(e,r.reference,l,n,r.side)}),a=r.length>l.length?`${String(l.length)} of ${(0,o.hS)(r.length,"sample")}`:(0,o.hS)(r.length,"sample");return(0,p.PT)`
    <details class="samples">
      <summary>Answers with other skills than expected, ${a}</summary>${s}
    </details>`}function g({expected:e,output:t}){return Math.abs(e-t)}function v(e,t,n,o,h){let $=e?.references.find(e=>e.id===t);return(0,p.PT)`
    <div class="sample">
      <p>${(0,l.M)(e,t,o.anchor)} <span class="soft">${n}</span></p>
      ${void 0===$?null:[function({input:e,expected:t}){let n=([e,t])=>(0,p.PT)`
    <dt>${(0,u.ml)(e,d.Uo)}</dt><dd><code>${(0,r.zw)((0,a.WQ)(String(t),300))}</code></dd>`;return(0,p.PT)`<dl>
    ${Object.entries(e).map(n)}
    ${null===t?null:n(["expected",(0,c.s$)(t)])}
  </dl>`}($),function(e,t,n){if(null!==t){let n=e[t]?.tries.find(({parts:e})=>null!==e);return void 0===n?null:(0,p.PT)`<pre>${(0,r.Or)((0,s.NO)(n,300),d.EB)}</pre>`}let{base:l,head:a}=(0,i.Oj)(e,n),o=(0,s.Kc)(l,a,{characters:300,gaps:!0}),u=(e,t)=>void 0===t?(0,r.Or)((0,s.NO)(e,300),d.EB):(0,r.zw)(t);return(0,p.PT)`<div class="sides">
    <div class="base"><h4>Base</h4><pre>${u(l,o?.base)}</pre></div>
    <div class="head"><h4>Head</h4><pre>${u(a,o?.head)}</pre></div>
  </div>`}($,h,o.reports)]}
    </div>`}}),41758:((e,t,n)=>{n.d(t,{W:()=>r});let r="had tries that ended in an error; those are not counted"})};