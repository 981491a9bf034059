import { createRequire } from 'node:module';
import { renderTemplate } from '../../../../../src/features/imports/promptfoo/nunjucks.ts';
import { Unconvertible } from '../../../../../src/features/imports/shared/node.ts';

const VARS = {
  a: 'Hello World',
  b: '  pad  ',
  n: 7,
  f: 3.456,
  e: '',
  t: true,
  no: false,
  nil: null,
  s7: '7',
  l: ['x', 'y', 'z'],
  o: { k: 'v', m: { d: 'deep' } },
  rows: [
    { n: 'A', s: 1 },
    { n: 'B', s: 2 },
  ],
  pairs: [
    ['p', 1],
    ['q', 2],
  ],
  multi: 'one\ntwo',
};

const render = (text: string) => renderTemplate(text, VARS, String);

const { Environment } = createRequire(import.meta.url)('nunjucks') as {
  Environment: new (
    loader: null,
    options: { autoescape: false },
  ) => { renderString(template: string, vars: object): string };
};
const library = new Environment(null, { autoescape: false });

const RENDERED: [string, string][] = [
  ['{{ a | upper }} {{ a|lower }}', 'HELLO WORLD hello world'],
  ['{{ b | trim }}! {{ a | capitalize }}', 'pad! Hello world'],
  ['{{ missing | default("x") }}{{ e | default("x") }}{{ e | default("x", true) }}', 'xx'],
  ['{{ nil | default("x") }}|{{ no | default("x") }}', '|false'],
  ['{{ l | join(", ") }} {{ rows | join("-", "n") }}', 'x, y, z A-B'],
  ['{{ l | length }}{{ a | length }}{{ o | length }}{{ missing | length }}', '31120'],
  ['{{ l | first }}{{ l | last }}{{ a | replace("l","L") }}', 'xzHeLLo WorLd'],
  ['{{ f | round }} {{ f | round(1) }} {{ f | round(0,"ceil") }}', '3 3.5 4'],
  ['{{ s7 | int + 35 }} {{ a | int(9) }} {{ "2.5x" | float }}', '42 9 2.5'],
  ['{{ o | dump }}', '{"k":"v","m":{"d":"deep"}}'],
  ['{{ multi | indent(2) }}', 'one\n  two'],
  ['{% if n > 5 %}big{% elif n > 3 %}mid{% else %}small{% endif %}', 'big'],
  ['{% if n === "7" %}eq{% else %}ne{% endif %}{% if s7 == 7 %}eq{% endif %}', 'neeq'],
  ['{% if not no and t %}x{% endif %}{% if not n == 7 %}a{% else %}b{% endif %}', 'xb'],
  ['{% if "q" not in l %}notin{% endif %}{% if "k" in o %}in{% endif %}', 'notinin'],
  ['{% if [] %}e{% endif %}{% if missing %}m{% else %}none{% endif %}', 'enone'],
  [
    '{% for x in l %}{{ loop.index }}{{ x }}{% if not loop.last %},{% endif %}{% endfor %}',
    '1x,2y,3z',
  ],
  ['{% for r in rows %}- {{ r.n }}: {{ r.s }}\n{% endfor %}', '- A: 1\n- B: 2\n'],
  ['{% for k, v in o.m %}{{ k }}={{ v }}{% endfor %}', 'd=deep'],
  ['{% for x, y in pairs %}{{ x }}{{ y }};{% endfor %}', 'p1;q2;'],
  ['{% for x in missing %}a{% else %}empty{% endfor %}', 'empty'],
  ['{% for x in l -%}\n {{ x }}\n{%- endfor %}|', 'xyz|'],
  ['{%- if t -%}  a  {%- endif -%}  b {{- a -}} c', 'abHello Worldc'],
  ['{# c #}x{#- d -#} y', 'xy'],
  ['{% raw %}{{ a }}{% x %}{% endraw %}z', '{{ a }}{% x %}z'],
  ['{% set q = 1 %}{% for x in l %}{% set q = q + 1 %}{% endfor %}{{ q }}', '4'],
  ['{% for x in l %}{% set w = x %}{% endfor %}{{ w }}|', '|'],
  ['{{ "yes" if t else "no" }}{{ "yes" if no }}|', 'yes|'],
  ['{{ l[0] }}{{ rows[1].n }}{{ o["k"] }}{{ o.missing.deeper }}|', 'xBv|'],
  ['{{ t }}{{ no }}{{ nil }}{{ missing }}|', 'truefalse|'],
  ['{{ "q\\"x" }}{{ missing or "d" }}', 'q"xd'],
  ['{% if not n == 8 %}a{% else %}b{% endif %}{{ not (n == 8) }}', 'btrue'],
  ['{{ l + 1 }} {{ l == "x,y,z" }} {{ l == l }} {{ (n + 1) }}', 'x,y,z1 true true 8'],
];

describe('a promptfoo template', () => {
  test.each(RENDERED)('%j is rendered as nunjucks does', (template, text) => {
    expect(library.renderString(template, VARS)).toBe(text);
    expect(render(template)).toBe(text);
  });

  test.each([
    '{{ a.toUpperCase() }}',
    '{{ env.KEY }}',
    '{% include "x" %}',
    '{% if a is defined %}',
    '{% if t %}',
    '{% endif %}',
    '{% raw %}',
    '{{ 1 if a else 2 if e }}',
    '{{ r/a/ }}',
    '{% set q %}',
    '{{ a',
    '{{ }}',
    '{{ n * 3 }}',
    '{{ "a" ~ n }}',
    '{{ not n + 1 }}',
    '{{ -n }}',
    '{{ 1 < n < 9 }}',
  ])('refuses %j', (construct) => {
    const why = `${construct} is not a supported variable, filter or tag`;
    expect(() => render(construct)).toThrow(why);
  });

  test.each([
    ['{{ a | reverse }}', 'the filter reverse'],
    ['{{ n | upper }}', 'the filter upper'],
    ['{{ a | indent(1000) }}', 'the filter indent'],
    ['{% if t %}{% if t %}x{% endif %}{{ a }}', '{% if t %}'],
    ['{{ a }}\n{{ n | abs }} {{ l[ }}', '{{ l[ }}'],
  ])('refuses %j because of %s', (template, construct) => {
    expect(() => render(template)).toThrow(`${construct} is not`);
  });

  test('can access only its variables', () => {
    expect(
      render('{{ l.constructor }}{{ o.__proto__ }}{{ a.constructor.name }}{{ toString }}|'),
    ).toBe('|');
  });

  test.each([
    ['a sum', `{{ ${'a+'.repeat(50_000)}a }}`],
    ['brackets', `{{ ${'('.repeat(20_000)}a${')'.repeat(20_000)} }}`],
    ['an unclosed raw block', `{% raw %}${'x'.repeat(1_000_000)}`],
  ])('with %s that is too deep or too long is not rendered', (_, template) => {
    expect(() => render(template)).toThrow(Unconvertible);
  });

  test('with excessively long output is reported', () => {
    const loops = (depth: number): string =>
      depth === 0
        ? 'x'
        : `{% for c in a %}{% for d in a %}${loops(depth - 1)}{% endfor %}{% endfor %}`;
    expect(() => render(loops(4))).toThrow('its template output is too long');
  });
});
