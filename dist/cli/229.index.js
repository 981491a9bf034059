export const id=229;export const ids=[229];export const modules={229:((e,t,r)=>{r.d(t,{Mn:()=>v,OL:()=>y,Or:()=>g,Qn:()=>c,Zq:()=>u,jw:()=>f,qj:()=>m,rO:()=>k,zS:()=>b,zw:()=>h});var a=r(34837),o=r(25296),n=r(69447),s=r(98407),i=r(77076),l=r(75048),d=r(72012),p=r(57722);function c(e){if(0===e.length)return{floor:0,ceiling:1};let t=e.reduce((e,t)=>Math.max(e,t)),r=Math.floor(Math.max(0,e.reduce((e,t)=>Math.min(e,t)))/.1+1e-9),a=Math.ceil(Math.min(1,t)/.1-1e-9);for(;a-r<2-1e-9||(a-r)%2!=0;)r>0?r-=1:a+=1;return{floor:r/10,ceiling:a/10}}function f(e,t){return`<span class="chip ${t}">${(0,o.My)(e)}</span>`}function u(e,t){return e.map(e=>(function(e,t){let r=e=>g(e,t);switch(e.kind){case"paragraph":return`<p>${r(e.line)}</p>`;case"diff":let n;return n=e.lines.map(({sign:e,text:t})=>`<span class="${e}">${(0,o.My)(`${a.TE[e]} ${t}`)}</span>`),`<pre class="diff" tabindex="0">${n.join("\n")}</pre>`;case"list":return`<ul>${e.items.map(e=>`<li>${r(e)}</li>`).join("")}</ul>`;case"table":return m(e.head.map(r),e.rows.map(e=>e.map(e=>({html:r(e),own:(0,s.MU)(e)}))));case"facts":return[`<p>${r(e.title)}</p><table class="facts">`,...e.rows.map(({name:e,value:t})=>`<tr${function([e]){return e?.kind!=="text"?"":/^Base\b/.test(e.text)?' class="base"':/^Head\b/.test(e.text)?' class="head"':""}(e)}><th scope="row">${r(e)}</th><td>${r(t)}</td></tr>`),"</table>"].join("");case"group":return`<details class="part" open><summary>${r(e.summary)}</summary>
${u(e.blocks,t)}
</details>`}})(e,t)).join("\n")}function m(e,t){let r=e.map(e=>""===e?"<td></td>":`<th scope="col">${e}</th>`).join(""),a=t.map(t=>`<tr>${t.map(({html:r,own:a},o)=>0===o&&""===e[0]?`<th scope="row">${r}</th>`:`<td${a?' class="own"':""}${0===o&&2!==t.length?"":function(e=""){return` data-title="${e.replaceAll("<br>",": ").replace(/<[^>]*>/g,"")}"`}(e[o])}>${r}</td>`).join("")}</tr>`).join("\n");return`<div class="wide" tabindex="0"><table><thead><tr>${r}</tr></thead><tbody>
${a}
</tbody></table></div>`}function g(e,t){return e.map(e=>(function(e,t){switch(e.kind){case"text":return(0,o.My)(e.text);case"strong":return`<b>${(0,o.My)(e.text)}</b>`;case"code":return(0,o._S)([e.text])??`<code>${w(e.text,e.limit)}</code>`;case"pieces":return`<code>${h(e.pieces)}</code>`;case"place":return function(e,{place:t}){let r=null===t?null:(0,s.Pl)(t(e.file.toWellFormed(),e.line,e.side)),a=`<code>${(0,o.My)((0,s.Z9)(e))}</code>`;if(void 0===e.name)return x(a,r);let n=`<code>${w(e.name.text,e.name.limit)}</code>`;return null===r?`${n} (${a})`:x(n,r)}(e,t);case"sign":return(0,o.My)(e.sign);case"verdict":return f(`${e.sign} ${e.word}`,e.tone);case"link":return x((0,o.My)(e.text),(0,s.Pl)(e.url));case"break":return"<br>"}})(e,t)).join("")}function h(e){let t=(0,o._S)(e.map(({text:e})=>e));return null!==t?t:e.map(({kind:e,text:t})=>{let r=(0,o.My)(t);return"changed"===e?`<mark>${r}</mark>`:"gap"===e?` <i>${r}</i> `:r}).join("")}function w(e,t){let{text:r,left:a}=(0,o.Jj)(e,t);return`${(0,o.My)(r)}${0===a?"":`<i>${(0,o.nA)(a)}</i>`}`}function x(e,t){return null===t?e:`<a href="${(0,o.My)(t)}" rel="noreferrer">${e}</a>`}function b({title:e,top:[t,r],main:a,footer:n}){return v(["<!doctype html>",'<html lang="en">',"<head>",'<meta charset="utf-8">',`<meta http-equiv="Content-Security-Policy" content="${p.Po}">`,'<meta name="viewport" content="width=device-width, initial-scale=1">','<meta name="referrer" content="no-referrer">',`<title>${(0,o.My)(e)}</title>`,`<style>${p.Y}</style>`,"</head>","<body>",`<header><span><b>evaldiff</b> ${(0,o.My)(t)}</span><span>${(0,o.My)(r)}</span></header>`,"<main>",...a,"</main>",`<footer>${n}</footer>`,`<script>${d.M}<\/script>`,"</body>","</html>",""])}function v(e){return e.reduce((e,t)=>`${e}
${t}`)}function y({title:e,note:t,svg:r,table:a}){return[`<figure class="card"><figcaption><b>${(0,o.My)(e)}</b>`,""===t?"":`<span class="soft">${t}</span>`,`</figcaption>${r}<details class="numbers"><summary>The numbers</summary>`,`${a}</details></figure>`].join("")}function k({result:e,links:t},r=["problems","errors","reasons"]){let{sign:a,tone:s,outcome:d,subject:p,line:c}=(0,l.P)(e),f=u((0,i.q)(e,n.Qz,r),t);return[`<section class="verdict ${s}"><h1>${a} ${(0,o.My)(d)}`,0===p.length?"":`: ${g(p,t)}`,`</h1><p>${g(c,t)}</p>${f}</section>`].join("")}}),72012:((e,t,r)=>{r.d(t,{M:()=>o,z:()=>a});let a=`
  const wantedIn = (filter) => ({
    statuses: new Set([...filter.querySelectorAll('input[type=checkbox]:checked')].map(({ value }) => value)),
    choices: [...filter.querySelectorAll('select')].map(({ name, value }) => ({ name, value })),
  });
  const fits = (row, { statuses, choices }) => statuses.has(row.status) && choices.every(({ name, value }) => value === '' || row[name].includes(value));
  const plain = (html) => html.replace(/<[^>]*>/g, '').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').toLowerCase();
  const template = document.createElement('template');
  const made = (html) => {
    template.innerHTML = html;
    return template.content.firstElementChild;
  };

  // Boxes of the row that was revealed last: they stay until the next.
  let wanted = [];
  const longList = (root, { view, rowHeight, rowsOf, dress, stays = () => false }) => {
    let items = [], parts = [], all = false;
    const drawn = new Map();
    const needs = (part) => all || part.near || part.stays || wanted.includes(part) || part.box.contains(document.activeElement);
    // What stays where it is keeps the focus.
    const put = (box, elements) => {
      const kept = new Set(elements);
      for (const one of [...box.children]) if (!kept.has(one)) one.remove();
      let next = box.firstElementChild;
      for (const one of elements) {
        if (one === next) next = next.nextElementSibling;
        else box.insertBefore(one, next);
      }
    };
    const fill = async (part) => {
      const own = part.items, missing = own.filter((one) => !drawn.has(one));
      const rows = missing.length === 0 ? [] : await rowsOf(missing);
      if (part.filled || part.items !== own || !needs(part)) return;
      missing.forEach((one, at) => drawn.set(one, typeof rows[at] === 'string' ? made(rows[at]) : rows[at]));
      const elements = own.map((one) => drawn.get(one));
      if (elements.includes(undefined)) return fill(part);
      part.filled = true;
      part.box.style.height = '';
      put(part.box, elements);
      const first = parts.indexOf(part) * view;
      elements.forEach((one, at) => dress(one, own[at], first + at));
    };
    const empty = (part) => {
      part.box.style.height = (part.height ?? part.items.length * rowHeight) + 'px';
      part.box.replaceChildren();
      part.filled = false;
    };
    const settle = async () => {
      for (const part of parts) if (part.filled && !needs(part)) empty(part);
      const used = new Set(parts.filter(needs).flatMap(({ items: own }) => own));
      for (const one of drawn.keys()) if (!used.has(one)) drawn.delete(one);
      await Promise.all(parts.filter((part) => !part.filled && needs(part)).map(fill));
    };
    const watcher = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting, boundingClientRect: { height } } of entries) {
        const part = parts.find(({ box }) => box === target);
        if (part !== undefined) Object.assign(part, { near: isIntersecting, height });
      }
      void settle();
    }, { rootMargin: '1200px 0px' });
    const partAt = (at) => {
      if (parts[at] === undefined) {
        parts[at] = { box: document.createElement('div'), items: [], near: false, filled: false, stays: false, height: null };
        root.append(parts[at].box);
        watcher.observe(parts[at].box);
      }
      return parts[at];
    };
    const show = (these) => {
      items = these;
      const number = Math.ceil(items.length / view);
      for (const { box } of parts.splice(number)) {
        watcher.unobserve(box);
        box.remove();
      }
      for (let at = 0; at < number; at += 1) {
        const part = partAt(at), own = items.slice(at * view, (at + 1) * view), same = own.length === part.items.length;
        if (same && own.every((one, place) => one === part.items[place])) continue;
        Object.assign(part, { items: own, filled: false, stays: stays(own), height: same ? part.height : null });
        if (!needs(part)) empty(part);
      }
      return settle();
    };
    // Its element, and those around it, so that it stays where it is scrolled to.
    const reveal = async (item) => {
      const at = Math.floor(items.indexOf(item) / view);
      wanted = parts.slice(Math.max(0, at - 1), at + 2);
      await settle();
      return drawn.get(item) ?? null;
    };
    const elementOf = (item) => drawn.get(item) ?? null;
    const showAll = (isAll) => {
      all = isAll;
      return settle();
    };
    const left = () => parts.reduce((sum, part) => sum + (part.filled ? 0 : part.items.length), 0);
    return { show, reveal, elementOf, showAll, left };
  };
`,o=`
(() => {
  const filter = document.getElementById('filter');
  const list = document.getElementById('list');
  if (filter === null || list === null) return;
  const KEPT = 12;
  const packs = [...document.querySelectorAll('.pack')].map((one) => {
    const text = one.textContent;
    one.remove();
    return text;
  });
  const packRows = Number(list.dataset.pack);
  const own = [...list.children];
  const query = filter.querySelector('input[type=search]');
  const boxes = [...filter.querySelectorAll('input[type=checkbox]')];
  const selects = [...filter.querySelectorAll('select')];
  const said = filter.querySelector('output');${a}
  const unpack = (text) => new Response(new Blob([Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).json();
  const kept = new Map();
  const load = (number) => {
    const found = kept.get(number) ?? unpack(packs[number]);
    kept.delete(number);
    kept.set(number, found);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value);
    return found;
  };
  const rowsAt = async (places) => {
    const rows = [];
    for (const at of places)
      rows.push(at < own.length ? own[at] : (await load(Math.floor((at - own.length) / packRows)))[(at - own.length) % packRows]);
    return rows;
  };

  let index = [];
  const placeOf = new Map();
  let shown = [];
  let turns = 0;
  let all = false;
  const otherwise = new Set();
  const isOpen = (id) => all !== otherwise.has(id);
  const rows = longList(list, {
    view: 50,
    rowHeight: 44,
    rowsOf: rowsAt,
    stays: (places) => places.every((at) => at < own.length),
    dress: (row) => {
      if (row.open !== isOpen(row.id)) row.open = !row.open;
    },
  });
  const show = (places) => {
    shown = places;
    said.textContent = places.length.toLocaleString('en-US') + ' of ' + index.length.toLocaleString('en-US') + ' shown';
    return rows.show(places);
  };

  const textOf = (row) => (typeof row === 'string' ? plain(row) : row.textContent.toLowerCase());
  const withWords = async (places, words, isLate) => {
    const found = [];
    for (let from = 0; from < places.length && !isLate(); from += packRows) {
      const some = places.slice(from, from + packRows);
      const read = await rowsAt(some);
      found.push(...some.filter((_, at) => textOf(read[at]).includes(words)));
    }
    return found;
  };
  const apply = async () => {
    turns += 1;
    const turn = turns;
    const wanted = wantedIn(filter);
    const places = [...index.keys()].filter((at) => fits(index[at], wanted));
    const words = query.value.trim().toLowerCase();
    if (words === '') return show(places);
    const found = await withWords(places, words, () => turn !== turns);
    if (turn === turns) show(found);
  };

  const focus = async (number) => {
    const row = await rows.reveal(shown[number]);
    if (row !== null) row.querySelector('summary').focus();
  };
  const reset = () => {
    for (const box of boxes) box.checked = true;
    for (const select of selects) select.value = '';
    query.value = '';
    return apply();
  };
  const reveal = async (id) => {
    const at = placeOf.get(id);
    if (at === undefined) return;
    if (!shown.includes(at)) await reset();
    const row = await rows.reveal(at);
    row.open = true;
    row.querySelector('summary').focus({ preventScroll: true });
    row.scrollIntoView();
    // Rows above it may be higher than was thought.
    setTimeout(() => row.scrollIntoView(), 120);
  };
  const numberOf = (row) => shown.indexOf(placeOf.get(row.id));

  filter.addEventListener('input', () => void apply());
  const rest = document.getElementById('rest');
  const print = async () => {
    await rows.showAll(true);
    window.print();
  };
  addEventListener('beforeprint', () => {
    const left = rows.left();
    rest.hidden = left === 0;
    rest.textContent = left.toLocaleString('en-US') + ' more rows are printed by the button Print of this page.';
  });
  addEventListener('afterprint', () => void rows.showAll(false));
  filter.addEventListener('click', ({ target }) => {
    if (target.dataset.print !== undefined) void print();
    if (target.dataset.open === undefined) return;
    all = target.dataset.open === 'yes';
    otherwise.clear();
    for (const one of list.querySelectorAll('details.case')) one.open = all;
  });
  list.addEventListener('toggle', ({ target }) => {
    if (!target.matches('details.case')) return;
    if (target.open === all) otherwise.delete(target.id);
    else otherwise.add(target.id);
  }, true);
  list.addEventListener('click', ({ target }) => {
    const row = target.closest('details.case > summary')?.parentElement;
    // A page that is shown in a frame may not change its address.
    if (row) try { history.replaceState(null, '', '#' + row.id); } catch {}
  });
  list.addEventListener('keydown', (event) => {
    const row = event.target.closest('details.case');
    if (row === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const onRow = event.target.matches('details.case > summary');
    const to = { ArrowDown: numberOf(row) + 1, ArrowUp: numberOf(row) - 1, Home: 0, End: shown.length - 1 }[event.key];
    if (onRow && to !== undefined) void focus(to);
    else if (event.key === 'Escape') {
      row.open = false;
      row.querySelector('summary').focus();
    } else if (event.key === '/') query.focus();
    else return;
    event.preventDefault();
  });
  query.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    void focus(0);
  });
  document.addEventListener('click', ({ target }) => {
    const link = target.closest('a[href^="#"]');
    if (link === null) return;
    const select = selects.find(({ name }) => name === 'kinds');
    if (link.dataset.kind !== undefined && select !== undefined) {
      select.value = link.dataset.kind;
      void apply();
    } else void reveal(link.hash.slice(1));
  });
  addEventListener('hashchange', () => void reveal(location.hash.slice(1)));

  const start = async () => {
    const { statuses, rows: facts } = await unpack(packs.shift());
    index = facts.map(([number, status, suite, tags, kinds, flipped], at) => {
      placeOf.set('r' + number, at);
      return { status: statuses[status], suite: [String(suite)], tags: (tags ?? []).map(String), kinds: (kinds ?? []).map(String), scoring: flipped ? ['flipped'] : [] };
    });
    filter.hidden = false;
    list.replaceChildren();
    await apply();
    await reveal(location.hash.slice(1));
  };
  void start();
})();
`}),57722:((e,t,r)=>{r.d(t,{Po:()=>o,Y:()=>a});let a=`
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
`,o="default-src 'none'; style-src 'sha256-bi1zlQpDJTA/HN3HQVs27OH6LZUF35G5l80sdFfaf3g='; script-src 'sha256-xiH6KucI/68XaXCLolUz/bPT6tRc4rXtbVnGLcAOfXY='; base-uri 'none'; form-action 'none'"})};