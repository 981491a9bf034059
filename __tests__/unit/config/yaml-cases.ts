/*
 * Hostile and invalid YAML: name, text, and the expected problems or value. The cases with problems
 * are listed in __tests__/contract/bad-inputs.md.
 */
import { letters } from '../../fuzz.ts';

const bomb = (levels: number) =>
  [
    'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
    ...Array.from(
      { length: levels },
      (_, level) =>
        `a${level + 1}: &a${level + 1} [${Array.from({ length: 10 }, () => `*a${level}`).join(', ')}]`,
    ),
  ].join('\n');
const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');
const MIB = 1 << 20;

type Case = [
  name: string,
  content: string | Uint8Array,
  expected: { problems: string[] } | { value: unknown },
];
/** Expected problems of p.yaml; each begins with its line number, if it has one. */
const bad = (...problems: string[]) => ({
  problems: problems.map((text) => (/^\d/.test(text) ? `p.yaml:${text}` : `p.yaml: ${text}`)),
});
const FOREIGN_SPACE =
  'has U+00A0 instead of a space, and YAML does not treat it as one; write a plain space';
const good = (value: unknown) => ({ value });

export const CASES: Case[] = [
  ['an empty file', '', bad('is empty; write it, or delete the file')],
  ['only white space', ' \n\n', bad('is empty; write it, or delete the file')],
  ['only a comment', '# nothing\n', bad('is empty; write it, or delete the file')],
  ['only a document start', '---\n', bad('is empty; write it, or delete the file')],
  ['a text at the root', 'hello', good('hello')],
  ['a list at the root', '- a', good(['a'])],
  ['two documents', 'a: 1\n---\na: 2', bad('2: has more than one YAML document')],
  [
    'a quarter of a million documents',
    '---\n'.repeat(MIB / 4),
    bad('2: has more than one YAML document'),
  ],
  ['a document end', 'a: 1\n...\n', good({ a: 1 })],
  ['a tab as indent', 'a:\n\tb: 1', bad('2: is indented with a tab; YAML needs spaces')],
  [
    'no-break spaces as indent',
    'messages:\n  - role: user\n\u00A0\u00A0\u00A0\u00A0content: x\n\u00A0 - b: 1',
    bad(`3: ${FOREIGN_SPACE}`, `4: ${FOREIGN_SPACE}`),
  ],
  [
    'a no-break space that breaks the syntax',
    'a:\n  b: 1\n \u00A0c: 2',
    bad(`3: ${FOREIGN_SPACE}`),
  ],
  [
    'a no-break space after a colon',
    'm:\n  - role:\u00A0user\n    content: x',
    bad(`2: ${FOREIGN_SPACE}`),
  ],
  [
    'no-break spaces in texts',
    'a: |\n  x\n  \u00A0y\nb: \u00A0z\nc\u00A0d: 1\n"\u00A0e": 2',
    good({ a: 'x\n\u00A0y\n', b: '\u00A0z', 'c\u00A0d': 1, '\u00A0e': 2 }),
  ],
  [
    'a wrong indent',
    'a:\n  b: 1\n c: 2',
    bad('3: is not valid YAML: All mapping items must start at the same column'),
  ],
  [
    'a list item with too small an indent',
    'a:\n  - { id: x }\n - { id: y }\n',
    bad(
      '3: is not valid YAML: check the indent; a value with ": " in it needs quotes or a | block',
    ),
  ],
  ['an open quote', 'a: "x', bad('1: is not valid YAML: Missing closing "quote')],
  [
    'a colon in plain text',
    'content: What is {a}? Only: x',
    bad(
      '1: is not valid YAML: check the indent; a value with ": " in it needs quotes or a | block',
    ),
  ],
  ['braces without quotes', 'content: {a}', good({ content: { a: null } })],
  ['a key twice', 'name: a\nname: b', bad('2: the key "name" is already on line 1')],
  ['a key twice as number and text', '1: a\n"1": b', bad('2: the key "1" is already on line 1')],
  ['a map and a list as keys', '{a: 1}: b\n[1, 2]: c', bad('1: has a key that is not plain text')],
  ['an alias as key', 'a: &x b\n*x : c', bad('1: has a key that is not plain text')],
  [
    'numbers, true and null as keys',
    '1: a\n1.0: b\ntrue: c\nnull: d',
    good({ '1': 'a', '1.0': 'b', true: 'c', null: 'd' }),
  ],
  [
    'keys that objects inherit',
    'toString: 1\nhasOwnProperty: 2',
    good({ toString: 1, hasOwnProperty: 2 }),
  ],
  ['an alias bomb', bomb(9), bad('1: expands to more than 200000 values')],
  [
    'aliases within measure',
    bomb(1),
    good({ a0: Array(10).fill('x'), a1: Array(10).fill(Array(10).fill('x')) }),
  ],
  [
    'long text written out by aliases',
    `x: &x ${'y'.repeat(100_000)}\nl: [${Array(1000).fill('*x').join(', ')}]`,
    bad('2: expands to more than 4194304 characters'),
  ],
  ['an alias to itself', 'a: &a [*a]', bad('1: *a refers to itself')],
  ['an alias without an anchor', 'a: *nope', bad('1: uses *nope before it is defined')],
  ['an alias before its anchor', 'a: *b\nb: &b 1', bad('1: uses *b before it is defined')],
  [
    'an anchor given away twice',
    'a: &x 1\nb: &y [*x]\nc: &x 2\nd: *y\ne: *x',
    good({ a: 1, b: [1], c: 2, d: [1], e: 2 }),
  ],
  [
    'an anchor inside of an alias',
    'a: &y { k: &x 1 }\nb: &x 2\nc: *y\nd: *x',
    good({ a: { k: 1 }, b: 2, c: { k: 1 }, d: 2 }),
  ],
  ['a merge key', 'a: &a\n  <<: *a\n  b: 1', bad('2: *a refers to itself')],
  [
    'a merge key with a number',
    'a:\n  <<: 3',
    bad('2: a merge key (<<) takes a map, or a list of maps'),
  ],
  [
    'a merge key, whose map gives what the map itself has not',
    'a: &a { x: 1, y: 2 }\nb:\n  y: 3\n  <<: *a\n  z: 4',
    good({ a: { x: 1, y: 2 }, b: { y: 3, z: 4, x: 1 } }),
  ],
  [
    'a merge key with several maps, of which the first wins',
    'a: &a { x: 1 }\nb: &b { x: 2, y: 2 }\nc: { <<: [*a, *b] }',
    good({ a: { x: 1 }, b: { x: 2, y: 2 }, c: { x: 1, y: 2 } }),
  ],
  [
    'the key __proto__',
    '__proto__:\n  polluted: yes\nname: a',
    bad('1: the key "__proto__" is not allowed'),
  ],
  [
    '__proto__ further down',
    'defaults:\n  __proto__: { n_tries: 1000 }',
    bad('2: the key "__proto__" is not allowed'),
  ],
  ['__proto__ by escape', '"\\u005f_proto__": 1', bad('1: the key "__proto__" is not allowed')],
  [
    'the key constructor',
    'constructor: { prototype: { polluted: 1 } }',
    bad('1: the key "constructor" is not allowed'),
  ],
  ['the key prototype', 'a: { prototype: 1 }', bad('1: the key "prototype" is not allowed')],
  [
    'a JavaScript tag',
    'a: !!js/function "function(){}"',
    bad('1: uses a tag that is not allowed (!!js/function)'),
  ],
  [
    'a Python tag',
    'a: !!python/object/apply:os.system ["id"]',
    bad('1: uses a tag that is not allowed (!!python/object/apply:os.system)'),
  ],
  ["a tag of one's own", 'a: !Secret x', bad('1: uses a tag that is not allowed (!Secret)')],
  ['a set', 'a: !!set {x, y}', bad('1: uses a tag that is not allowed (!!set)')],
  ['binary', 'a: !!binary aGk=', bad('1: uses a tag that is not allowed (!!binary)')],
  ['a core tag', 'a: !!str 8', good({ a: '8' })],
  [
    'a version directive',
    '%YAML 1.1\n---\na: yes',
    bad('1: has the directive %YAML 1.1; remove it, files are YAML 1.2'),
  ],
  [
    'a tag directive',
    '%TAG ! tag:evil,2000:\n---\na: !x y',
    bad('1: has the directive %TAG ! tag:evil,2000:; remove it, files are YAML 1.2'),
  ],
  [
    'a number of thirty digits',
    'seed: 123456789012345678901234567890',
    bad('1: seed is too large to be an exact number; quote it if it is text'),
  ],
  ['a number past all numbers', 'temperature: 1e400', bad('1: temperature is not a finite number')],
  [
    'infinity and no number',
    'a: .inf\nb: [.nan]',
    bad('1: a is not a finite number', '2: b[0] is not a finite number'),
  ],
  ['other bases', 'a: 0xFF\nb: 0o17\nc: 017', good({ a: 255, b: 15, c: 17 })],
  ['underscores and sexagesimals', 'a: 1_000\nb: 1:30', good({ a: '1_000', b: '1:30' })],
  ['a date', 'a: 2024-01-01', good({ a: '2024-01-01' })],
  [
    'words that YAML 1.1 read as true and false',
    'YES: 1\nNO: 0\nl: [yes, no, on, off, y, n]',
    good({ YES: 1, NO: 0, l: ['yes', 'no', 'on', 'off', 'y', 'n'] }),
  ],
  [
    'true, false and null',
    'a: [True, TRUE, true, false, ~, null, Null]',
    good({ a: [true, true, true, false, null, null, null] }),
  ],
  [
    'five thousand lists in one another',
    `a: ${'['.repeat(5000)}${']'.repeat(5000)}`,
    bad('1: is nested deeper than 40 levels'),
  ],
  [
    'five thousand maps in one another',
    `${'{a: '.repeat(5000)}1${'}'.repeat(5000)}`,
    bad('1: is nested deeper than 40 levels'),
  ],
  [
    'a thousand maps by indent',
    lines(1000, (index) => `${' '.repeat(index)}a:`),
    bad('42: is nested deeper than 40 levels'),
  ],
  [
    'half a million dashes in a line',
    '- '.repeat(MIB / 2),
    bad('1: is nested deeper than 40 levels'),
  ],
  [
    'half a million question marks in a line',
    '? '.repeat(MIB / 2),
    bad('1: is nested deeper than 40 levels'),
  ],
  [
    'forty levels',
    `a: ${'['.repeat(39)}${']'.repeat(39)}`,
    good({ a: JSON.parse('['.repeat(39) + ']'.repeat(39)) }),
  ],
  ['dashes in text', 'a: - b - c\n'.replace('- b', 'x - b'), good({ a: 'x - b - c' })],
  [
    'a file over the limit',
    lines(200_000, (index) => `k${index}: ${index}`),
    bad('is 2977779 bytes; the limit is 1048576'),
  ],
  [
    'twenty thousand keys',
    lines(20_000, (index) => `k${index}: 1`),
    good(Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 1]))),
  ],
  [
    'a million closing brackets',
    ']'.repeat(MIB),
    bad('1: is not valid YAML: Unexpected flow-seq-end token in YAML document'),
  ],
  [
    'a million quotes',
    `a: ${'"'.repeat(letters(MIB) - 5)}`,
    bad('1: is not valid YAML: Unexpected double-quoted-scalar at node end'),
  ],
  [
    'a million line breaks',
    '\n'.repeat(MIB),
    bad('has more than 600000 tokens; move references into a JSONL or CSV file (references_from)'),
  ],
  ['a long comment', `${'#'.repeat(1_000_000)}\na: 1`, good({ a: 1 })],
  [
    'a dash where a value belongs',
    'a: -',
    bad('1: is not valid YAML: Unexpected block-seq-ind on same line with key'),
  ],
  [
    'bytes that are not UTF-8',
    new Uint8Array([0x61, 0x3a, 0x20, 0xff, 0xfe]),
    bad('is not UTF-8 text'),
  ],
  [
    'UTF-16',
    new Uint8Array(Buffer.from('a: 1', 'utf16le')),
    bad('1: has the control character U+0000; remove it, or save the file as UTF-8'),
  ],
  [
    'NUL',
    'a: 1\nb: "x\u0000y"',
    bad('2: has the control character U+0000; remove it, or save the file as UTF-8'),
  ],
  ['BEL', 'a: x\u0007y', bad('1: has the control character U+0007; remove it')],
  ['NUL by escape', 'a: "x\\0y"', bad('1: a has the control character U+0000; remove it')],
  [
    'a control character in a key by escape',
    '"a\\eb": 1',
    bad('1: a key has the control character U+001B; remove it'),
  ],
  [
    'a bidirectional override',
    'a: "x\u202ey"',
    bad('1: has the bidirectional control U+202E; write it as an escape in a double-quoted string'),
  ],
  ['a bidirectional override by escape', 'a: "x\\u202ey"', good({ a: 'x\u202ey' })],
  [
    'half a surrogate pair by escape',
    'a: "\\ud800"',
    bad('1: a has half of a character (a lone UTF-16 surrogate); write the whole character'),
  ],
  ['a byte order mark', '\ufeffname: a', good({ name: 'a' })],
  ['a byte order mark in bytes', new Uint8Array(Buffer.from('\ufeffname: a')), good({ name: 'a' })],
  ['CR LF', 'a: 1\r\nb: |\r\n  x\r\n  y\r\n', good({ a: 1, b: 'x\ny\n' })],
  [
    "OmegaConf's environment",
    'a: 1\nb: "${oc.env:OPENAI_API_KEY}"',
    bad('2: ${oc.env:...} is not supported; evaldiff does not replace it'),
  ],
  [
    'other dollar braces',
    'a: "${{ secrets.X }} ${HOME} $x"',
    good({ a: '${{ secrets.X }} ${HOME} $x' }),
  ],
  [
    'a code block',
    'code: |\n  metric = actual == expected\n  result = metric\n',
    good({ code: 'metric = actual == expected\nresult = metric\n' }),
  ],
  [
    'many things at once',
    '__proto__: 1\na: 1e999\na: 2\nb: *c',
    bad(
      '1: the key "__proto__" is not allowed',
      '2: a is not a finite number',
      '3: the key "a" is already on line 2',
      '4: uses *c before it is defined',
    ),
  ],
];
