export const id=5113;export const ids=[5113];export const modules={63254:((e,t,n)=>{n.d(t,{Mm:()=>o,OH:()=>u,Po:()=>c,Y:()=>a});var l=n(77598),r=n(73024);let a=(0,r.readFileSync)(n.ab+"page.css","utf8"),s=(0,r.readFileSync)(n.ab+"list.js","utf8"),u=e=>`{
${s}${e}}`,o=u((0,r.readFileSync)(n.ab+"page.js","utf8")),i=e=>`'sha256-${(0,l.createHash)("sha256").update(e).digest("base64")}'`,c=`default-src 'none'; style-src ${i(a)}; script-src ${i(o)}; img-src data:; base-uri 'none'; form-action 'none'`}),229:((e,t,n)=>{n.d(t,{Lw:()=>m,MB:()=>d,OL:()=>x,Or:()=>h,Qn:()=>$,Zq:()=>f,jw:()=>p,qj:()=>P,rO:()=>k,wI:()=>T,zS:()=>v,zw:()=>g});var l=n(34837),r=n(7116),a=n(25296),s=n(69447),u=n(98407),o=n(42141),i=n(17083),c=n(63254);function $(e){if(0===e.length)return{floor:0,ceiling:1};let t=e.reduce((e,t)=>Math.max(e,t)),n=Math.floor(Math.max(0,e.reduce((e,t)=>Math.min(e,t)))/.1+1e-9),l=Math.ceil(Math.min(1,t)/.1-1e-9);for(;l-n<2-1e-9||(l-n)%2!=0;)n>0?n-=1:l+=1;return{floor:n/10,ceiling:l/10}}function p(e,t){return(0,r.PT)`<span class="chip ${t}">${e}</span>`}function d(e){return(0,r.PT)`<p class="soft">${e}</p>`}function f(e,t){return(0,r.PT)`${e.map(e=>(function(e,t){let n=e=>h(e,t);switch(e.kind){case"paragraph":return(0,r.PT)`<p>${n(e.line)}</p>`;case"diff":let a;return a=e.lines.map(({sign:e,text:t})=>(0,r.PT)`<span class="${e}">${l.TE[e]} ${t}</span>`),(0,r.PT)`<pre class="diff" tabindex="0">${(0,r.Rm)(a,"\n")}</pre>`;case"list":return(0,r.PT)`<ul>${e.items.map(e=>(0,r.PT)`<li>${n(e)}</li>`)}</ul>`;case"table":return P(e.head.map(n),e.rows.map(e=>e.map(e=>({html:n(e),own:(0,u.MU)(e)}))));case"facts":{let t=e.rows.map(({name:e,value:t})=>(0,r.PT)`
          <tr${(function([e]){let t=e?.kind==="text"?/^(?:Base|Head)\b/.exec(e.text)?.[0]:void 0;return void 0===t?null:(0,r.PT)` class="${t.toLowerCase()}"`})(e)}><th scope="row">${n(e)}</th><td>${n(t)}</td></tr>`);return(0,r.PT)`<p>${n(e.title)}</p><table class="facts">${t}</table>`}case"group":return(0,r.PT)`
        <details class="part" open><summary>${n(e.summary)}</summary>
          ${f(e.blocks,t)}
        </details>`}})(e,t))}`}function m(e){return{html:e,own:!0}}function T(e){return{html:e,own:!1}}function P(e,t){let n=e.map(e=>(0,r._9)((0,r.PT)`${e}`)),l=({html:e,own:t},l,{length:a})=>{if(0===l&&""===n[0])return(0,r.PT)`<th scope="row">${e}</th>`;let s=0===l&&2!==a?null:function(e=""){let t=(0,r.Xx)(e.replaceAll("<br>",": ").replace(/<[^>]*>/g,""));return(0,r.PT)` data-title="${t}"`}(n[l]);return(0,r.PT)`<td${t?(0,r.PT)` class="own"`:null}${s}>${e}</td>`},a=e.map((e,t)=>""===n[t]?(0,r.PT)`<td></td>`:(0,r.PT)`<th scope="col">${e}</th>`);return(0,r.PT)`
    <div class="wide" tabindex="0"><table>
      <thead><tr>${a}</tr></thead>
      <tbody>${t.map(e=>(0,r.PT)`<tr>${e.map(l)}</tr>`)}</tbody>
    </table></div>`}function h(e,t){return(0,r.PT)`${e.map(e=>(function(e,t){switch(e.kind){case"text":return(0,r.PT)`${e.text}`;case"strong":return(0,r.PT)`<b>${e.text}</b>`;case"code":return b([e.text])??(0,r.PT)`<code>${y(e.text,e.limit)}</code>`;case"pieces":return(0,r.PT)`<code>${g(e.pieces)}</code>`;case"place":return function(e,{place:t}){let n=null===t?null:(0,u.Pl)(t(e.file.toWellFormed(),e.line,e.side)),l=(0,r.PT)`<code>${(0,u.Z9)(e)}</code>`;if(void 0===e.name)return w(l,n);let a=(0,r.PT)`<code>${y(e.name.text,e.name.limit)}</code>`;return null===n?(0,r.PT)`${a} (${l})`:w(a,n)}(e,t);case"sign":return(0,r.PT)`${e.sign}`;case"verdict":return p(`${e.sign} ${e.word}`,e.tone);case"link":return w((0,r.PT)`${e.text}`,(0,u.Pl)(e.url));case"break":return(0,r.PT)`<br>`}})(e,t))}`}function g(e){return b(e.map(({text:e})=>e))??(0,r.PT)`${e.map(({kind:e,text:t})=>"changed"===e?(0,r.PT)`<mark>${t}</mark>`:"gap"===e?(0,r.PT)` <i>${t}</i> `:(0,r.PT)`${t}`)}`}function b(e){let t=(0,a.kS)(e);return null===t?null:(0,r.PT)`<i>${t}</i>`}function y(e,t){let{text:n,left:l}=(0,a.Jj)(e,t);return(0,r.PT)`${n}${0===l?null:(0,r.PT)`<i>${(0,a.nA)(l)}</i>`}`}function w(e,t){return null===t?e:(0,r.PT)`<a href="${t}" rel="noreferrer">${e}</a>`}function v({title:e,top:[t,n],main:l,footer:a}){let s=(0,r.PT)`<!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${(0,r.Xx)(c.Po)}">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="referrer" content="no-referrer">
    <title>${e}</title>
    <style>${(0,r.Xx)(c.Y)}</style>
    </head>
    <body>
    <header><span><b>evaldiff</b> ${t}</span><span>${n}</span></header>
    <main>${l}</main>
    <footer>${a}</footer>
    <script>${(0,r.Xx)(c.Mm)}</script>
    </body>
    </html>`;return`${(0,r._9)(s)}
`}function x({title:e,note:t,svg:n,table:l}){let a=""===t?null:(0,r.PT)`<span class="soft">${t}</span>`;return(0,r.PT)`
    <figure class="card"><figcaption><b>${e}</b>${a}</figcaption>${n}
      <details class="numbers"><summary>The numbers</summary>${l}</details>
    </figure>`}function k({result:e,reports:t,links:n},l=["problems","errors","reasons"]){let{sign:a,tone:u,outcome:c,subject:$,rows:p,note:d}=(0,i.P)(e,t),m=f((0,o.qP)(e,s.Qz,t,l),n),T=0===$.length?null:(0,r.PT)`: ${h($,n)}`;return(0,r.PT)`
    <section class="verdict ${u}">
      <h1>${a} ${c}${T}</h1>${[...p,d].filter(e=>e.length>0).map(e=>(0,r.PT)`<p>${h(e,n)}</p>`)}${m}
    </section>`}}),65913:((e,t,n)=>{n.d(t,{JQ:()=>o,Jh:()=>$,Mr:()=>i,Qe:()=>f,kY:()=>c});var l=n(1679),r=n(7116),a=n(25296),s=n(98407),u=n(43110);let o={...u.ly,"not-asked":"not asked yet"},i=[...u.QD,"not-asked"];function c({statuses:e,suites:t,tags:n,scoring:u=[],own:$}){let f=new Map;for(let t of e)f.set(t,(f.get(t)??0)+1);let m=i.flatMap(e=>{let t=f.get(e);return void 0===t?[]:(0,r.PT)`<label>
          <input type="checkbox" value="${e}" checked> ${o[e]} (${(0,l.U9)(t)})
        </label>`}),T=[p("suite","Suite","All suites",t.length>1?d(t):[]),null===$?null:p("kinds",$.label,$.any,function({groups:e}){return e.filter(({choices:e})=>e.length>0).map(({label:e,choices:t})=>(0,r.PT)`
        <optgroup label="${(0,a.ml)(e,s.Uo)}">
          ${d(t)}
        </optgroup>`)}($)),p("tags","Tag","All tags",d(n)),p("scoring","Scoring","Any scoring",d(u))];return(0,r.PT)`${m}${T}`}let $=(0,r.PT)`
  <input type="search" placeholder="Find in references" aria-label="Find in references">`;function p(e,t,n,l){return 0===l.length?null:(0,r.PT)`
    <select name="${e}" aria-label="${t}"><option value="">${n}</option>${l}</select>`}function d(e){return e.map(({value:e,words:t})=>(0,r.PT)`<option value="${e}">${(0,a.ml)(t,s.Uo)}</option>`)}function f(e){let t=new Map;for(let n of e)for(let e of n)t.set(e,(t.get(e)??0)+1);return[...t].sort(([,e],[,t])=>t-e).slice(0,200).map(([e])=>e)}}),78593:((e,t,n)=>{n.d(t,{CL:()=>h,M:()=>v,TN:()=>y,bo:()=>P,r$:()=>g,yo:()=>b});var l=n(54870),r=n(1679),a=n(7116),s=n(25296),u=n(69576),o=n(84583),i=n(98407),c=n(81024),$=n(45495),p=n(30410),d=n(39993),f=n(8640),m=n(43110),T=n(229);function P({suite:e,reference:t},n){let{id:r,status:s,base:u,head:o,tags:i}=t,c=n.anchor(e,r);return(0,a.PT)`
    <details class="case"${null===c?null:(0,a.PT)` id="${c}"`} data-status="${s}">
      <summary>
        ${(0,T.jw)(m.ly[s],m.Xx[s])}
        <span class="face">${(0,T.Or)((0,p.iS)(t),n.links)}</span>
        ${null===n.suite?null:(0,a.PT)`<span class="soft">${n.suite}</span>`}
        ${(0,l.HV)(t)?null:(0,T.jw)("does not gate","neutral")}
        ${i.map(e=>(0,T.jw)(e,"neutral"))}
        <span class="dots">
          ${null===u?null:g(u,"○")}
          ${null===o?null:g(o,null===u?"":"●")}
        </span>
      </summary>
      ${h(t,n,n.known)}
    </details>`}function h(e,t,n=[]){let{base:l,head:p}=e;return(0,a.PT)`
    <div class="body">
      <dl>${function(e,t){let{input:n,expected:l,file:u,line:p,status:d,p:P,q:h,history:g}=e,{characters:b,links:y}=t,w=(e,t)=>(0,a.PT)`<dt>${e}</dt><dd>${t}</dd>`;return[...Object.entries(n).map(([e,t])=>w((0,s.ml)(e,i.Uo),(0,a.PT)`<code>${(0,T.zw)((0,c.WQ)(String(t),b))}</code>`)),...(e.files??[]).map(e=>w(e.type,(0,a.PT)`<code>${e.path}</code> ${(0,$.ht)(e)}`)),...null===l?[]:[w("expected",(0,T.Or)((0,o.bS)(l,b),y))],w("at",(0,T.Or)([(0,i.ik)(u,p,(0,i.RG)({status:d}))],y)),...(function(e,{characters:t,links:n,reports:l}){let r=(0,f.Oj)(e,l);return(0,$.bg)(r.base,r.head).map(e=>[`${(0,s.ml)(e.metric,i.Uo)} ${(0,$.K$)(e)}`,(0,a.PT)`<span class="strip">${(0,T.Or)((0,$.nU)(e,t),n)}</span>`])})(e,t).map(([e,t])=>w(e,t)),...null===P||null===h?[]:[w("p, q",(0,a.PT)`<code>${(0,r.E5)(P)}, ${(0,r.E5)(h)}</code>`)],...void 0===g?[]:[w("passed so far on base",`${(0,r.U9)(g.passes)} of ${(0,r.U9)(g.tries)}, 95 % interval ${(0,m.mP)(g)}`)]]}(e,t)}${n}</dl>
      <div class="sides${null===l||null===p?" one":""}">
        ${function({status:e,base:t,head:n},l){let s="unchanged"===e||"pass"===e?null:function(e,t,n){let l=e?.tries.find(({parts:e})=>null!==e)??null,r=null===l?null:(0,u.yy)(l),a=t?.tries.find(e=>null!==e.parts&&(0,u.yy)(e)!==r),s=void 0===a?null:(0,u.yy)(a);if(null===r||null===s||Math.max(r.length,s.length)>c.Dz)return null;let i=(0,o.Kc)(l,a??null,{characters:n,gaps:!1});return null===i?null:{base:{answer:r,pieces:i.base},head:{answer:s,pieces:i.head}}}(t,n,l.characters),i=(e,t,n,s)=>(0,a.PT)`
    <div class="tries ${n}">
      <h3>${t} – ${(0,m.p2)(e)}</h3>${(function(e,t,{characters:n,reports:l}){return y(e.tries,l).map(({tries:[e,...s]})=>{let i=function(e){let t=[];for(let{try:n}of e){let e=t.at(-1);void 0!==e&&e.to===n?e.to=n+1:t.push({from:n+1,to:n+1})}return t.map(({from:e,to:t})=>t-e>1?`${e}–${t}`:[...new Set([e,t])].join(", ")).join(", ")}([e,...s]),p=null!==t&&t.answer===(0,u.yy)(e)?t.pieces:null,f=(0,d.T)(e,l)?.html(n)??function(e,t,n){let l=t??(0,o.st)(e,n);if(null===l)return null;let r=(0,o.mR)(e).map(e=>(0,a.PT)`<li>${(0,T.zw)((0,c.WQ)(e,n))}</li>`);return(0,a.PT)`
    ${0===r.length?null:(0,a.PT)`<ol class="steps">${r}</ol>`}
    <pre>${(0,T.zw)(l)}</pre>
    ${(n<b?[]:(0,o.xS)(e)).map(({media_type:e,data:t})=>(0,a.PT)`<img alt="" src="data:${e};base64,${t}">`)}`}(e,p,n),P=null===e.error?null:(0,a.PT)`<p>${(0,T.zw)((0,c.WQ)(e.error,n))}</p>`,h=n<b?"":function({usage:e,latency_ms:t,reused:n,ended:l}){let a=[...null===e?[]:[`${(0,r.U9)(e.input_tokens)} + ${(0,r.U9)(e.output_tokens)} tokens`],...null===t?[]:[`${(0,r.U9)(Math.round(t))} ms`],...n?["reused"]:[],...null===l||w.has(l)?[]:[`ended by ${l}`]];return 0===a.length?"":` \xb7 ${a.join(" · ")}`}(e);return(0,a.PT)`
        <div>
          <span>${0===s.length?"Try":"Tries"} ${i}: ${e.outcome}${h}</span>
          ${f}${P}${function({outcome:e,scores:t},n){let l=t.filter(({status:t,value:n,reason:l,skip:r})=>"pass"!==e||"pass"!==t||r||null!==l||(0,m.Jl)(n,r));return 0===l.length?null:(0,a.PT)`<ul>${l.map(({metric:e,status:t,value:l,reason:r,skip:s,objects:u})=>{let o=[(0,T.jw)(t,"pass"===t?"good":"fail"===t?"bad":"open"),(0,a.PT)`<code>${e}</code>`,(0,m.Jl)(l,s)?(0,a.PT)`<code>${(0,T.zw)((0,c.WQ)((0,m.b8)(l),n))}</code>`:null,void 0===u?null:(0,a.PT)`<code>${(0,$.Ok)(u,null)}</code>`,null===r?null:(0,T.zw)((0,c.WQ)(r,n)),s?(0,a.PT)`<span class="soft">(does not gate)</span>`:null];return(0,a.PT)`<li>${(0,a.Rm)(o.filter(e=>null!==e)," ")}</li>`})}</ul>`}(e,n)}
        </div>`})})(e,s,l)}
    </div>`;return[...null===t?[]:[i(t,"Base","base",s?.base??null)],...null===n?[]:null===t?[i(n,"Tries","",null)]:[i(n,"Head","head",s?.head??null)]]}(e,t)}
      </div>
    </div>`}function g(e,t){if((0,m.eO)(e))return(0,a.PT)`<span>${t} ${(0,m.p2)(e)}</span>`;let n=(e.tries.map(({outcome:e})=>"pass"===e?"p✓":"fail"===e?"f✗":"o?").join("").match(/(?:p✓)+|(?:f✗)+|(?:o\?)+/g)??[]).map(e=>(0,a.PT)`<b class="${e.charAt(0)}">${e.replace(/[pfo]/g,"")}</b>`);return(0,a.PT)`<span>${t} ${n} ${(0,r.U9)(e.passes)}/${(0,r.U9)(e.tries_judged)}</span>`}let b=500;function y(e,t){let n=new Map;for(let l of e){let e=JSON.stringify([l.outcome,null===l.parts?null:(0,u.q7)(l.parts),l.error,l.scores.map(({grade:e,objects:t,...n})=>({...n,objects:t?.scores.map(({grade:e,...t})=>t)})),(0,d.T)(l,t)?.value??null]),r=n.get(e);void 0===r?n.set(e,{key:e,tries:[l]}):r.tries.push(l)}return[...n.values()]}let w=new Set(["stop","tool_calls"]);function v(e,t,n){let l=(0,a.PT)`<code>${(0,s.ml)(t,i.Uo)}</code>`,r=null===e?null:n(e,t);return null===r?l:(0,a.PT)`<a href="#${r}">${l}</a>`}}),7116:((e,t,n)=>{n.d(t,{PT:()=>s,Rm:()=>i,Xx:()=>u,_9:()=>o});var l=n(25296);let r=Symbol("HTML"),a=new WeakMap;function s(e,...t){let n=a.get(e)??e.map(e=>e.replace(/\n +/g,""));return a.set(e,n),u(n.reduce((e,n,l)=>e+c(t[l-1]??null)+n))}function u(e){return{[r]:e}}function o(e){return e[r]}function i(e,t){return u(e.map(c).join(t))}function c(e){return null===e?"":"string"==typeof e?(0,l.My)(e):"number"==typeof e?String(e):r in e?e[r]:e.reduce((e,t)=>e+c(t),"")}})};