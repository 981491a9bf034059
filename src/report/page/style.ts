/**
 * The HTML report's policy names the hashes of its style and script, so nothing else can style or
 * run. After a change, a test prints the new hashes.
 */
export const STYLE = `
:root{color-scheme:light dark;--page:#ffffff;--panel:#f6f8fa;--line:#d5dae1;--text:#1f2328;--soft:#59636e;--link:#0860ca;
--bad:#b3261e;--badbg:#fdecea;--good:#17692d;--goodbg:#e6f4ea;--open:#835a00;--openbg:#fff4d6;--mark:#ffe08a;--code:#eaeef2}
@media(prefers-color-scheme:dark){:root{--page:#0f1216;--panel:#171b21;--line:#333b45;--text:#e6e9ee;--soft:#9aa5b1;--link:#6cb0ff;
--bad:#ff8f85;--badbg:#3a1a18;--good:#6fcf88;--goodbg:#15301d;--open:#e8bd57;--openbg:#342a10;--mark:#6b5310;--code:#262c35}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
header,main,footer{max-width:1120px;margin:0 auto;padding:0 20px}
header{padding-top:20px;color:var(--soft);display:flex;gap:6px 18px;flex-wrap:wrap;justify-content:space-between}
header b{color:var(--text)}
h1{font-size:26px;line-height:1.25;margin:0 0 4px}
section:not(.verdict)>h1{margin-top:22px}
h2{font-size:19px;margin:34px 0 10px}
h3{font-size:16px;margin:26px 0 6px;display:flex;gap:8px;align-items:center;flex-wrap:wrap}
p{margin:0 0 10px}
ul{margin:0 0 10px;padding-left:22px}
a{color:var(--link)}
.soft{color:var(--soft)}
.verdict{margin-top:14px;padding:18px 20px;border:1px solid var(--line);border-left:6px solid var(--soft);border-radius:8px;background:var(--panel)}
.verdict{margin-bottom:16px}h1 code{font-size:.85em;background:none;padding:0}#suites td:nth-child(2){min-width:172px;white-space:normal}
.verdict p:last-child,.verdict ul:last-child{margin-bottom:0}
.verdict.bad{border-left-color:var(--bad)}.verdict.good{border-left-color:var(--good)}.verdict.open{border-left-color:var(--open)}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin:0 0 14px;max-width:100%}
th,td{padding:7px 12px;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{font-weight:600;color:var(--soft);font-size:13px}
td.own{white-space:nowrap}
td:first-child{min-width:130px}
td:last-child:not(.own){min-width:190px}
h3 .soft{font-weight:400}
caption{text-align:left;font-weight:600;padding:0 0 6px}
code,pre{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{background:var(--code);border-radius:4px;padding:1px 4px;white-space:pre-wrap;overflow-wrap:anywhere}
pre{margin:4px 0 8px;padding:8px 10px;background:var(--page);border:1px solid var(--line);border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}
pre.diff{white-space:pre;overflow-x:auto;overflow-wrap:normal}pre.diff .removed{background:var(--badbg)}pre.diff .added{background:var(--goodbg)}pre.diff .gap{color:var(--soft)}
mark{background:var(--mark);color:inherit;border-radius:2px}
.base mark{background:var(--badbg);text-decoration:underline dashed 1px var(--bad);text-underline-offset:3px}
.head mark{background:var(--goodbg);text-decoration:underline solid 2px var(--good);text-underline-offset:3px}
.base>h3::before,.facts .base>th::before{content:"○ "/"";color:var(--bad)}.head>h3::before,.facts .head>th::before{content:"● "/"";color:var(--good)}
.base pre,.head pre{position:relative;padding-left:26px;border-left:4px solid var(--bad)}.head pre{border-left-color:var(--good)}
.base pre::before,.head pre::before{position:absolute;left:9px;content:"−"/"";color:var(--bad);font-weight:700}.head pre::before{content:"+"/"";color:var(--good)}
.facts{width:100%}.facts th{width:1%;min-width:120px;white-space:nowrap;padding-left:0}.facts .base td,.facts .head td{border-left:4px solid var(--bad)}.facts .head td{border-left-color:var(--good)}
.facts td code{background:none;padding:0}
.chip{display:inline-block;padding:0 8px;border-radius:10px;font-size:13px;white-space:nowrap;background:var(--panel);border:1px solid var(--line);color:var(--soft)}
.chip.bad{background:var(--badbg);color:var(--bad);border-color:transparent}
.chip.good{background:var(--goodbg);color:var(--good);border-color:transparent}
.chip.open{background:var(--openbg);color:var(--open);border-color:transparent}
svg{display:block}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr));gap:14px;margin:0 0 14px}
.card{display:grid;grid-template-rows:subgrid;grid-row:span 3;align-items:start;gap:8px;margin:0;padding:12px 14px 10px;border:1px solid var(--line);border-radius:8px;min-width:0}
figcaption{overflow-wrap:anywhere}figcaption .soft{display:block;font-size:13px}
svg.chart{width:100%;height:auto;max-width:420px}
details.numbers{font-size:13px;min-width:0}details.numbers>summary{cursor:pointer;color:var(--soft)}
.numbers th,.numbers td{padding:3px 12px 3px 0}.numbers td:first-child,.numbers td:last-child:not(.own){min-width:96px}.numbers table{margin:6px 0 0}
svg .axis{stroke:var(--line)}svg .range{stroke:var(--soft);stroke-width:3;stroke-linecap:round}svg .dot{fill:var(--soft)}
svg.bad .range{stroke:var(--bad)}svg.bad .dot{fill:var(--bad)}svg.good .range{stroke:var(--good)}svg.good .dot{fill:var(--good)}
svg.open .range{stroke:var(--open)}svg.open .dot{fill:var(--open)}
#filter{margin:0 0 12px;padding:10px 14px;border:1px solid var(--line);border-radius:8px;background:var(--page);display:flex;gap:6px 16px;flex-wrap:wrap;align-items:center}
#filter[hidden]{display:none}
#filter legend{float:left;padding:0;margin-right:4px;font-weight:600}
#filter input[type=search]{flex:1 1 180px;min-width:140px}#filter p{flex-basis:100%;margin:0;font-size:13px}#filter output{color:var(--soft)}
#list>div{display:flow-root}
select{max-width:260px}
input,button,select{font:inherit;color:inherit;background:var(--panel);border:1px solid var(--line);border-radius:6px;padding:3px 9px}
button{cursor:pointer}button:disabled{cursor:default;opacity:.5}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
details.case{border:1px solid var(--line);border-radius:8px;margin:0 0 6px;background:var(--panel);content-visibility:auto;contain-intrinsic-size:auto 40px}
details.case>summary{padding:7px 12px;cursor:pointer;display:flex;gap:6px 12px;align-items:center;flex-wrap:wrap;list-style-position:inside}
details.case>summary::before{content:"▸";color:var(--soft);width:10px}
details.case[open]>summary::before{content:"▾"}
.face{min-width:0;overflow-wrap:anywhere}details.case>summary code{background:none;padding:0;font-weight:600}
.dots{margin-left:auto;display:flex;gap:8px;align-items:center;color:var(--soft);font-size:13px;white-space:nowrap}
.dots b{letter-spacing:1px}
.dots b.p{color:var(--good)}.dots b.f{color:var(--bad)}
.body{padding:2px 14px 12px;border-top:1px solid var(--line)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 14px;margin:10px 0}
dt{color:var(--soft)}dd{margin:0;min-width:0}
.sides{display:grid;grid-template-columns:1fr 1fr;gap:16px}
.sides.one{grid-template-columns:1fr}
.sides>div{min-width:0}
.sides h3{margin:6px 0 4px;font-size:14px;gap:0;white-space:pre-wrap}
svg.spread .base{fill:none;stroke:var(--bad)}svg.spread .head{fill:var(--good)}svg.spread+.soft{display:block;min-width:160px;font-size:12px;white-space:normal}
.tries>div{margin:0 0 10px}
.tries>div>span{color:var(--soft)}
.tries ul{list-style:none;padding:0;margin:0}
h4{font-size:15px;margin:18px 0 8px}
.insights{padding:4px 18px 8px;margin:0 0 12px;border:1px solid var(--line);border-radius:8px;background:var(--panel)}.insights h4{margin-top:10px}.insights li{margin:0 0 8px}
details.kind{border:1px solid var(--line);border-radius:8px;margin:0 0 8px}
details.kind>summary{padding:9px 14px;cursor:pointer;overflow-wrap:anywhere}
details.kind>.body{padding-top:10px}.kind .body>p{margin-bottom:6px}
.sample{margin:0 0 12px;padding:8px 0 0 12px;border-left:3px solid var(--line)}.sample p{margin:0}.sample dl{margin:6px 0}.sample h4{margin:4px 0;font-size:13px;font-weight:400;color:var(--soft)}
details.samples{margin:8px 0}details.samples>summary{cursor:pointer;color:var(--link)}details.samples[open]>summary{margin-bottom:10px}
details.case:target{border-color:var(--link)}
section,details.case{scroll-margin-top:10px}
details.part>summary{cursor:pointer;font-size:19px;font-weight:600;margin:26px 0 10px}
footer{color:var(--soft);padding-top:26px;padding-bottom:40px;font-size:13px}
@media(max-width:900px){th,td{padding:7px 9px}}
@media(max-width:760px){pre.diff{white-space:pre-wrap;overflow-wrap:anywhere}th,td{padding:7px 8px}td:first-child{min-width:92px}header,main,footer{padding-left:12px;padding-right:12px}h1{font-size:21px}.dots{flex-basis:100%}.facts tr{display:grid;grid-template-columns:94px 1fr}.facts th,.facts td{width:auto;min-width:0;border-bottom:0;padding:4px 8px}.facts th{white-space:normal;overflow-wrap:anywhere}.facts tr{border-bottom:1px solid var(--line)}.sides{grid-template-columns:1fr}.dots{margin-left:0}}
@media(max-width:600px){.wide table{width:100%}.wide thead{display:none}.wide tr{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));border-bottom:1px solid var(--line)}.wide tr>*{min-width:0!important;border:0;white-space:normal;overflow-wrap:anywhere}.wide tr>:first-child,.wide tr>:nth-child(2):last-child{grid-column:1/-1}.wide td[data-title]::before{content:attr(data-title);display:block;font-size:13px;color:var(--soft)}.wide svg{max-width:100%}}
#rest{display:none}
@media print{#filter{display:none}#rest:not([hidden]){display:block}pre.diff{white-space:pre-wrap}details.case{content-visibility:visible}}
`;

export const STYLE_HASH = 'sha256-bi1zlQpDJTA/HN3HQVs27OH6LZUF35G5l80sdFfaf3g=';

export const SCRIPT_HASH = 'sha256-xiH6KucI/68XaXCLolUz/bPT6tRc4rXtbVnGLcAOfXY=';

/** Nothing is loaded, sent or framed; only our style and script apply. */
export const POLICY = `default-src 'none'; style-src '${STYLE_HASH}'; script-src '${SCRIPT_HASH}'; base-uri 'none'; form-action 'none'`;
