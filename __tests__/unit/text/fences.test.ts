import { codeBlocks, codeIn } from '../../../src/text/fences.ts';
import fc, { anyCharacter, forAll } from '../../fuzz.ts';

describe('code block', () => {
  test.each([
    ['```json\n{"md": "use ```js blocks"}\n```', '{"md": "use ```js blocks"}'],
    ['```python\ns = "```"\n```', 's = "```"'],
    ['```python\ndef f():\n    """\n    ```\n    """\n```', 'def f():\n    """\n    ```\n    """'],
    ['````json\n"a\n```\nb"\n````', '"a\n```\nb"'],
    ['```\na\n`````', 'a'], // a longer fence closes the block
    ['```\na\n``` b\n```', 'a\n``` b'], // a closing fence has nothing after it
    ['~~~\na\n```\n~~~', 'a\n```'],
    ['~~~ `x`\na\n~~~', 'a'],
    ['```\na\n\nb', 'a\n\nb'], // an unclosed block extends to the end
    ['```\r\na\r\n```\r\n', 'a'],
    ['``` JSON\na\n```  ', 'a'],
    ['  ```\n  a\n   b\n  ```', 'a\n b'],
    ['1. First:\n\n    ```\n    a\n    ```', 'a'],
    ['- ```\n  a\n  ```', 'a'],
    ['> ```\n> a\n> ```', 'a'],
    ['> ```\n> a\nb', 'a'], // the end of the quote closes the block
    ['```\na\n> ```\n- ```\n```', 'a\n> ```\n- ```'],
    ['```\n```', ''],
  ])('in %j contains %j', (text, content) => expect(codeIn(text, [])).toBe(content));

  test.each(['', 'a', '``\na\n``', 'Use ``` here', '```a``` b\nc', 'Sure: ~~~ a'])(
    'is not found in %j',
    (text) => expect(codeBlocks(text)).toEqual([]),
  );

  test('is chosen by language: first a wanted one, then a block without a language, then the first block', () => {
    const block = (language: string) => `\`\`\`${language}\n${language}!\n\`\`\`\n`;
    expect(codeIn(block('bash') + block('json') + block('json'), ['json'])).toBe('json!');
    expect(codeIn(block('bash') + block('') + block('js'), ['json'])).toBe('!');
    expect(codeIn(block('bash') + block('js'), ['json'])).toBe('bash!');
  });

  test('records whether it is at the beginning or the end of the text', () => {
    expect(codeBlocks('\n```\na\n```\nb\n```\nc\n```\n\n')).toMatchObject([
      { begins: true, ends: false },
      { begins: false, ends: true },
    ]);
  });

  test('keeps its whole content if no line in it closes the fence', () => {
    const line = fc.string({ unit: anyCharacter }).map((text) => text.replace(/[\r\n`]/g, ''));
    forAll([fc.array(line, { minLength: 1 })], (lines) => {
      const content = lines.join('\n');
      expect(codeIn(`Here:\n\`\`\`\n${content}\n\`\`\`\nDone.`, [])).toBe(content);
    });
  });
});
