import { createGeneration } from '../../../src/kernel/select/generation.ts';
import type { Suite } from '../../../src/kernel/suite/suite.ts';
import { MAX_FILE_BYTES, mediaTypeOf } from '../../../src/types/media.ts';
import { pdf, png } from '../../stand-ins/pictures.ts';
import { problemsOf, read, suiteOf } from './tree.ts';

const PROMPT = `defaults: [tests/p]
name: p
model: gpt-4o
variables: [photo, word]
messages:
  - role: user
    content:
      - text: "Is this a {word}?"
      - image: "{photo}"
      - file: ../docs/rules.pdf
`;
const TESTS = `metrics: [{ name: exact, uses: exact_match }]
references:
  - input: { photo: photos/cat.png, word: cat }
    expected: yes
`;
const FILES = {
  'prompts/p.yaml': PROMPT,
  'prompts/tests/p.yaml': TESTS,
  'photos/cat.png': png(),
  'docs/rules.pdf': pdf('Cats only'),
};

function questionIn({ prompt, tests: { references } }: Suite) {
  const [reference] = references;
  if (reference === undefined) throw new Error('no reference');
  const target = { provider: 'openai', endpoint: null, model: 'gpt-4o' } as const;
  return createGeneration(prompt, { model: 'gpt-4o', parameters: {}, target }, reference);
}

describe('messages with parts', () => {
  test('find files relative to the prompt, to the reference or to the root', async () => {
    const found = questionIn(await suiteOf(FILES));
    if (found.kind !== 'request') throw new Error('not a request');
    expect(found.messages[0]?.parts).toMatchObject([
      { type: 'text', text: 'Is this a cat?' },
      { type: 'image', path: 'photos/cat.png', media_type: 'image/png', bytes: png().length },
      { type: 'file', path: 'docs/rules.pdf', media_type: 'application/pdf' },
    ]);
    expect(found.messages[0]?.content).toMatch(
      /^Is this a cat\?\n\[image photos\/cat\.png \w{7}, \d+ bytes\]\n\[file docs\/rules\.pdf \w{7}, /,
    );
  });

  test("change the request if a file's content changes", async () => {
    const same = await suiteOf(FILES);
    const other = await suiteOf({ ...FILES, 'photos/cat.png': png(2) });
    const rules = await suiteOf({ ...FILES, 'docs/rules.pdf': pdf('Dogs, too') });
    const prints = [same, other, rules].map((suite) => {
      const found = questionIn(suite);
      return found.kind === 'impossible' ? '' : found.fingerprint;
    });
    expect(new Set(prints).size).toBe(3);
    expect(same.prompt.messages[0]?.content).not.toBe(rules.prompt.messages[0]?.content);
  });

  test('are plain text if all their parts are text', async () => {
    const { prompt } = await suiteOf({
      ...FILES,
      'prompts/p.yaml': PROMPT.replace('image: "{photo}"', 'text: "{photo}"').replace(
        'file: ../docs/rules.pdf',
        'text: Answer yes or no.',
      ),
    });
    expect(prompt.messages).toMatchObject([
      { content: 'Is this a {word}?\n{photo}\nAnswer yes or no.' },
    ]);
    expect(prompt.messages[0]).not.toHaveProperty('parts');
  });

  const inPrompt = (part: string) => ({
    ...FILES,
    'prompts/p.yaml': PROMPT.replace('file: ../docs/rules.pdf', part),
  });
  const inTests = (photo: string) => ({
    ...FILES,
    'prompts/tests/p.yaml': TESTS.replace('photos/cat.png', photo),
  });

  test.each([
    ['a missing file', 'file: none.pdf', 'file: prompts/none.pdf does not exist at abc1234'],
    [
      'an image given as a file',
      'file: ../photos/cat.png',
      'file: photos/cat.png is not a PDF; write { image: … } for an image',
    ],
    [
      'a PDF given as an image',
      'image: ../docs/rules.pdf',
      'image: docs/rules.pdf is not a PNG, JPEG, GIF or WebP image; write { file: … } for a PDF',
    ],
    [
      'a text file given as a PDF',
      'file: p.yaml',
      'file: prompts/p.yaml is not a PDF; put its text into a { text: … }',
    ],
    ['a file above the root', 'file: ../../x.pdf', 'file: ../../x.pdf is outside the repository'],
    [
      'a URL',
      'image: "https://example.com/cat.png"',
      'image: https://example.com/cat.png must be a relative path like photos/cat.png',
    ],
  ])('with %s are rejected at their line', async (_, part, message) => {
    const [found = '', ...more] = await problemsOf(inPrompt(part));
    expect(found).toContain(`prompts/p.yaml:10: messages[0].content[2].${message}`);
    expect(more).toEqual([]);
  });

  test('with a file over 20 MB are rejected', async () => {
    const large = new Uint8Array(MAX_FILE_BYTES + 1);
    large.set(png());
    const [found] = await problemsOf({ ...inPrompt('image: ../large.png'), 'large.png': large });
    expect(found).toContain('is 20000001 bytes; the limit is 20000000; show a smaller one');
  });

  test.each([
    ['none.png', 'image: prompts/tests/none.png does not exist at abc1234 (input of {photo})'],
    ['../../../cat.png', 'image: ../../../cat.png is outside the repository (input of {photo})'],
  ])('are an error of their reference if it names the file %s', async (photo, message) => {
    const { project, problems } = await read(inTests(photo));
    expect(problems).toEqual([]);
    const problem = project.suites[0]?.tests.references[0]?.problem ?? '';
    expect(problem).toBe(message);
  });

  test.each([
    ['a part of two kinds', '{ text: a, image: b }', 'must be one of { text: … }, { image: path }'],
    ['an unknown part', '{ img: cat.png }', 'unknown key "img" in messages[0].content[2]'],
  ])('with %s are rejected', async (_, part, message) => {
    const prompt = PROMPT.replace('- file: ../docs/rules.pdf', `- ${part}`);
    const problems = await problemsOf({ ...FILES, 'prompts/p.yaml': prompt });
    expect(problems.join('\n')).toContain(message);
  });

  test('with files must have the user role', async () => {
    const problems = await problemsOf({
      ...FILES,
      'prompts/p.yaml': PROMPT.replace('role: user', 'role: system'),
    });
    expect(problems.join('\n')).toContain(
      'messages[0].content: only user messages may contain images and files',
    );
  });

  test('with an undeclared variable in a path are rejected', async () => {
    const problems = await problemsOf(inPrompt('image: "{foto}"'));
    expect(problems.join('\n')).toContain('{foto} is not in variables');
  });
});

test('the media type of a file is detected from its first bytes', () => {
  const start = (text: string) => Buffer.from(text, 'latin1');
  expect(
    ['\xff\xd8\xff\xe0', 'GIF89a', 'RIFF\0\0\0\0WEBP', '%PDF-1.7', 'BM', ''].map((text) =>
      mediaTypeOf(start(text)),
    ),
  ).toEqual(['image/jpeg', 'image/gif', 'image/webp', 'application/pdf', null, null]);
});
