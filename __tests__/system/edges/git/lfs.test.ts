import { createHash } from 'node:crypto';
import { lfsPointer } from '../../../../src/edges/git/tree.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { createRepository, type FixtureFiles } from '../../../stand-ins/repository.ts';
import { messageOf, using } from './opened-repository.ts';

const DATA = '{"input": {"q": "hi"}, "expected": "hi"}\n'.repeat(3);
const CASES = 'project/data/cases.jsonl';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const pointerTo = (text: string) =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256(text)}\nsize ${text.length}\n`;

/** A repository with a commit that contains a Git LFS pointer. */
function committed(files: FixtureFiles = {}) {
  const repository = createRepository();
  const head = repository.commit('one', {
    [CASES]: pointerTo(DATA),
    'project/small.yaml': 'a: 1',
    ...files,
  });
  const read = () =>
    using(repository.directory, (opened) => opened.text(head, 'data/cases.jsonl', 'project'));
  return { repository, head, read };
}

describe('a Git LFS file', () => {
  test('is read from the work tree if its content matches the pointer', async () => {
    const { repository, read } = committed();
    repository.write({ [CASES]: DATA });
    expect(await read()).toBe(DATA);
  });

  test("is read from the clone's LFS storage if the work tree has a different version", async () => {
    const { repository, read } = committed();
    const id = sha256(DATA);
    repository.write({
      [CASES]: `${DATA} `,
      [`.git/lfs/objects/${id.slice(0, 2)}/${id.slice(2, 4)}/${id}`]: DATA,
    });
    expect(await read()).toBe(DATA);
  });

  test.each([
    ['has the pointer too', {}],
    ['has other bytes of the same length', { [CASES]: DATA.replace('hi', 'ho') }],
    ['links to the right bytes', { 'right.jsonl': DATA, [CASES]: { link: '../../right.jsonl' } }],
    ['has no such file', { [CASES]: null }],
  ])('is named with advice if the work tree %s', async (_what, files) => {
    const { repository, head, read } = committed();
    repository.write(files);
    expect(await messageOf(read())).toBe(
      `data/cases.jsonl: is only a Git LFS pointer at ${head.slice(0, 7)}. The file itself (${DATA.length} bytes, sha256 ${sha256(DATA).slice(0, 12)}) is neither in the working tree nor in the clone's LFS storage: run "git lfs fetch" for that commit and "git lfs checkout" (in a workflow: actions/checkout with lfs: true), or keep the file out of LFS`,
    );
  });

  test('is not read if it exceeds the size limit', async () => {
    const large = pointerTo(DATA).replace(/size \d+/, 'size 999999999');
    const { read } = committed({ [CASES]: large });
    expect(await messageOf(read())).toContain('is larger than the limit of 67108864 bytes');
  });

  test.each([
    ['that talks of them', 'a text about version https://git-lfs.github.com/spec/v1\n'],
    ['without an id', 'version https://git-lfs.github.com/spec/v1\nsize 3\n'],
    ['with half an id', pointerTo(DATA).replace(/:[0-9a-f]{9}/, ':')],
    ['that is too long', `${pointerTo(DATA)}${'#'.repeat(1024)}`],
    ['that is empty', ''],
  ])(
    'is not recognized in text that only resembles an LFS pointer, for example one %s',
    (_which, text) => {
      expect(lfsPointer(Buffer.from(text))).toBeNull();
    },
  );
});

function recorded(content: string) {
  const messages = [{ role: 'user', content }];
  const request = { provider: 'openai', model: 'm', parameters: {}, messages, try: 0 };
  return `${JSON.stringify({ request, reply: { output: 'hi', usage: null } })}\n`;
}

test('a project with files in Git LFS lists each missing file, and runs once all are there', async () => {
  const PROMPT =
    'name: p\nmodel: m\ndefaults: [tests/p]\nvariables: [q]\nmessages: [{ role: user, content: "Say {q}" }]\n';
  const OTHER = PROMPT.replace('name: p', 'name: q');
  const repository = createRepository();
  repository.commit('one', {
    'evaldiff.yaml': 'models: { m: { provider: replay, file: r.jsonl } }\nn_tries: 1\n',
    'prompts/p.yaml': pointerTo(PROMPT),
    'prompts/q.yaml': OTHER,
    'prompts/tests/p.yaml':
      'metrics: [{ name: a, uses: contains }]\nreferences_from: { file: data/cases.jsonl, map: { input: input, expected: expected } }\n',
    'data/cases.jsonl': pointerTo(DATA),
    'r.jsonl': ['Say hi', 'Now say hi'].map(recorded).join(''),
  });
  const evaldiff = async (...argv: string[]) => {
    const { code, out, err } = await commandIn(repository.directory, argv);
    return { code, text: out + err };
  };
  const without = await evaldiff('validate');
  expect(without.code).toBe(2);
  expect(without.text).toMatch(/^.*prompts\/p\.yaml: is only a Git LFS pointer/m);
  expect(without.text).toMatch(/^.*data\/cases\.jsonl: is only a Git LFS pointer/m);
  repository.commit('two', { 'prompts/q.yaml': OTHER.replace('Say', 'Now say') });
  repository.write({ 'prompts/p.yaml': PROMPT, 'data/cases.jsonl': DATA });
  const compared = await evaldiff('diff', '--base', 'HEAD~1', '--head', 'HEAD');
  expect(compared.text).not.toContain('Git LFS');
  expect(compared.text).toContain('6 answers from recordings');
});
