export const id=9363;export const ids=[9363,6982];export const modules={81744:((e,t,r)=>{r.r(t),r.d(t,{livePage:()=>v,renderHtml:()=>y});var n=r(25296),i=r(478),s=r(69447),o=r(67585),a=r(40277),l=r(27648),c=r(77598),d=r(73024);let p=["../viewer/","../../build/viewer/","../../dist/viewer/"].map(e=>new URL(e,import.meta.url)).find(e=>(0,d.existsSync)(new URL("viewer.js",e)));function u(e){if(void 0===p)throw Error("The report's page is missing: run npm run build");return(0,d.readFileSync)(new URL(e,p),"utf8").trim()}let f=u("viewer.css"),m=u("viewer.js"),h=e=>`'sha256-${(0,c.createHash)("sha256").update(e).digest("base64")}'`,w=`default-src 'none'; style-src ${h(f)}; script-src ${h(m)}; img-src data:; base-uri 'none'; form-action 'none'`;async function y(e,t,r=null){let c={...(0,a.p)(e,t),trend:r},d=await g(c),p=d.length<=25e6?d:await g({...c,result:JSON.parse(JSON.stringify(e,(e,t)=>"steps"===e?void 0:"data"===e&&"string"==typeof t?null:t)),left:"Images and the steps that led to answers are left out, to limit the size of this file; result.json has them."}),u=(0,o.q)(e,s.aq[0],t),f=(0,l.renderBlocks)(u,{width:96,colour:!1}),{sign:m,outcome:h}=(0,i.k5)(e),v=`${m} ${h}`;return b(`${v} – evaldiff`,{policy:w,body:`<div id="root"></div>
<noscript><main><h1>${(0,n.My)(v)}</h1><pre>${(0,n.My)(f)}</pre><p>This page shows every answer if JavaScript is on. So does result.json.</p></main></noscript>
<script type="application/octet-stream" id="data">${p}<\/script>`})}function v(){let e=`${w}; connect-src 'self'; frame-ancestors 'none'`;return{html:b("evaldiff dev",{policy:null,body:'<div id="root" data-live></div><noscript>This page needs JavaScript.</noscript>'}),policy:e}}async function g(e){let t=new Blob([JSON.stringify(e)]).stream().pipeThrough(new CompressionStream("deflate-raw"));return Buffer.from(await new Response(t).arrayBuffer()).toString("base64")}function b(e,{policy:t,body:r}){let i=null===t?"":`<meta http-equiv="Content-Security-Policy" content="${t}">
`;return`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${i}<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${(0,n.My)(e)}</title>
<style>${f}</style>
<script>${m}<\/script>
</head>
<body>${r}</body>
</html>
`}}),40277:((e,t,r)=>{r.d(t,{p:()=>a});var n=r(69447),i=r(67585),s=r(95340);let o={top:["verdict","problems","errors","why","changedLines","reasons","next"],groups:["belowReferences"],metrics:["metrics"],more:["changedLines","scoringChange","deletedTests","sureness","notices"],footer:["footer"]};function a(e,t){let r=Object.fromEntries(Object.keys(o).map(r=>[r,(r=>{if("top"!==r)return(0,i.q)(e,n.Qz,t,o[r]);let a=(0,s.Tb)(e,t).length>0,l=[...o.top,...a?[]:["worstReference"]];return(0,i.q)(e,n.aq[0],t,l)})(r)]));return{result:e,blocks:r,left:null}}})};