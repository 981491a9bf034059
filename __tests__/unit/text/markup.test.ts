import { describe, expect, test } from '@jest/globals';
import { joined, markup, trusted, written, type MarkupPart } from '../../../src/text/markup.ts';
import { elementsOfFragment, textOf } from '../../stand-ins/elements.ts';
import { hostileTexts } from '../../stand-ins/hostile-text.ts';

const shown = (part: MarkupPart): string => written(markup`<p title="${part}">${part}</p>`);

describe('the markup tag', () => {
  test.each(Object.entries(hostileTexts))('keeps %s as text', (_what, text) => {
    for (const html of [shown(text), shown([text]), shown(joined([text, text], ', '))]) {
      const [paragraph, ...others] = elementsOfFragment(html);
      expect(others).toEqual([]);
      expect(paragraph?.attrs).toEqual([{ name: 'title', value: textOf(paragraph!) }]);
    }
  });

  test.each<[string, MarkupPart, string]>([
    ['a number', 3, '3'],
    ['nothing', [null, []], ''],
    ['markup', markup`<b>${'<'}</b>`, '<b>&lt;</b>'],
    ['trusted HTML', trusted('<br>'), '<br>'],
    ['a list', ['a', markup`<br>`, [1, 2]], 'a<br>12'],
    ['parsed JSON in the shape of markup', JSON.stringify(trusted('<br>')), '{}'],
  ])('writes %s', (_what, part, html) => {
    expect(written(markup`${part}`)).toBe(html);
  });

  test('leaves out the layout of a template, but no line break of a text', () => {
    const html = markup`
      <p>
        a ${'b\n  c'}
      </p>`;
    expect(written(html)).toBe('<p>a b\n  c</p>');
  });
});
