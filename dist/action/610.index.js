export const id=610;export const ids=[610];export const modules={55991:((e,t,n)=>{n.d(t,{OL:()=>y,jw:()=>f,Zq:()=>h,Or:()=>g,Mn:()=>$,zS:()=>v,zw:()=>w,Qn:()=>u,qj:()=>m,rO:()=>k});var r=n(34837),a=n(25296),s=n(69447),o=n(98407),l=n(22478),i=n(75048);let d=`
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
`,p=`
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
  const said = filter.querySelector('output');${d}
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
`,c=`
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
`;function u(e){if(0===e.length)return{floor:0,ceiling:1};let t=e.reduce((e,t)=>Math.max(e,t)),n=Math.floor(Math.max(0,e.reduce((e,t)=>Math.min(e,t)))/.1+1e-9),r=Math.ceil(Math.min(1,t)/.1-1e-9);for(;r-n<2-1e-9||(r-n)%2!=0;)n>0?n-=1:r+=1;return{floor:n/10,ceiling:r/10}}function f(e,t){return`<span class="chip ${t}">${(0,a.My)(e)}</span>`}function h(e,t){return e.map(e=>(function(e,t){let n=e=>g(e,t);switch(e.kind){case"paragraph":return`<p>${n(e.line)}</p>`;case"diff":let s;return s=e.lines.map(({sign:e,text:t})=>`<span class="${e}">${(0,a.My)(`${r.TE[e]} ${t}`)}</span>`),`<pre class="diff" tabindex="0">${s.join("\n")}</pre>`;case"list":return`<ul>${e.items.map(e=>`<li>${n(e)}</li>`).join("")}</ul>`;case"table":return m(e.head.map(n),e.rows.map(e=>e.map(e=>({html:n(e),own:(0,o.MU)(e)}))));case"facts":return[`<p>${n(e.title)}</p><table class="facts">`,...e.rows.map(({name:e,value:t})=>`<tr${function([e]){return e?.kind!=="text"?"":/^Base\b/.test(e.text)?' class="base"':/^Head\b/.test(e.text)?' class="head"':""}(e)}><th scope="row">${n(e)}</th><td>${n(t)}</td></tr>`),"</table>"].join("");case"group":return`<details class="part" open><summary>${n(e.summary)}</summary>
${h(e.blocks,t)}
</details>`}})(e,t)).join("\n")}function m(e,t){let n=e.map(e=>""===e?"<td></td>":`<th scope="col">${e}</th>`).join(""),r=t.map(t=>`<tr>${t.map(({html:n,own:r},a)=>0===a&&""===e[0]?`<th scope="row">${n}</th>`:`<td${r?' class="own"':""}${0===a&&2!==t.length?"":function(e=""){return` data-title="${e.replaceAll("<br>",": ").replace(/<[^>]*>/g,"")}"`}(e[a])}>${n}</td>`).join("")}</tr>`).join("\n");return`<div class="wide" tabindex="0"><table><thead><tr>${n}</tr></thead><tbody>
${r}
</tbody></table></div>`}function g(e,t){return e.map(e=>(function(e,t){switch(e.kind){case"text":return(0,a.My)(e.text);case"strong":return`<b>${(0,a.My)(e.text)}</b>`;case"code":return(0,a._S)([e.text])??`<code>${b(e.text,e.limit)}</code>`;case"pieces":return`<code>${w(e.pieces)}</code>`;case"place":return function(e,{place:t}){let n=null===t?null:(0,o.Pl)(t(e.file.toWellFormed(),e.line,e.side)),r=`<code>${(0,a.My)((0,o.Z9)(e))}</code>`;if(void 0===e.name)return x(r,n);let s=`<code>${b(e.name.text,e.name.limit)}</code>`;return null===n?`${s} (${r})`:x(s,n)}(e,t);case"sign":return(0,a.My)(e.sign);case"verdict":return f(`${e.sign} ${e.word}`,e.tone);case"link":return x((0,a.My)(e.text),(0,o.Pl)(e.url));case"break":return"<br>"}})(e,t)).join("")}function w(e){let t=(0,a._S)(e.map(({text:e})=>e));return null!==t?t:e.map(({kind:e,text:t})=>{let n=(0,a.My)(t);return"changed"===e?`<mark>${n}</mark>`:"gap"===e?` <i>${n}</i> `:n}).join("")}function b(e,t){let{text:n,left:r}=(0,a.Jj)(e,t);return`${(0,a.My)(n)}${0===r?"":`<i>${(0,a.nA)(r)}</i>`}`}function x(e,t){return null===t?e:`<a href="${(0,a.My)(t)}" rel="noreferrer">${e}</a>`}function v({title:e,top:[t,n],main:r,footer:s}){return $(["<!doctype html>",'<html lang="en">',"<head>",'<meta charset="utf-8">',"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-bi1zlQpDJTA/HN3HQVs27OH6LZUF35G5l80sdFfaf3g='; script-src 'sha256-xiH6KucI/68XaXCLolUz/bPT6tRc4rXtbVnGLcAOfXY='; base-uri 'none'; form-action 'none'\">",'<meta name="viewport" content="width=device-width, initial-scale=1">','<meta name="referrer" content="no-referrer">',`<title>${(0,a.My)(e)}</title>`,`<style>${c}</style>`,"</head>","<body>",`<header><span><b>evaldiff</b> ${(0,a.My)(t)}</span><span>${(0,a.My)(n)}</span></header>`,"<main>",...r,"</main>",`<footer>${s}</footer>`,`<script>${p}<\/script>`,"</body>","</html>",""])}function $(e){return e.reduce((e,t)=>`${e}
${t}`)}function y({title:e,note:t,svg:n,table:r}){return[`<figure class="card"><figcaption><b>${(0,a.My)(e)}</b>`,""===t?"":`<span class="soft">${t}</span>`,`</figcaption>${n}<details class="numbers"><summary>The numbers</summary>`,`${r}</details></figure>`].join("")}function k({result:e,links:t},n=["problems","errors","reasons"]){let{sign:r,tone:o,outcome:d,subject:p,line:c}=(0,i.P)(e),u=h((0,l.q)(e,s.Qz,n),t);return[`<section class="verdict ${o}"><h1>${r} ${(0,a.My)(d)}`,0===p.length?"":`: ${g(p,t)}`,`</h1><p>${g(c,t)}</p>${u}</section>`].join("")}}),11610:((e,t,n)=>{n.d(t,{renderHtml:()=>Y});var r=n(25296),a=n(69447),s=n(98407),o=n(22478),l=n(75048),i=n(43110),d=n(46728),p=n(55991),c=n(4884),u=n(40753),f=n(52055),h=n(1679),m=n(8640);async function g(e){let t=(0,c.sR)(e,(0,m.L2)(e.suites)).filter(({attributes:e})=>e.length>0),o=(0,d.Ve)(e);if(t.length+o.length===0)return{kinds:new Map,left:0,costs:new Map};let l=await Promise.all([n.e(802),n.e(702)]).then(n.bind(n,23702)),u=new Map,g=0;for(let{attributes:n}of t){let[t]=n;if(void 0===t||g>5e5)break;let r={domains:w(n,"domain",e.mode,l),subtasks:w(n,"subtask",e.mode,l)};(g+=(0,a.ee)(r.domains)+(0,a.ee)(r.subtasks))<=5e5&&u.set((0,c.aJ)(t),r)}return{kinds:u,left:t.length-u.size,costs:new Map(o.flatMap(e=>{let t=function({name:e,ranked:t},{qualityCostChart:n}){let a=t.map((e,t)=>({...e,rank:t+1,cost:e.suite.cost_per_1000_calls??null})),o=a.flatMap(({rank:e,cost:t,rate:n,interval:r})=>null===t||null===n||null===r?[]:[{rank:e,cost:t,rate:n,low:r.low,high:r.high}]);if(0===o.length)return null;let l=a.filter(({cost:e})=>null===e),d=a.filter(({cost:e,rate:t})=>null!==e&&null===t),c=e=>e.map(({suite:e})=>`<code>${(0,r.My)((0,r.ml)((0,f.Nl)(e.variant),s.Uo))}</code>`).join(", "),u=["A dot for each variant, marked with its rank; the bar is the 95 % interval of its pass rate.",...0===l.length?[]:[`Not drawn, as the cost is not known: ${c(l)}.`],...0===d.length?[]:[`Not drawn, as nothing could be judged: ${c(d)}.`]];return(0,p.OL)({title:`Quality against cost, ${(0,r.ml)(e,s.Uo)}`,note:u.join(" "),svg:n({label:`Pass rate against the cost of a thousand calls for ${(0,h.hS)(o.length,"variant")}; the numbers are in the table below.`,points:o}),table:(0,p.qj)(["Rank","Variant","Cost per 1,000 calls","Pass rate","95 % interval"],o.map(({rank:e,cost:t,rate:n,low:o,high:l})=>[{html:String(e),own:!0},{html:`<code>${(0,r.My)((0,r.ml)((0,f.Nl)(a[e-1]?.suite.variant??{model:null,parameters:{}}),s.Uo))}</code>`,own:!1},{html:(0,r.My)((0,h.y)(t)),own:!0},{html:(0,h.KN)(n),own:!0},{html:(0,i.mP)({low:o,high:l}),own:!0}]))})}(e,l);return null===t?[]:[[e.key,t]]}))}}function w(e,t,n,a){let s=(0,c.DA)(e.filter(e=>e.kind===t));if(0===s.length)return"";let o=s.slice(0,30),l=s.length>o.length?`${(0,h.U9)(o.length)} of ${(0,h.U9)(s.length)} are drawn. `:"";return[function(e,t,n,r,{priorChart:a}){return(0,p.OL)({title:"Prior",note:`${r}How much of the suite each ${c.Pv[n]} makes up.`,svg:a({label:`Prior of ${(0,h.hS)(t.length,c.Pv[n])}, as a bar each; the numbers are in the table below.`,rows:t.map(({name:e,prior:t})=>({name:e,prior:t}))}),table:x(["Attribute","Prior","Mean affinity, 1–5","References"],e,({prior:e,affinity_mean:t,references:n})=>[(0,h.KN)(e),t.toFixed(2),(0,h.U9)(n.length)])})}(s,o,t,l,a),function(e,t,n,a,s,{sidesChart:o}){let l="diff"===s,d=(0,u.dW)(e),f=null===d?null:(0,r.My)(d),m=null===f?"":` ${u.LN}`;return(0,p.OL)({title:"Proficiency",note:l?`${a}Pass rate: ○ base, ● head; band: 90 % interval of the change. Coloured where the test over all attributes calls it.${m}`:`${a}Pass rate of the references of each.${m}`,svg:o({label:`Pass rate of ${c.Pv[n]}s${l?", base and head":""}: ${(0,h.U9)(t.length)} rows; the numbers are in the table below.`,rows:t.map(e=>(function({name:e,n:t,base:n,head:r,low:a,high:s,verdict:o},l){if(!l)return{name:e,base:n,head:r,...b};let i="too few"===o?`${(0,h.hS)(t,"reference")}: too few`:null;return{name:e,base:n,head:r,low:a,high:s,finding:"regressed"===o?"worse":"improved"===o?"better":null,instead:i}})(e,l))}),table:x(["Attribute",l?"References compared":"References judged","Pass rate",...l?["Difference","90 % interval","Verdict"]:[],...null===f?[]:[f]],e,e=>[(0,h.U9)(e.n),(0,i.It)(e.base,e.head),...l?[(0,i.Zg)(e),(0,i.qK)(e.low,e.high),function({verdict:e,explained_by:t}){return 0===t.length?e:"moved only with shared references"}(e)]:[],...null===f?[]:[(0,u.Qh)(e)]])})}(s,o,t,l,n,a),...o.some(({alignment:e})=>null!==e)?[function(e,t,n,{sidesChart:a}){return(0,p.OL)({title:"Skill alignment",note:`${n}${(0,r.My)(u.qk)}`,svg:a({label:`Share of answers that use other skills than expected, for ${(0,h.hS)(t.length,"sub-task")}; lower is better. The numbers are in the table below.`,rows:t.map(({name:e,alignment:t})=>({name:e,base:t?.base??null,head:t?.head??null,...b}))}),table:x(["Attribute","Other skills, lower is better"],e,e=>[(0,u.bW)(e)])})}(s,o,l,a)]:[]].join("\n")}let b={low:null,high:null,finding:null,instead:null};function x(e,t,n){return(0,p.qj)(e,t.map(e=>[{html:(0,r.My)((0,r.ml)(e.name,s.Uo)),own:!1},...n(e).map(e=>({html:(0,r.My)(e),own:!0}))]))}function v(e,t,n){let r=e.get(t);void 0===r?e.set(t,[n]):r.push(n)}function $(e,t,n){let a=`<code>${(0,r.My)((0,r.ml)(t,s.Uo))}</code>`,o=null===e?null:n.anchor(e,t);return null===o?a:`<a href="#${o}">${a}</a>`}function y(e,t,n){let a=n.kind(e);return null===a||0===e.references.length?(0,r.My)(t):`<a href="#references" data-kind="${a}">${(0,r.My)(t)}</a>`}var k=n(93246),M=n(81024);function j(e,t){return`<pre>${(0,p.zw)((0,M.WQ)(e,t))}</pre>`}function S(e){return(0,r.My)((0,r.ml)(e,s.Uo))}function U({expected:e,output:t}){return Math.abs(e-t)}function O(e,t,n,a,o){let l=e?.references.find(e=>e.id===t),i=`<p>${$(e,t,a)} <span class="soft">${(0,r.My)(n)}</span></p>`;return`<div class="sample">${i}${void 0===l?"":`${function({input:e,expected:t}){let n=(e,t)=>`<dt>${(0,r.My)((0,r.ml)(e,s.Uo))}</dt><dd><code>${(0,p.zw)((0,M.WQ)(t,300))}</code></dd>`;return`<dl>${Object.entries(e).map(([e,t])=>n(e,String(t))).join("")}${null===t?"":n("expected",(0,k.s$)(t))}</dl>`}(l)}${function(e,t){var n,r;if(null!==t){let n=e[t]?.tries.find(({actual:e})=>null!==e)?.actual??null;return null===n?"":`<pre>${(0,p.zw)((0,M.WQ)(n,300))}</pre>`}let{base:a,head:s}=(0,m.Oj)(e),o=(n=a?.actual??null,r=s?.actual??null,null!==n&&null!==r?(0,M.s)(n,r,{characters:300,gaps:!0}):{base:(0,M.WQ)(n??"no answer",300),head:(0,M.WQ)(r??"no answer",300)});return`<div class="sides"><div class="base"><h4>Base</h4><pre>${(0,p.zw)(o.base)}</pre></div><div class="head"><h4>Head</h4><pre>${(0,p.zw)(o.head)}</pre></div></div>`}(l,o)}`}</div>`}let A={...i.ly,"not-asked":"not asked yet"},z=[...i.QD,"not-asked"];function L(e,t,n,r){return""===r?"":`<select name="${e}" aria-label="${t}"><option value="">${n}</option>${r}</select>`}function q(e){return e.map(({value:e,words:t})=>`<option value="${(0,r.My)(e)}">${(0,r.My)((0,r.ml)(t,s.Uo))}</option>`).join("")}let P=[{kind:"domain",words:"domains"},{kind:"subtask",words:"sub-tasks"}];var E=n(54870),R=n(45495),Q=n(30410);function N(e,t){let n=(e.tries.map(({outcome:e})=>"pass"===e?"p✓":"fail"===e?"f✗":"o?").join("").match(/(?:p✓)+|(?:f✗)+|(?:o\?)+/g)??[]).map(e=>`<b class="${e.charAt(0)}">${e.replace(/[pfo]/g,"")}</b>`).join("");return`<span>${t} ${n} ${(0,h.U9)(e.passes)}/${(0,h.U9)(e.tries_judged)}</span>`}function C(e){let t=new Map;for(let n of e){let e=JSON.stringify([n.outcome,n.actual,n.error,n.scores.map(({grade:e,objects:t,...n})=>({...n,objects:t?.scores.map(({grade:e,...t})=>t)})),n.conversation??null]),r=t.get(e);void 0===r?t.set(e,{key:e,tries:[n]}):r.tries.push(n)}return[...t.values()]}function W({reference:{status:e}}){return i.QD.indexOf(e)}async function _(e,t,n){let a=await H(function*({entries:e,result:t,index:n,characters:a,links:o}){let l=(0,i.H3)(t.suites);for(let d of e){let{name:e,variant:u}=d.suite,g=l.has(e)?`${e}, ${(0,f.Nl)(u)}`:e,w=t.suites.length>1?(0,r.ml)(g,s.Uo):null;yield function({suite:e,reference:t},n){let{index:a,characters:o,links:l}=n,{id:d,status:u,base:f,head:g,tags:w}=t,b=a.anchor(e,d);return['<details class="case"'+(null===b?"":` id="${b}"`)+` data-status="${u}"><summary>`+`${(0,p.jw)(i.ly[u],i.Xx[u])}<span class="face">`+`${(0,p.Or)((0,Q.zn)(t),l)}</span>`,null===n.suite?"":`<span class="soft">${(0,r.My)(n.suite)}</span>`,(0,E.HV)(t)?"":(0,p.jw)("does not gate","neutral"),...w.map(e=>(0,p.jw)(e,"neutral")),`<span class="dots">${[...null===f?[]:[N(f,"○")],...null===g?[]:[N(g,null===f?"":"●")]].join("")}</span></summary>`,function(e,t,n,a=[]){let{base:o,head:l}=e;return`<div class="body"><dl>${function({input:e,expected:t,file:n,line:a,status:o,p:l,q:d,history:c,...u},f,g){let w=(e,t)=>`<dt>${(0,r.My)(e)}</dt><dd>${t}</dd>`;return[...Object.entries(e).map(([e,t])=>w((0,r.ml)(e,s.Uo),`<code>${(0,p.zw)((0,M.WQ)(String(t),f))}</code>`)),...null===t?[]:[w("expected",(0,p.Or)([(0,s.aY)((0,k.s$)(t),f)],g))],w("at",(0,p.Or)([(0,s.ik)(n,a,(0,s.RG)({status:o}))],g)),...(function({base:e,head:t},n,a){let o=(0,m.Oj)({base:e,head:t});return(0,R.bg)(o.base,o.head).map(e=>[`${(0,r.ml)(e.metric,s.Uo)} ${(0,R.K$)(e)}`,`<span class="strip">${(0,p.Or)((0,R.nU)(e,n),a)}</span>`])})(u,f,g).map(([e,t])=>w(e,t)),...null===l||null===d?[]:[w("p, q",`<code>${(0,r.My)(`${(0,h.E5)(l)}, ${(0,h.E5)(d)}`)}</code>`)],...void 0===c?[]:[w("passed so far on base",`${(0,h.U9)(c.passes)} of ${(0,h.U9)(c.tries)}, 95 % interval ${(0,i.mP)(c)}`)]].join("")}(e,t,n)}${a.map(({attribute:{name:e,kind:n},rating:{affinity:a,evidence:o}})=>{let l=""===o?"":`: ${(0,p.zw)((0,M.WQ)(o,t))}`;return[`<dt>${(0,r.My)((0,r.ml)(e,s.Uo))}</dt><dd>${c.Pv[n]}, `,null===a?"not rated":`affinity ${String(a)} of 5`,`${l}</dd>`].join("")}).join("")}</dl><div class="sides${null===o||null===l?" one":""}">${function({status:e,base:t,head:n},a){let o="unchanged"===e||"pass"===e?null:function(e,t,n){let r=e?.tries.find(({actual:e})=>null!==e)?.actual??null,a=t?.tries.find(({actual:e})=>null!==e&&e!==r)?.actual??null;if(null===r||null===a||Math.max(r.length,a.length)>M.Dz)return null;let s=(0,M.s)(r,a,{characters:n,gaps:!1});return{base:{answer:r,pieces:s.base},head:{answer:a,pieces:s.head}}}(t,n,a),l=(e,t,n,o)=>`<div class="tries ${n}"><h3>${t} – ${(0,i.p2)(e)}</h3>${function(e,t,n){return C(e.tries).map(({tries:[e,...a]})=>{let o=function(e){let t=[];for(let{try:n}of e){let e=t.at(-1);void 0!==e&&e.to===n?e.to=n+1:t.push({from:n+1,to:n+1})}return t.map(({from:e,to:t})=>t-e>1?`${String(e)}–${String(t)}`:[...new Set([e,t])].join(", ")).join(", ")}([e,...a]),l=e.conversation?function({outcome:e,turns:t},n){let a=(0,p.jw)(m.nx[e],"complete"===e?"good":e.endsWith("_error")?"open":"bad");return`${t.map((e,t)=>(function({question:e,asked_by:t,answer:n,verdicts:a,satisfied:o},l,i){let d=null===t?"":`, asked by <code>${S(t)}</code>`,c=Object.entries(o??{}).map(([e,t])=>(0,p.jw)(`${(0,r.ml)(e,s.Uo)} ${t?"met":"not met"}`,t?"good":"bad"));return[`<p class="soft">Question ${String(l)}${d}</p>`,j(e,i),`<p class="soft">Answer ${String(l)}</p>`,null===n?"<p>none</p>":j(n,i),0===c.length?"":`<p>${c.join(" ")}</p>`,0===a.length?"":`<details><summary>What the evaluators said</summary>${a.map(e=>(function({evaluator:e,words:t,analysis:n,follow_up:a},o){let l=Object.entries(t).map(([e,t])=>`${e} ${t}`).join(", ");return[`<p><code>${S(e)}</code> ${(0,r.My)((0,r.ml)(l,10*s.Uo))}</p>`,null===n?"":j(n,o),null===a?"":`<p class="soft">would ask</p>${j(a,o)}`].join("")})(e,i)).join("")}</details>`].join("")})(e,t+1,n)).join("")}<p>${a}</p>`}(e.conversation,t):null===e.actual?"":`<pre>${(0,p.zw)(n?.answer===e.actual?n.pieces:(0,M.WQ)(e.actual,t))}</pre>`,i=null===e.error?"":`<p>${(0,p.zw)((0,M.WQ)(e.error,t))}</p>`,d=t<500?"":function({usage:e,latency_ms:t,reused:n,finish_reason:r}){let a=[...null===e?[]:[`${(0,h.U9)(e.input_tokens)} + ${(0,h.U9)(e.output_tokens)} tokens`],...null===t?[]:[`${(0,h.U9)(Math.round(t))} ms`],...n?["reused"]:[],...null===r||"stop"===r?[]:[`ended by ${r}`]];return 0===a.length?"":` \xb7 ${a.join(" · ")}`}(e);return"<div><span>"+(0===a.length?"Try":"Tries")+` ${o}: ${e.outcome}${d}</span>${l}${i}`+`${function({outcome:e,scores:t},n){let a=t.filter(({status:t,value:n,reason:r,skip:a})=>"pass"!==e||"pass"!==t||a||null!==r||null!==n&&"boolean"!=typeof n);return 0===a.length?"":`<ul>${a.map(({metric:e,status:t,value:a,reason:s,skip:o,objects:l})=>`<li>${(0,p.jw)(t,"pass"===t?"good":"fail"===t?"bad":"open")} <code>${(0,r.My)(e)}</code>`+(null===a||"boolean"==typeof a?"":` <code>${(0,p.zw)((0,M.WQ)((0,k.s$)(a),n))}</code>`)+(void 0===l?"":` <code>${(0,R.Ok)(l,null)}</code>`)+(null===s?"":` ${(0,p.zw)((0,M.WQ)(s,n))}`)+(o?' <span class="soft">(does not gate)</span>':"")+"</li>").join("")}</ul>`}(e,t)}</div>`}).join("")}(e,a,o)}</div>`;return[...null===t?[]:[l(t,"Base","base",o?.base??null)],...null===n?[]:null===t?[l(n,"Tries","",null)]:[l(n,"Head","head",o?.head??null)]].join("")}(e,t)}</div></div>`}(t,o,l,a.ratings(e,d)),"</details>"].join("")}(d,{suite:w,index:n,characters:a,links:o})}}(e),n);if(null===a)return null;let o=function({result:e,entries:t}){let n=function(e){let t=new Map;for(let n of e)for(let e of n)t.set(e,(t.get(e)??0)+1);return[...t].sort(([,e],[,t])=>t-e).slice(0,200).map(([e])=>e)}(t.map(({reference:e})=>e.tags)),r=new Map(e.scoring.map(e=>[I(e),new Set(e.flipped.map(({id:e})=>e))]));return{suites:new Map((0,m.L2)(e.suites).map((e,t)=>[e,t])),tags:new Map(n.map((e,t)=>[e,t])),flipped:new Set(t.filter(({suite:e,reference:t})=>(r.get(I(e))??T).has(t.id)))}}(e),l=await B(function({entries:e,index:t},{suites:n,tags:r,flipped:a}){let s=e.map(e=>{let{suite:s,reference:o}=e,{id:l,status:d,tags:p}=o,c=a.has(e)?[1]:[],u=t.kinds(s,l).map(Number),f=p.flatMap(e=>r.get(e)??[]);return[Number(t.anchor(s,l)?.slice(1)),i.QD.indexOf(d),n.get(s)??0,...f.length+u.length+c.length===0?[]:[f,u,...c]]});return{statuses:i.QD,rows:s}}(e,o));return(0,p.Mn)(['<section id="references"><h2>References</h2>',...t.map(e=>`<p class="soft">${(0,r.My)(e)}</p>`),function({entries:e,result:t,index:n},{suites:a,tags:o,flipped:l}){let i,d,p=function({statuses:e,suites:t,tags:n,scoring:a=[],kinds:s}){let o=new Map;for(let t of e)o.set(t,(o.get(t)??0)+1);return[...z.flatMap(e=>{let t=o.get(e);return void 0===t?[]:`<label><input type="checkbox" value="${e}" checked> ${(0,r.My)(A[e])} (${(0,h.U9)(t)})</label>`}),L("suite","Suite","All suites",t.length>1?q(t):""),L("kinds","Attribute","All attributes",s),L("tags","Tag","All tags",q(n)),L("scoring","Scoring","Any scoring",q(a))].join("")}({statuses:e.map(({reference:e})=>e.status),suites:[...a].map(([{name:e,variant:t},n])=>{let r=(0,f.Nl)(t);return{value:String(n),words:""===r?e:`${e}, ${r}`}}),tags:[...o].map(([e,t])=>({value:String(t),words:e})),scoring:0===l.size?[]:[{value:"flipped",words:`judged differently (${(0,h.U9)(l.size)})`}],kinds:(i=(0,c.sR)(t,(0,m.L2)(t.suites)).flatMap(e=>P.map(({kind:t,words:n})=>({label:`${e.name}: ${n}`,attributes:e.attributes.filter(e=>e.kind===t)}))),d=e=>({value:n.kind(e)??"",words:`${(0,r.ml)(e.name,s.Uo)} (${(0,h.U9)(e.references.length)})`}),i.filter(({attributes:e})=>e.length>0).map(({label:e,attributes:t})=>`<optgroup label="${(0,r.My)((0,r.ml)(e,s.Uo))}">${q(t.map(d))}</optgroup>`).join(""))});return`<fieldset id="filter" hidden><legend>Show</legend>${p}<input type="search" placeholder="Find in references" aria-label="Find in references"><button type="button" data-open="yes">Open all</button><button type="button" data-open="no">Close all</button><button type="button" data-print>Print</button><output aria-live="polite"></output><p class="soft">On a row: ↑ ↓ to the next, Enter opens, Esc closes, / finds.</p></fieldset>`}(e,o),`<div id="list" data-pack="${String(D)}">`,...a.open,"</div>",...0===a.packs.length?[]:["<noscript><p>Further references are shown by this page's script; result.json has all.</p></noscript>"],'<p id="rest" hidden></p>',...[l,...a.packs].map(e=>`<div class="pack" hidden>${e}</div>`),"</section>"])}let T=new Set;function I({path:e,name:t}){return JSON.stringify([e,t])}let D=100;async function H(e,t){let n=[],r=[],s=0,o=[],l=async()=>{if(0===o.length)return;let e=await B(o);r.push(e),s+=e.length,o=[]};for(let r of e)if(n.length<100?(n.push(r),s+=(0,a.ee)(r)):o.push(r)===D&&await l(),s>t)return null;return await l(),s>t?null:{open:n,packs:r}}async function B(e){let t=new Blob([JSON.stringify(e)]).stream().pipeThrough(new CompressionStream("deflate-raw"));return Buffer.from(await new Response(t).arrayBuffer()).toString("base64")}var F=n(69388),K=n(45143);function V(e,t){return e.references.some(({head:e})=>(e?.tries??[]).some(e=>null!==J(e,t)))}function J({scores:e},t){let n=e.find(e=>e.metric===t)?.value;return"number"==typeof n&&Number.isFinite(n)?n:null}function Z(e){return 0===e.length?"none":`mean ${X((0,F.i2)(e))} of ${(0,h.hS)(e.length,"value")}`}function X(e){return String(Number(e.toPrecision(3)))}let G=[1048576,2e4,5e3,1500,500,150,50,20];async function Y(e,t=(0,s.vB)(e)){let n=function({suites:e}){return(0,m.L2)(e).flatMap(e=>e.references.map(t=>({suite:e,reference:t}))).sort((e,t)=>W(e)-W(t))}(e),r=Math.min(25e6,Math.max(2e6,290*n.length)),{least:d,longest:u}=function({attributes:e},t){let[n,r]=[[],[]],[a,s]=[0,0];for(let{evidence:t}of e.flatMap(({ratings:e})=>e??[]))s=Math.max(s,t.length);t.forEach(({reference:{input:e,expected:t,base:o,head:l}},i)=>{let d=i<100;for(let{key:i,tries:p}of(s=Math.max(s,JSON.stringify([e,t]).length),[o,l].flatMap(e=>C(e?.tries??[])))){let[{conversation:e,actual:t}]=p,o=e?function({turns:e}){return e.flatMap(({question:e,answer:t,verdicts:n})=>[e,t??"",...n.flatMap(({analysis:e,follow_up:t})=>[e??"",t??""])].map(e=>e.length))}(e):[t?.length??0];(d?n:r).push(...o),a+=d?30:1.5,s=Math.max(s,i.length)}});let o=(e,t)=>e.reduce((e,n)=>e+Math.min(n,t),0);return{longest:s,least:e=>a+o(n,e)+o(r,e)/20}}(e,n),f=await g(e),w=async s=>{let d=n.slice(0,s.references),u=function({suites:e,attributes:t},n){let r=0,a=new Map(e.map(e=>[e,new Map(e.references.map(e=>(r+=1,[e.id,n.has(e)?`r${String(r)}`:null])))])),s=new Map(t.map((e,t)=>[e,String(t+1)])),o=new Map,l=new Map;for(let[e,t]of s){let n=(0,c.aJ)(e);for(let r of e.references)v(o,`${n} ${r}`,t);for(let t of e.ratings??[])v(l,`${n} ${t.reference}`,{attribute:e,rating:t})}return{shown:n,anchor:(e,t)=>a.get(e)?.get(t)??null,kinds:(e,n)=>0===t.length?[]:o.get(`${(0,c.aJ)(e)} ${n}`)??[],ratings:(e,t)=>0===l.size?[]:l.get(`${(0,c.aJ)(e)} ${t}`)??[],kind:e=>s.get(e)??null}}(e,new Set(d.map(({reference:e})=>e))),{characters:m}=s,g=function({entries:e},{characters:t,left:n}){return e.length+n===0?[]:[...e.some(({reference:{p:e,q:t}})=>null!==e||null!==t)?["p: chance of head passing this much less often if nothing changed; q: share of false alarms to expect where references like it are called regressed."]:[],...null===t?[]:[`Texts are cut after ${(0,h.U9)(t)} characters to keep this file small; result.json has them whole.`],...0===n?[]:[`${(0,h.hS)(n,"reference")} with the mildest status are left out; result.json has them.`]]}({entries:d},{characters:m<G[0]?m:null,left:n.length-d.length}),w=0===n.length?"":await _({result:e,entries:d,index:u,characters:m,links:t},g,r);if(null===w)return null;let b=function(e){var t;let{result:n}=e,{sign:r,outcome:a}=(0,l.P)(n),{base:s,head:d,mode:c}=n;return(0,p.zS)({title:`${r} ${a} – evaldiff`,top:["diff"===c?"base against head":"full sweep",null===s?(0,i.Fu)(d.sha):`${(0,i.Fu)(s.sha)} … ${(0,i.Fu)(d.sha)}`],main:o.p.filter(e=>"footer"!==e).map(t=>(en[t]??ee(t))(e)),footer:(en[t="footer"]??ee(t))(e)})}({result:e,charts:f,index:u,links:t,list:w});return(0,a.ee)(b)<=r||0===s.references?b:null},b=!1;for(let e of G){if(b&&e>=Math.max(u,500)||d(e)>r)continue;let t=await w({characters:e,references:n.length});if(null!==t)return t;b=!0}for(let e=n.length;;){e=Math.floor(e/2);let t=await w({characters:20,references:e});if(null!==t)return t}}let ee=e=>({result:t,links:n})=>(0,p.Zq)((0,o.q)(t,a.Qz,[e]),n),et=()=>"",en={verdict:e=>(0,p.rO)(e,["problems","errors"]),problems:et,errors:et,worstReference:({result:e,links:t})=>(0,p.Zq)((0,o.q)(e,{...a.Qz,answers:1},["worstReference"]),t),suites:({result:e,links:t})=>(function(e,t){let{suites:n,mode:a}=e;if(0===n.length)return"";let s=n.reduce((e,{pass_rate:{low:t,high:n}})=>Math.max(e,Math.abs(t??0),Math.abs(n??0)),.05),o=(0,i.H3)(n),l=(0,m.L2)(n).map(n=>{let{name:l,pass_rate:d,compared:c,because:u}=n,{sign:f,word:m,tone:g}=(0,K.Vj)(n,e),w=e=>({html:e,own:!0}),b=[{html:(0,p.Or)((0,K.zO)(n,o.has(l)),t),own:!1},w((0,p.Or)((0,K.ST)(n,e),t))];if("sweep"===a)return[...b,w((0,K.GX)(n))];let[x,v]=b;return[{html:`${(0,p.jw)(`${f} ${m}`,g)}<br>${x.html}`,own:!1},v,w(null===d.difference?"–":[(0,i.Zg)(d),null===d.low||null===d.high?"":`<br><span class="soft">${(0,h.x8)(d.low)} to ${(0,h.x8)(d.high)}</span>`,function({pass_rate:e,verdict:t},n){if(null===e.difference||null===e.low||null===e.high)return"";let a=e=>(80+e/n*74).toFixed(1);return`<svg class="${i.bk[t].tone}" width="160" height="22" viewBox="0 0 160 22" role="img" aria-label="${(0,r.My)((0,i.iv)(e)??"")}"><line class="axis" x1="6" y1="11" x2="154" y2="11"/><line class="axis" x1="80" y1="2" x2="80" y2="20"/><line class="range" x1="${a(e.low)}" y1="11" x2="${a(e.high)}" y2="11"/><circle class="dot" cx="${a(e.difference)}" cy="11" r="5"/></svg>`}(n,s)].join("")),w(0===c.references?"–":`${(0,h.U9)(c.references)} \xd7 ${(0,h.U9)(c.tries)}`),{html:(0,p.Or)((0,K.vT)(u),t),own:!1}]}),d="sweep"===a?["Suite","Pass rate","References × tries"]:["Suite","Pass rate","Difference, 90 % interval","References × tries","Changed"],c=l.slice(20),u=0===c.length?"":`<details class="samples"><summary>${(0,h.hS)(c.length,"more suite")}</summary>${(0,p.qj)(d,c)}</details>`;return`<section id="suites"><h2>Suites</h2>${(0,p.qj)(d,l.slice(0,20))}${u}</section>`})(e,t),ranking:function({result:e,charts:{costs:t},links:n}){let o=(0,d.Ve)(e);if(0===o.length)return"";let l=o.map(e=>[`<h3><code>${(0,r.My)((0,r.ml)(e.name,s.Uo))}</code><span class="soft">the best first</span></h3>`,(0,p.Zq)((0,d.VD)(e,a.Qz.collapsedItems),n),t.has(e.key)?`<div class="cards">${t.get(e.key)??""}</div>`:'<p class="soft">The cost of no variant is known, so none is drawn.</p>'].join("\n"));return(0,p.Mn)(['<section id="variants"><h2>Variants</h2>',...l,"</section>"])},brokenReferences:({list:e})=>e,attributes:({result:e,charts:t,index:n})=>(function(e,t,n){let a=(0,c.sR)(e,(0,m.L2)(e.suites));if(0===a.length)return"";let o=a.slice(0,20),l=[...a.length>o.length?[`The attributes of ${(0,h.hS)(a.length-o.length,"suite")} are left out; result.json has them.`]:[],...t.left>0?[`Charts are drawn for the worst suites, to keep this file small; those of ${(0,h.hS)(t.left,"suite")} are left out; result.json has the numbers.`]:[]];return['<section id="kinds"><h2>Attributes</h2>',...0===e.attributes.length?[]:[`<p>${(0,r.My)(function({attributes:e,mode:t}){let n=t=>e.filter(e=>e.verdict===t).length;if("sweep"===t)return`${(0,h.hS)(e.length,"attribute")}, worked out from the references.`;let r=n("too few");return`${(0,h.U9)(n("regressed"))} regressed, ${(0,h.U9)(n("improved"))} improved, of ${(0,h.hS)(e.length,"attribute")}`+(0===r?"":`; ${(0,h.U9)(r)} with too few references to judge`)+"."}(e))}</p>`],...o.map(a=>(function(e,t,n,a){let{attributes:o,insights:l}=e,d=(0,c.DA)(o.filter(({verdict:e})=>"diff"===t&&("regressed"===e||"improved"===e))),f=(0,i.v)(d.length,10),[m]=o,g=void 0===m?void 0:n.kinds.get((0,c.aJ)(m));return[`<section class="kinds"><h3><code>${(0,r.My)((0,r.ml)(e.name,s.Uo))}</code></h3>`,function(e,t,n){let a=(0,c.Ic)(t.dropped);if(0===e.length&&null===a)return"";let o=e.some(e=>e.generated),l=e.map(({text:e,attributes:a,references:o})=>{let l=a.flatMap(e=>t.attributes.find(t=>t.id===e)??[]).map(e=>y(e,(0,r.ml)(e.name,s.Uo),n)),d=o.slice(0,12).map(e=>$(t.suite,e,n)),p=(0,i.v)(o.length,d.length),c=[...l,...d,...null===p?[]:[(0,r.My)(p)]];return`<li>${(0,r.My)((0,r.ml)(e,600))}${0===c.length?"":`<br><span class="soft">rests on</span> ${c.join(", ")}`}</li>`}),d=`${(0,h.hS)(e.length,"insight")}${o?", generated by a model":""}`,p=0===l.length?"":`<ul>${l.join("")}</ul>`,u=null===a?"":`<p class="soft">${(0,r.My)(a)}</p>`;return`<div class="insights"><h4>${d}</h4>${o?'<p class="soft">Generated text, without influence on the verdict. Check it against the references it names.</p>':""}${p}${u}</div>`}(l,e,a),void 0===g||""===g.domains?"":`<h4>Domains: what inputs are about</h4><div class="cards">${g.domains}</div>`,void 0===g||""===g.subtasks?"":`<h4>Sub-tasks: what answering takes</h4><div class="cards">${g.subtasks}</div>`,...d.slice(0,10).map(t=>(function(e,t,n){let{name:a,kind:o,explanation:l,n:d,base:f,head:m,low:g,high:w,verdict:b,alignment:x}=e,v="regressed"===b,$=`${c.Pv[o]}, ${(0,h.hS)(d,"reference")}: ${(0,i.It)(f,m)}, ${(0,i.Zg)(e)}, 90 % interval ${(0,i.qK)(g,w)}`,k=t.attributes.filter(t=>t.explained_by.includes(e.id)).map(e=>(0,r.My)((0,r.ml)(e.name,s.Uo)));return[['<details class="kind" open><summary>',(0,p.jw)(v?"✗ regressed":"↑ improved",v?"bad":"good"),` <b>${(0,r.My)((0,r.ml)(a,s.Uo))}</b>`,` <span class="soft">${(0,r.My)($)}</span></summary><div class="body">`].join(""),""===l?"":`<p>${(0,r.My)((0,r.ml)(l,600))}</p>`,0===k.length?"":`<p class="soft">Moved only with references shared with it: ${k.join(", ")}.</p>`,null===x?"":`<p class="soft">Answers with other skills than expected, lower is better: ${(0,r.My)((0,u.bW)(e))}.</p>`,`<p>${y(e,`Show its ${(0,h.hS)(e.references.length,"reference")}`,n)}</p>`,function({samples:e},{suite:t},n){let r=e.filter(e=>"drop"===e.kind);return 0===r.length?"":`<h4>Largest drops</h4>${r.map(e=>O(t,e.reference,`${(0,h.KN)(e.base)} → ${(0,h.KN)(e.head)}`,n,null)).join("")}`}(e,t,n),"</div></details>"].join("")})(t,e,a)),...null===f?[]:[`<p>${(0,r.My)(f)}, in the table of all attributes.</p>`],function({suite:e,attributes:t},n){let a=t.flatMap(e=>e.samples.flatMap(t=>"skill"===t.kind?[{attribute:e,sample:t}]:[])).sort((e,t)=>U(t.sample)-U(e.sample));if(0===a.length)return"";let o=a.slice(0,12),l=o.map(({attribute:t,sample:a})=>{let o=[`${a.side}'s answer uses "${(0,r.ml)(t.name,s.Uo)}" `,a.output<a.expected?"less":"more",` than expected: affinity ${String(a.output)}`,` where the expected answer has ${String(a.expected)}`].join("");return O(e,a.reference,o,n,a.side)}),i=a.length>o.length?`${String(o.length)} of ${(0,h.hS)(a.length,"sample")}`:(0,h.hS)(a.length,"sample");return`<details class="samples"><summary>Answers with other skills than expected, ${i}</summary>${l.join("")}</details>`}(e,a),function(e,t){let{attributes:n}=e;if(0===n.length)return"";let a=n.slice(0,60).map(n=>{let{name:a,kind:o,explanation:l,prior:i,explained_by:d}=n,p=0===d.length?"":`<br><span class="soft">moved only with references shared with ${(0,r.My)((0,c._U)(n,e).map(e=>(0,r.ml)(e,s.Uo)).join(", "))}</span>`;return[{html:`<b>${(0,r.My)((0,r.ml)(a,s.Uo))}</b> <span class="soft">${c.Pv[o]}</span>${p}`,own:!1},{html:(0,h.KN)(i),own:!0},{html:y(n,(0,h.hS)(n.references.length,"reference"),t),own:!0},{html:(0,r.My)((0,r.ml)(l,600)),own:!1}]}),o=(0,i.v)(n.length,a.length);return['<details class="samples"><summary>All ',`${(0,h.hS)(n.length,"attribute")}</summary>`,(0,p.qj)(["Attribute","Prior","Assigned","What it is"],a),null===o?"":`<p>${(0,r.My)(o)}.</p>`,"</details>"].join("")}(e,a),"</section>"].filter(e=>""!==e).join("\n")})(a,e.mode,t,n)),...l.map(e=>`<p class="soft">${(0,r.My)(e)}</p>`),"</section>"].join("\n")})(e,t,n),metrics:e=>`${function({suites:e}){let t=(0,m.L2)(e).filter(e=>e.metrics.length>1||e.metrics.some(({name:t})=>V(e,t)));if(0===t.length)return"";let n=t.slice(0,100),a=(0,i.v)(t.length,n.length);return['<section id="metrics"><h2>Metrics</h2>',...n.map(e=>{var t;let n,a=(0,f.Nl)(e.variant);return[`<h3><code>${(0,r.My)((0,r.ml)(e.name,s.Uo))}</code>`,""===a?"":`<span class="soft">${(0,r.My)(a)}</span>`,`</h3>${(n=(t=e).metrics.some(({name:e})=>V(t,e)),(0,p.qj)(["Metric","Pass rate","Judged",...n?["Values"]:[]],t.metrics.map(({name:e,base:a,head:s,judged_base:o,judged_head:l,gates:d,values:c})=>[{html:`<code>${(0,r.My)(e)}</code>${!1===d&&c?.gate!=="fail"?(0,p.jw)("does not gate","neutral"):""}`,own:!1},{html:null===a?(0,h.KN)(s):(0,i.It)(a,s),own:!0},{html:null===a?(0,h.U9)(l):`${(0,h.U9)(o)} → ${(0,h.U9)(l)}`,own:!0},...n?[{html:function({references:e},t){let n=n=>e.flatMap(e=>(e[n]?.tries??[]).flatMap(e=>J(e,t)??[])),[a,s]=[n("base"),n("head")],o=[...a,...s];if(0===o.length)return"–";let l=o.reduce((e,t)=>Math.min(e,t)),i=o.reduce((e,t)=>Math.max(e,t)),d=e=>{let t=Array.from({length:16},()=>0);for(let n of e){let r=Math.min(15,i===l?0:Math.floor((n-l)/(i-l)*16));t[r]=(t[r]??0)+1/e.length}return t},[p,c]=[d(a),d(s)],u=[...p,...c].reduce((e,t)=>Math.max(e,t)),f=(e,t,n)=>{let r=18*e/u;return 0===e?"":`<rect class="${n}" x="${String(10*t+1)}" y="${("base"===n?20-r:22).toFixed(1)}" width="8" height="${r.toFixed(1)}"/>`},h=`base ○ ${Z(a)}, head ● ${Z(s)}, from ${X(l)} to ${X(i)}`;return['<svg class="spread" width="160" height="42" viewBox="0 0 160 42"',` role="img" aria-label="${(0,r.My)(h)}">`,'<line class="axis" x1="0" y1="21" x2="160" y2="21"/>',p.map((e,t)=>f(e,t,"base")).join(""),`${c.map((e,t)=>f(e,t,"head")).join("")}</svg>`,`<span class="soft">${(0,r.My)(h)}</span>`].join("")}(t,e),own:!0}]:[]])))}`].join("")}),...null===a?[]:[`<p>${(0,r.My)(a)} suites</p>`],"</section>"].join("\n")}(e.result)}${ee("metrics")(e)}`,movedReferences:et}})};