export const id=4273;export const ids=[4273];export const modules={94273:((e,t,n)=>{n.d(t,{I:()=>f,M:()=>$,ratingsHtml:()=>h});var l=n(229),s=n(78593),r=n(98407),a=n(81024),d=n(8640),i=n(1679),u=n(7116),p=n(25296),o=n(93246),c=n(4884);function h(e,t){return e.map(({attribute:e,rating:{affinity:n,evidence:s}})=>{let d=null===n?"not rated":`affinity ${String(n)} of 5`,i=""===s?null:(0,u.PT)`: ${(0,l.zw)((0,a.WQ)(s,t))}`;return(0,u.PT)`
      <dt>${(0,p.ml)(e.name,r.Uo)}</dt><dd>${c.Pv[e.kind]}, ${d}${i}</dd>`})}function $({samples:e},{suite:t},n){let l=e.filter(e=>"drop"===e.kind);return 0===l.length?null:(0,u.PT)`<h4>Largest drops</h4>
    ${l.map(e=>g(t,e.reference,(({base:e,head:t})=>`${(0,i.KN)(e)} → ${(0,i.KN)(t)}`)(e),n,null))}`}function f({suite:e,attributes:t},n){let l=t.flatMap(e=>e.samples.flatMap(t=>"skill"===t.kind?[{attribute:e,sample:t}]:[])).sort((e,t)=>m(t.sample)-m(e.sample));if(0===l.length)return null;let s=l.slice(0,12),a=s.map(({attribute:t,sample:l})=>{let s=[`${l.side}'s answer uses "${(0,p.ml)(t.name,r.Uo)}" `,l.output<l.expected?"less":"more",` than expected: affinity ${String(l.output)}`,` where the expected answer has ${String(l.expected)}`].join("");return g(e,l.reference,s,n,l.side)}),d=l.length>s.length?`${String(s.length)} of ${(0,i.hS)(l.length,"sample")}`:(0,i.hS)(l.length,"sample");return(0,u.PT)`
    <details class="samples">
      <summary>Answers with other skills than expected, ${d}</summary>${a}
    </details>`}function m({expected:e,output:t}){return Math.abs(e-t)}function g(e,t,n,i,c){let h=e?.references.find(e=>e.id===t);return(0,u.PT)`
    <div class="sample">
      <p>${(0,s.M)(e,t,i.anchor)} <span class="soft">${n}</span></p>
      ${void 0===h?null:[function({input:e,expected:t}){let n=([e,t])=>(0,u.PT)`
    <dt>${(0,p.ml)(e,r.Uo)}</dt><dd><code>${(0,l.zw)((0,a.WQ)(String(t),300))}</code></dd>`;return(0,u.PT)`<dl>
    ${Object.entries(e).map(n)}
    ${null===t?null:n(["expected",(0,o.s$)(t)])}
  </dl>`}(h),function(e,t,n){var s,r;if(null!==t){let n=e[t]?.tries.find(({actual:e})=>null!==e)?.actual??null;return null===n?null:(0,u.PT)`<pre>${(0,l.zw)((0,a.WQ)(n,300))}</pre>`}let{base:i,head:p}=(0,d.Oj)(e,n),o=(s=i?.actual??null,r=p?.actual??null,null!==s&&null!==r?(0,a.s)(s,r,{characters:300,gaps:!0}):{base:(0,a.WQ)(s??"no answer",300),head:(0,a.WQ)(r??"no answer",300)});return(0,u.PT)`<div class="sides">
    <div class="base"><h4>Base</h4><pre>${(0,l.zw)(o.base)}</pre></div>
    <div class="head"><h4>Head</h4><pre>${(0,l.zw)(o.head)}</pre></div>
  </div>`}(h,c,i.reports)]}
    </div>`}})};