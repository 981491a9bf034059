import {
  joinMarkup,
  markup,
  trustedHtml,
  markupText,
  type MarkupPart,
} from '../../../src/text/markup.ts';
import { elementsOfFragment, textOf } from '../../stand-ins/elements.ts';
import { hostileTexts } from '../../stand-ins/hostile-text.ts';

const shown = (part: MarkupPart) => markupText(markup`<p title="${part}">${part}</p>`);

describe('markup tag', () => {
  test.each(Object.entries(hostileTexts))('keeps %s as text', (_what, text) => {
    for (const html of [shown(text), shown([text]), shown(joinMarkup([text, text], ', '))]) {
      const [paragraph, ...others] = elementsOfFragment(html);
      expect(others).toEqual([]);
      expect(paragraph?.attrs).toEqual([{ name: 'title', value: textOf(paragraph!) }]);
    }
  });

  test.each<[string, MarkupPart, string]>([
    ['a number', 3, '3'],
    ['nothing', [null, []], ''],
    ['markup', markup`<b>${'<'}</b>`, '<b>&lt;</b>'],
    ['trusted HTML', trustedHtml('<br>'), '<br>'],
    ['a list', ['a', markup`<br>`, [1, 2]], 'a<br>12'],
    ['parsed JSON in the shape of markup', JSON.stringify(trustedHtml('<br>')), '{}'],
  ])('writes %s', (_what, part, html) => {
    expect(markupText(markup`${part}`)).toBe(html);
  });

  test('removes the indentation of a template but keeps line breaks of inserted text', () => {
    const html = markup`
      <p>
        a ${'b\n  c'}
      </p>`;
    expect(markupText(html)).toBe('<p>a b\n  c</p>');
  });
});
