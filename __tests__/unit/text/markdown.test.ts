import { codeSpan, htmlCell, htmlPlain, plainMarkdown } from '../../../src/text/markdown.ts';
import { visible } from '../../../src/text/visible.ts';
import fc, { anyCharacter, draws, forAll } from '../../fuzz.ts';
import { renderGithub, type Rendered } from '../../stand-ins/github-markdown.ts';
import { hostileTexts } from '../../stand-ins/hostile-text.ts';

const payloads = Object.entries(hostileTexts);
/** Text as shown in a code span: hidden characters and HTML comment openings are escaped. */
const shownAsCode = (text: string) => visible(text).replaceAll('<!--', '<\\u{21}--');
const parts = fc.oneof(
  fc.constantFrom(...Object.values(hostileTexts)),
  fc.constantFrom(' ', '  ', '\n', '\n\n', '`', '|', '<', '>', '&', '@a', '#1', '\\', '-', '1.'),
);
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 80 }),
  fc.array(parts, { maxLength: 6 }).map((all) => all.join('')),
);
const forAnyText = (runs: number, check: (text: string) => void) =>
  forAll([anyText], check, { numRuns: draws(runs) });

/** Everything that GitHub would link, embed, hide or notify. */
const actions = ({ links, images, comments, references }: Rendered) =>
  [links, images, comments, references].flat();

/** Expects only the given elements, and no link, image, comment or mention. */
function expectOnly(rendered: Rendered, elements: string[], outside: string) {
  expect(rendered.elements).toEqual(elements);
  expect(actions(rendered)).toEqual([]);
  expect(rendered.outside.replace(/\s+/g, ' ').trim()).toBe(outside);
}

function expectInCell(text: string) {
  const rendered = renderGithub(
    `before\n\n<table>\n<tr><td>${htmlCell(text)}</td><td>z</td></tr>\n</table>\n\nafter\n`,
  );
  const elements = rendered.elements.filter((name) => name !== 'br');
  const frame = 'p table tbody tr td code td p'.split(' ');
  expectOnly({ ...rendered, elements }, frame, 'before z after');
  expect(rendered.code).toEqual([visible(text)]);
}

describe('htmlCell', () => {
  test.each(payloads)('keeps %s readable inside its cell', (_what, text) => expectInCell(text));

  test('keeps any text inside its cell', () => forAnyText(300, expectInCell));

  test('reports after the text how many characters it cut', () => {
    expect(htmlCell('a'.repeat(501), { limit: 500 })).toBe(
      `<code>${'a'.repeat(500)}</code> (1 more character)`,
    );
    expect(htmlCell('<'.repeat(5_000_000), { limit: 500 })).toBe(
      `<code>${'&lt;'.repeat(500)}</code> (4,999,500 more characters)`,
    );
  });
});

describe('codeSpan', () => {
  test.each(payloads)('keeps %s inside the span', (_what, text) => {
    const rendered = renderGithub(`before ${codeSpan(text)} after`);
    expectOnly(rendered, ['p', 'code'], 'before after');
    expect(rendered.code[0]?.trim()).toBe(
      shownAsCode(text)
        .replace(/[\n\t]/g, ' ')
        .trim(),
    );
  });

  test('keeps any text inside the span, also at the start of a line', () =>
    forAnyText(300, (text) => {
      expectOnly(renderGithub(codeSpan(text)), ['p', 'code'], '');
      const two = renderGithub(`x ${codeSpan(text)} and ${codeSpan(text)} y`);
      expectOnly(two, ['p', 'code', 'code'], 'x and y');
    }));
});

test("codeSpan, plainMarkdown and htmlCell escape evaldiff's comment marker", () => {
  for (const source of [
    codeSpan('<!-- evaldiff -->'),
    plainMarkdown('a <!-- evaldiff -->'),
    htmlCell('<!-- evaldiff -->'),
  ])
    expect(source).not.toContain('<!--');
});

describe('plainMarkdown and htmlPlain', () => {
  const NOTHING = { actions: [], others: [] };
  const acts = (markdown: string, ...allowed: string[]) => {
    const rendered = renderGithub(markdown);
    const others = rendered.elements.filter((name) => !['p', 'code', ...allowed].includes(name));
    return { actions: actions(rendered), others };
  };

  test.each(payloads)('produce no link, image or mention from %s', (_what, text) => {
    for (const markdown of [
      plainMarkdown(text),
      `before ${plainMarkdown(text)} after`,
      `- ${plainMarkdown(text)}`,
    ])
      expect(acts(markdown, 'ul', 'li')).toEqual(NOTHING);
    // In an HTML block:
    expect(acts(`<p>\n${htmlPlain(text)}\n</p>\n`)).toEqual(NOTHING);
  });

  test('leave ordinary sentences unchanged', () => {
    const sentence =
      'The pass rate fell 6.0 points (84.0 % to 78.0 %), more than 2 of 3: "really", so: stop!';
    expect(plainMarkdown(sentence)).toBe(sentence);
    expect(htmlPlain(sentence)).toBe(sentence.replaceAll('"', '&quot;'));
  });

  test('keep a symbol between spaces', () => {
    expect(renderGithub(plainMarkdown('> p = < 0.001 & so on')).html).toBe(
      '<p>&gt; p = &lt; 0.001 &amp; so on</p>',
    );
    expect(htmlPlain('p < 0.001')).toBe('p &lt; 0.001');
  });

  test('show a word that GitHub would link as code, without the punctuation around it', () => {
    expect(plainMarkdown('ask (@octocat), see #12.')).toBe('ask (`@octocat`), see `#12`.');
    expect(htmlPlain('ask (@octocat), see #12.')).toBe(
      'ask (<code>@octocat</code>), see <code>#12</code>.',
    );
  });

  test('keep all words of any text and only add code elements', () =>
    forAnyText(500, (text) => {
      expect(acts(`x ${plainMarkdown(text)}`)).toEqual(NOTHING);
      const shown = renderGithub(`x ${plainMarkdown(text)}`).text;
      expect(shown.replace(/\s+/g, '')).toBe(`x${shownAsCode(text)}`.replace(/\s+/g, ''));
    }));
});

describe('text for GitHub', () => {
  const runs = [
    ['`', '|', '<', '&', '@', '#', ' ', '\n', '\\', '*', '[', '(', '-', '\u200b'],
    ['a@', '://', '1.', 'www.', '0'],
  ].flatMap((units) => units.map((unit) => unit.repeat(100_000 / unit.length)));

  test.each(['deadbee', 'DeadBeef', 'acceded', 'cafebabecafebabecafebabecafebabecafebabe'])(
    'shows %s as code, because it looks like a commit id',
    (word) => {
      expect(plainMarkdown(`see ${word}.`)).toBe(`see \`${word}\`.`);
      expect(htmlPlain(`see ${word}.`)).toBe(`see <code>${word}</code>.`);
    },
  );

  test.each(['www.', 'WWW...', '(www.)', 'www.?!'])(
    'shows %s as code, because it begins a web address',
    (word) => {
      const core = /www/i.exec(word)![0];
      expect(plainMarkdown(`at ${word}`)).toContain(`\`${core}\``);
      expect(htmlPlain(`at ${word}`)).toContain(`<code>${core}</code>`);
    },
  );

  test.each(['feedface-to-face', 'decade', 'facade', 'effaceable'])(
    'does not mistake %s for a commit id',
    (word) => {
      expect(plainMarkdown(word)).toBe(word === 'feedface-to-face' ? '`feedface-to-face`' : word);
    },
  );

  test.each(runs)('is at most 16 times as long as 100 kB of input (%#)', (text) => {
    for (const out of [htmlCell(text), codeSpan(text), plainMarkdown(text), htmlPlain(text)]) {
      // `\u{200b}` and `<code>@</code> ` are the longest replacements of one character.
      expect(out.length).toBeLessThanOrEqual(16 * text.length + 32);
    }
  });
});
