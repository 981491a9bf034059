import { chooseReferences } from '../../../../src/app/run/choose.ts';
import { readOverrides } from '../../../../src/config/overrides.ts';
import { OWN_SETTINGS } from '../../../stand-ins/features.ts';
import { read } from '../../config/tree.ts';

const FILES = (tags = '[critical]') => ({
  'prompts/p.yaml':
    'name: p\nmodel: gpt-4o\nvariables: [{ name: q }]\nprompt: "{q}"\ndefaults: [tests/p]\n',
  'prompts/tests/p.yaml': [
    'metrics: [{ uses: is_json }]',
    'references:',
    `  - { id: refund-1, input: { q: "A jacket, six weeks old" }, tags: ${tags} }`,
    '  - { id: refund-10, input: { q: "A scarf" } }',
    '  - { id: carrier, input: { q: "Who brings it?" }, tags: [slow] }',
    '',
  ].join('\n'),
});

async function chosen(lines: string[], baseTags?: string) {
  const { overrides } = readOverrides(lines, OWN_SETTINGS);
  const head = (await read(FILES())).project;
  const base = baseTags === undefined ? null : (await read(FILES(baseTags))).project;
  const found = chooseReferences(base, head, overrides);
  const ids = (project: typeof head | null) =>
    project?.suites.flatMap(({ tests }) => tests.references.map(({ id }) => id)) ?? null;
  return { ...found, base: ids(found.base), head: ids(found.head) };
}

describe('an override that selects references', () => {
  test.each([
    [
      'by an id, which has priority over ids that contain it',
      ['references=refund-1'],
      ['refund-1'],
    ],
    ['by a part of an id', ['references=refund'], ['refund-1', 'refund-10']],
    ['by a pattern', ['references=*-10,c?rrier'], ['refund-10', 'carrier']],
    ['by words of the input', ['references=six weeks'], ['refund-1']],
    ['by a tag', ['tags=crit*'], ['refund-1']],
    ['by both at once', ['references=refund', 'tags=critical,slow'], ['refund-1']],
  ])('selects %s', async (_, lines, ids) => {
    const { head, problems } = await chosen(lines);
    expect([head, problems]).toEqual([ids, []]);
  });

  test('causes a notice that the other references were not judged', async () => {
    expect((await chosen(['references=refund'])).notices).toMatchObject([
      { message: 'only 2 references of 3 chosen (references=refund): the others were not judged' },
    ]);
  });

  test('selects a reference on both sides if it matches on one side, because an added tag would otherwise look like a deletion', async () => {
    const { base, head } = await chosen(['tags=critical'], '[]');
    expect([base, head]).toEqual([['refund-1'], ['refund-1']]);
  });

  test.each([
    [['references=refnd-1'], 'overrides: no reference matches "refnd-1"; did you mean "refund-1"?'],
    [['tags=crit'], null],
    [['tags=fast'], 'overrides: no tag matches "fast"; known are critical, slow'],
    [
      ['references=carrier', 'tags=critical'],
      'overrides: no reference matches both references= and tags=',
    ],
  ])('is an error if it matches nothing: %j', async (lines, message) => {
    expect((await chosen(lines)).problems.map((problem) => problem.message)).toEqual(
      message === null ? [] : [message],
    );
  });
});
