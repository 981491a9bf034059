import { chooseReferences } from '../../../../src/app/run/choose-references.ts';
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

  test.each([
    ['sample=2', 2, 'sample=2 with seed 0'],
    ['sample=9,7', 3, 'sample=9 with seed 7'],
  ])('draws %s: at most %i, stated in a notice', async (line, count, words) => {
    const { head, notices } = await chosen([line]);
    expect(head).toHaveLength(count);
    expect(notices).toMatchObject([{ message: expect.stringContaining(`(${words})`) }]);
  });

  test('draws the same sample with the same seed on both sides, others with other seeds, and only among the selected', async () => {
    const seeds = Array.from({ length: 20 }, (_, seed) => `sample=1,${seed}`);
    const drawn = await Promise.all(seeds.map(async (line) => chosen([line], '[]')));
    expect(new Set(drawn.map(({ head }) => String(head))).size).toBe(3);
    for (const { base, head } of drawn) expect(base).toEqual(head);
    expect((await chosen(['sample=1,3'])).head).toEqual(drawn[3]?.head);
    expect((await chosen(['sample=5', 'references=refund'])).head).toEqual([
      'refund-1',
      'refund-10',
    ]);
  });

  test.each(['sample=0', 'sample=1.5', 'sample=a', 'sample=1,2,3'])('refuses %s', (line) => {
    expect(readOverrides([line], OWN_SETTINGS).problems).toMatchObject([
      { message: expect.stringContaining('must be the number of references') },
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
