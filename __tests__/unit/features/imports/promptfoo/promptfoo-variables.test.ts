import { canonicalJson } from '../../../../../src/kernel/suite/canonical-json.ts';
import { fill, fillMessage } from '../../../../../src/kernel/suite/template.ts';
import { pdf, png } from '../../../../stand-ins/pictures.ts';
import { read } from '../../../config/tree.ts';

const CONFIG = 'promptfooconfig.yaml';

type Files = Record<string, string | Uint8Array>;

/** A project that reads a configuration with these prompts and tests. */
async function project(prompts: string[], tests: unknown[], files: Files = {}) {
  const found = await read({
    [CONFIG]: JSON.stringify({ prompts, providers: ['openai:gpt-4o'], tests }),
    ...files,
  });
  expect(found.problems).toEqual([]);
  return found;
}

/** The messages sent for each test, by prompt. */
async function sent(prompts: string[], tests: unknown[], files: Files = {}) {
  const { project: found } = await project(prompts, tests, files);
  return found.suites.map(({ prompt, tests: { references } }) =>
    references.map(({ input }) => {
      const made = prompt.made?.get(canonicalJson(input));
      if (made !== undefined)
        return made.ok ? made.messages.map(({ content }) => content) : made.why;
      return prompt.messages.map(({ content }) => fill(content, input));
    }),
  );
}

const TEXT = 'T {{x}}|{{y}}';
const JSON_CHAT = '[{"role": "user", "content": "J {{x}}|{{y}}"}]';

describe("a template in a variable's value", () => {
  // Output of promptfoo 0.123.1 for a text prompt and for a JSON prompt.
  test.each([
    [
      { y: 'abc', x: '{{ y | upper }} and {{y}}' },
      'T ABC and abc|abc',
      'J {{ y | upper }} and abc|abc',
    ],
    [
      { y: '{{user.name}}', x: 'Hi {{user.name}} {{y}}', user: { name: 'Bo' } },
      'T Hi Bo Bo|Bo',
      'J Hi {{user.name}} {{user.name}}|{{user.name}}',
    ],
    [
      { y: 1, x: '{% if y %}yes{% else %}no{% endif %} {{y}}' },
      'T yes 1|1',
      'J {% if y %}yes{% else %}no{% endif %} 1|1',
    ],
    [
      { y: 'two\nlines\n', x: '{{ y | length }}' },
      'T 9|two\nlines',
      'J {{ y | length }}|two\nlines',
    ],
    [
      { y: 'b', x: '{% for c in list %}{{ c }},{% endfor %}', list: [1, 2] },
      'T 1,2,|b',
      'J {% for c in list %}{{ c }},{% endfor %}|b',
    ],
    [{ y: 7, x: '{{ y + 1 }} {{ z + 1 }}' }, 'T 8 NaN|7', 'J {{ y + 1 }} {{ z + 1 }}|7'],
    [
      { y: 'b', x: '{{ y }}{{ y }}{{ y }}{{ y }}{{ y }}{{ y }}{{ y }}' },
      'T bbbbbbb|b',
      'J bbbbb{{ y }}{{ y }}|b',
    ],
    [{ y: null, x: '[{{y}}]' }, 'T [null]|', 'J [null]|'],
    [{ y: 1, x: 'a {# note #} b' }, 'T a  b|1', 'J a {# note #} b|1'],
  ])(
    'is rendered in a text prompt and kept literally in a JSON prompt: %j',
    async (vars, text, json) => {
      expect(await sent([TEXT, JSON_CHAT], [{ vars }])).toEqual([[[text]], [[json]]]);
      expect(await sent([JSON_CHAT], [{ vars }])).toEqual([[[json]]]);
    },
  );

  test.each([
    ['{{ y | upper }} {{nothing}}'],
    ['{% for c in list %}{{ c.n }},{% endfor %}'],
    ['{% if not y %}a{% endif %}'],
    ['not {{ closed'],
    ['x {{nothing}} {{ y }}'],
  ])('is kept literally if it is incomplete or uses unknown names: %s', async (x) => {
    const [[found] = []] = await sent([TEXT], [{ vars: { x, y: 'b', list: [{ n: 1 }] } }]);
    expect(found).toEqual([`T ${x}|b`]);
  });

  test('is rendered only for the model; checks see the unrendered value', async () => {
    const { project: found } = await project(
      [TEXT],
      [
        {
          vars: { y: 'abc', x: '{{ y | upper }} and {{y}}' },
          assert: [
            { type: 'equals', value: '{{x}}' },
            { type: 'javascript', value: 'context.vars.x.length' },
            { type: 'python', value: 'len(context["vars"]["x"])' },
          ],
        },
      ],
    );
    const [equal, script, python] = found.suites[0]?.tests.references[0]?.metrics ?? [];
    expect(equal?.source).toMatchObject({ with: { value: '{{ y | upper }} and abc' } });
    expect(JSON.stringify(script?.source)).toContain('{{ y | upper }} and abc');
    expect(JSON.stringify(python?.source)).toContain('{{ y | upper }} and abc');
  });

  test('with unsupported syntax is reported, and its test is dropped', async () => {
    const { project: found, notices } = await project(
      [TEXT],
      [{ vars: { x: '{{ y | foo }}', y: 1 } }, { vars: { x: 'a', y: 2 } }],
    );
    expect(found.suites[0]?.tests.references.map(({ input }) => input)).toEqual([{ x: 'a', y: 2 }]);
    expect(notices.join('\n')).toContain(
      `${CONFIG}:1: a test is not converted: its variable x is a template, in which the filter foo is not supported`,
    );
  });
});

describe('a prompt with variables', () => {
  test('that renders to a JSON chat is sent as that chat', async () => {
    const chat = '[{"role":"system","content":"S"},{"role":"user","content":"U"}]';
    expect(await sent(['{{x}}'], [{ vars: { x: chat } }, { vars: { x: 'plain' } }])).toEqual([
      [['S', 'U'], ['plain']],
    ]);
    const turns = [{ role: 'user', content: 'one' }];
    expect(await sent(['{{ turns | dump }}'], [{ vars: { turns } }])).toEqual([[['one']]]);
  });

  test('with unclosed braces is sent literally', async () => {
    expect(await sent(['cut {{x}} {{ open'], [{ vars: { x: 1 } }])).toEqual([
      [['cut {{x}} {{ open']],
    ]);
  });

  test('is dropped if it shows earlier answers of the run', async () => {
    const { notices } = await project(
      ['{% for turn in _conversation %}{{ turn.output }}{% endfor %}{{x}}', TEXT],
      [{ vars: { x: 1, y: 2 } }],
    );
    expect(notices.join('\n')).toContain(
      "a prompt is not converted: _conversation contains a run's earlier answers",
    );
  });
});

describe("a file as a variable's value", () => {
  const FILES = {
    'd/a.txt': 'text {{y}}\n',
    'd/b.json': '{"k": 1}',
    'd/m.yaml': '- 1\n',
    'd/n.yaml': 'b: 2\n',
    'd/z.txt': 'second',
  };
  const shown = async (x: unknown): Promise<unknown> =>
    (await sent(['{{x}}!'], [{ vars: { x, y: 1 } }], FILES))[0]?.flat();

  test.each([
    [
      'in a list of texts',
      ['file://d/a.txt', 'plain', 'file://d/b.json'],
      ['text 1!', 'plain!', '{"k": 1}!'],
    ],
    ['by a pattern of texts', 'file://d/*.txt', ['text 1!', 'second!']],
    ['by a pattern of YAML', 'file://d/*.yaml', ['[1]!', '{"b":2}!']],
    ['by its name', 'file://./d/a.txt', ['text 1!']],
  ])('is read: %s', async (_, written, wanted) => {
    expect(await shown(written)).toEqual(wanted);
  });

  test('is not read from a list if variable expansion is disabled', async () => {
    const tests = [
      { vars: { x: ['file://d/a.txt'], y: 1 }, options: { disableVarExpansion: true } },
    ];
    expect((await sent(['{{x}}!'], tests, FILES))[0]?.flat()).toEqual(['["file://d/a.txt"]!']);
  });

  test('that sets several variables applies to every test, and later files override earlier ones', async () => {
    const tests = [{ vars: ['v/*.yaml', 'w.yaml'] }];
    const files = { 'v/a.yaml': 'x: 1\ny: 1\n', 'v/b.yaml': 'y: 2\n', 'w.yaml': 'z: 3\n' };
    expect((await sent(['{{x}}{{y}}{{z}}'], tests, files))[0]?.flat()).toEqual(['123']);
  });

  test('is found relative to the test file that names it', async () => {
    const files = {
      'cases/t.yaml': '- { vars: v.yaml }\n',
      'cases/v.yaml': 'x: beside\n',
      'v.yaml': 'x: root\n',
    };
    expect((await sent(['{{x}}'], ['cases/t.yaml'], files))[0]?.flat()).toEqual(['beside']);
  });

  test.each([
    ['a.pdf', 'x', 'is not plain text'],
    ['a.PNG', 'x', 'is not plain text'],
    ['a.mp3', 'x', 'is not plain text'],
    ['a.bin', 'a\0b', 'is not plain text'],
    ['a.py', 'x', 'comes from code, which does not run'],
  ])('that is not text is reported, and its test is dropped: %s', async (name, content, why) => {
    const { project: found, notices } = await project(
      [TEXT],
      [{ vars: { x: `file://${name}`, y: 1 } }, { vars: { x: 'b', y: 2 } }],
      { [name]: content },
    );
    expect(found.suites[0]?.tests.references.map(({ input }) => input)).toEqual([{ x: 'b', y: 2 }]);
    expect(notices.join('\n')).toMatch(
      new RegExp(`a test is not converted: its variable x .*${why}`),
    );
  });
});

describe('images and files in chat messages', () => {
  const chat = (...parts: unknown[]) =>
    JSON.stringify([{ role: 'user', content: [{ type: 'text', text: 'A {{x}}?' }, ...parts] }]);
  const FILES = { 'photos/cat.png': png(), 'rules.pdf': pdf('Cats only') };
  const vars = { x: 'cat', photo: 'file://photos/cat.png', rules: 'file://./rules.pdf' };
  const data = (type: string, name: string) => `data:${type};base64,{{${name}}}`;

  test.each([
    [
      'of chat completions',
      { type: 'image_url', image_url: { url: data('image/png', 'photo') } },
      { type: 'file', file: { filename: 'r', file_data: data('application/pdf', 'rules') } },
    ],
    [
      'of the Responses API',
      { type: 'input_image', image_url: '{{photo}}' },
      { type: 'input_file', filename: 'r', file_data: data('application/pdf', 'rules') },
    ],
    [
      'of Anthropic',
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '{{photo}}' } },
      { type: 'document', source: { type: 'base64', data: '{{rules}}' } },
    ],
  ])('are read in the format %s', async (_, image, file) => {
    const { project: found } = await project([chat(image, file)], [{ vars }], FILES);
    const [suite] = found.suites;
    const [reference] = suite?.tests.references ?? [];
    const [message] = suite?.prompt.messages ?? [];
    if (reference === undefined || message === undefined) throw new Error('nothing is read');
    expect(reference.problem).toBeNull();
    expect(fillMessage(message, reference)).toMatchObject({
      role: 'user',
      parts: [
        { type: 'text', text: 'A cat?' },
        { type: 'image', path: 'photos/cat.png', media_type: 'image/png' },
        { type: 'file', path: 'rules.pdf', media_type: 'application/pdf' },
      ],
    });
  });

  test.each([
    [
      { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
      'contains an image as data or as a URL; put it into a file of the repository',
    ],
    [{ type: 'input_audio', input_audio: { data: '{{x}}' } }, 'more than text, images and PDFs'],
    [
      { type: 'image_url', image_url: { url: '{{ photo | trim }}' } },
      'a prompt with images or files supports only variables',
    ],
  ])('are dropped with the reason: %j', async (part, why) => {
    const { notices } = await read({
      [CONFIG]: JSON.stringify({
        prompts: [chat(part)],
        providers: ['openai:gpt-4o'],
        tests: [{ vars: { x: 'a' } }],
      }),
    });
    expect(notices.join('\n')).toContain(why);
  });
});

describe('a CSV or JSON Lines file converted from Windows-1252', () => {
  test('keeps its control characters U+0080 to U+009F', async () => {
    const tests = ['t.csv', 't.jsonl'];
    const files = {
      't.csv': 'x,y,__expected\na \u0096 b,1,contains: a\n',
      't.jsonl': '{"vars": {"x": "c \u0092", "y": 2}}\n',
    };
    expect((await sent(['{{x}}'], tests, files))[0]?.flat()).toEqual(['a \u0096 b', 'c \u0092']);
  });
});
