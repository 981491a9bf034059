export const id=6438;export const ids=[6438];export const modules={6438:((t,e,l)=>{l.d(e,{dashboardHtml:()=>f});var s=l(229),n=l(78593),i=l(98407),r=l(43110),a=l(1679),o=l(7116),u=l(25296),h=l(4610),$=l(25855),d=l(4884),m=l(4213),p=l(94273),c=l(40753);function f(t,e,l){let f=(0,d.sR)(t,(0,h.L2)(t.suites));if(0===f.length)return null;let g=f.slice(0,20),b=[...f.length>g.length?[`The attributes of ${(0,a.hS)(f.length-g.length,"suite")} are left out; result.json has them.`]:[],...e.left>0?[`Charts are drawn for the worst suites, to keep this file small; those of ${(0,a.hS)(e.left,"suite")} are left out; result.json has the numbers.`]:[]];return(0,o.PT)`
    <section id="kinds"><h2>Attributes</h2>
      ${0===t.attributes.length?null:(0,o.PT)`<p>${function({attributes:t,mode:e}){if("sweep"===e)return`${(0,a.hS)(t.length,"attribute")}, derived from the references.`;let l=t.filter(({verdict:t})=>"too few"===t).length,s=0===l?"":`; ${(0,a.U9)(l)} not compared: too few tests have it, or too few lack it`;return`${(0,d.ET)(t)}${s}.`}(t)}</p>`}
      ${g.map(h=>(function(t,e,l,h){let{attributes:f,insights:g}=t,b="diff"===e?(0,d.DA)(f.filter(d.tv)):[],w=(0,r.v)(b.length,10),[v]=f,P=void 0===v?void 0:l.kinds.get((0,m.aJ)(v)),T=(t,e=[])=>0===e.length?null:(0,o.PT)`<h4>${t}</h4><div class="cards">${e}</div>`;return(0,o.PT)`
    <section class="kinds"><h3><code>${(0,u.ml)(t.name,i.Uo)}</code></h3>
      ${function(t,e,l){let a=(0,d.Ic)(e.dropped);if(0===t.length&&null===a)return null;let h=t.map(({text:t,attributes:s,references:a,change:h})=>{let d=s.flatMap(t=>e.attributes.find(e=>e.id===t)??[]).map(t=>(0,$.JR)(t,(0,u.ml)(t.name,i.Uo),l)),m=a.slice(0,12).map(t=>(0,n.M)(e.suite,t,l.anchor)),p=(0,r.v)(a.length,m.length),c=[...d,...m,...null===p?[]:[p]],f=(0,o.PT)`<br><span class="soft">rests on</span> ${(0,o.Rm)(c,", ")}`,{file:g,line:b,was:w,becomes:v}=h,P=(0,o.PT)`<br>${g}:${String(b)}: <del>${w}</del> → <ins>${v}</ins>`;return(0,o.PT)`<li>${(0,u.ml)(t,600)}${P}${f}</li>`});return(0,o.PT)`
    <div class="insights">
      <h4>${(0,d.gU)(t)}</h4>
      ${t.length>0?(0,s.MB)(d.y4):null}
      ${0===h.length?null:(0,o.PT)`<ul>${h}</ul>`}
      ${null===a?null:(0,s.MB)(a)}
    </div>`}(g,t,h)}
      ${T("Domains: what inputs are about",P?.domains)}
      ${T("Sub-tasks: skills that the answers need",P?.subtasks)}
      ${b.slice(0,10).map(e=>(function(t,e,l){let{name:n,kind:h,explanation:m,n:f,low:g,high:b,verdict:w,alignment:v}=t,P="regressed"===w,T=`${d.Pv[h]}, ${(0,a.hS)(f,"test")}: ${(0,d.qO)(t)}`+(null===g?"":`, ${(0,r.Zg)(t)}, 90 % interval ${(0,r.qK)(g,b)}`),k=e.attributes.filter(e=>e.explained_by.includes(t.id)).map(t=>(0,u.ml)(t.name,i.Uo)),S=[...0===k.length?[]:[`${P?"Also fell":"Also rose"} and share tests with it: ${k.join(", ")}.`],...null===v?[]:[`Answers with other skills than expected, lower is better: ${(0,c.bW)(t)}.`]],U=`Show its ${(0,a.hS)(t.references.length,"test")}`;return(0,o.PT)`
    <details class="kind" open>
      <summary>${(0,s.jw)(P?"✗ regressed":"↑ improved",P?"bad":"good")}${" "}
        <b>${(0,u.ml)(n,i.Uo)}</b> <span class="soft">${T}</span></summary>
      <div class="body">
        ${""===m?null:(0,o.PT)`<p>${(0,u.ml)(m,600)}</p>`}
        ${S.map(s.MB)}
        <p>${(0,$.JR)(t,U,l)}</p>
        ${(0,p.M)(t,e,l)}
      </div>
    </details>`})(e,t,h))}
      ${null===w?null:(0,o.PT)`<p>${w}, in the table of all attributes.</p>`}
      ${(0,p.I)(t,h)}
      ${function(t,e){let{attributes:l}=t;if(0===l.length)return null;let n=l.slice(0,60).map(l=>{let{name:n,kind:r,explanation:h,prior:m,references:p,assigned:c}=l,f=function(t,e){let{verdict:l,explained_by:s,alternatives:n}=t;if(!l.startsWith("also"))return null;let r=t=>(0,d.Lt)(t,e).map(t=>(0,u.ml)(t,i.Uo)).join(", ");return n.length>0?`${l}: this or ${r(n.map(({id:t})=>t))}; ${(0,d.Zm)(t)}`:0===s.length?l:`${l} and shares tests with ${r(s)}`}(l,t);return[(0,s.wI)((0,o.PT)`
        <b>${(0,u.ml)(n,i.Uo)}</b> <span class="soft">${d.Pv[r]}</span>
        ${null===f?null:(0,o.PT)`<br><span class="soft">${f}</span>`}`),(0,s.Lw)((0,a.KN)(m)),(0,s.Lw)((0,$.JR)(l,(0,a.hS)(p.length,"test"),e)),(0,s.Lw)((0,a.U9)(c.length)),(0,s.wI)((0,u.ml)(h,600))]}),h=(0,r.v)(l.length,n.length);return(0,o.PT)`
    <details class="samples"><summary>All ${(0,a.hS)(l.length,"attribute")}</summary>
      ${(0,s.qj)(["Attribute","Prior","Rated 3 or more","Assigned","What it is"],n)}
      ${null===h?null:(0,o.PT)`<p>${h}.</p>`}
    </details>`}(t,h)}
    </section>`})(h,t.mode,e,l))}
      ${b.map(s.MB)}
    </section>`}})};