import type { Result } from '../../../../src/kernel/result/result.ts';
import type { FixtureFiles } from '../../../stand-ins/repository.ts';
import { agentDiffs, editedRepository, PROJECT, SUITE } from './diff-setting.ts';

const BEFORE = `# Rules

Write short sentences.
Use the present tense.
Name the feature first.
When you write a file, end with GOOD.
Avoid abbreviations.
Keep one idea per line.
Do not use emoji.
Leave out marketing words.
`;

const AFTER = `# Rules

Write short, plain sentences.
Use the present tense throughout.
Name the feature in the first line.
When you write a file, end with a line break.
Avoid abbreviations and acronyms.
Keep one idea per line of text.
Do not use emoji or symbols.
Leave out all marketing words.
`;

/** Every command needs a sandbox of its own, so the last line is read from the file. */
const CHECKED = SUITE.replace(
  'uses: runs, with: { run: sh checks/ends.sh }',
  'uses: files, with: { contains: { NOTES.md: GOOD } }',
);

const run = agentDiffs();

async function diff(changed: FixtureFiles, args: readonly string[] = [], suite = CHECKED) {
  const base = { ...PROJECT, 'AGENTS.md': BEFORE, 'evals/notes.yaml': suite };
  const done = await run(editedRepository(base, changed).directory, { args });
  return { ...done, searched: searchIn(done.result) };
}

const searchIn = ({ causes: [first] = [] }: Result) => first ?? { causes: [], explained: null };

describe('the search for causes in an agent suite', () => {
  test('names the one of eight changed lines that broke a metric, although another fails on both sides', async () => {
    const absent =
      '    - { name: absent, uses: files, with: { exist: [missing.md] } }\n  references:';
    const { code, out, comment, searched } = await diff(
      { 'AGENTS.md': AFTER, LICENSE: 'A new file, which the agent does not read.\n' },
      [],
      CHECKED.replace('  references:', absent),
    );
    expect(code).toBe(1);
    expect(out).toContain('Judged by ends alone.');
    const line = {
      ...{ kind: 'line', file: 'AGENTS.md', lines: { from: 6, to: 6 } },
      base_text: 'When you write a file, end with GOOD.',
    };
    expect(searched).toMatchObject({
      causes: [{ relation: 'alone', units: [line] }],
      explained: { status: 'found', units: 9, unexplained: [], metrics: ['ends'] },
    });
    expect(comment).toContain('AGENTS.md:6');
    expect(comment).toContain('revert line 6 of `AGENTS.md`');
    // The comment shows both sides of the worst task.
    expect(comment).toMatch(/Write the notes for the \w+ feature\..*Last words.*Done: NOTES\.md/s);
  });

  test('proposes a fix that restores the line, and tests it in a new run', async () => {
    const { searched } = await diff(
      { 'AGENTS.md': BEFORE.replace('end with GOOD.', 'end with a line break.') },
      ['explain.fix=true', 'explain.max_calls=200'],
    );
    expect(searched.causes[0]).toMatchObject({
      relation: 'only-change',
      fix: {
        kind: 'set back',
        file: 'AGENTS.md',
        lines: { from: 6, to: 6 },
        replaced: 'When you write a file, end with a line break.',
        replacement: 'When you write a file, end with GOOD.',
        restores: { references: 3, of: 3 },
      },
    });
  });

  test('stops once explain.max_calls is reached, and the report says so', async () => {
    const { searched } = await diff({ 'AGENTS.md': AFTER }, ['explain.max_calls=5']);
    expect(searched).toMatchObject({
      causes: [],
      explained: { status: 'not-settled', reason: 'explain.max_calls is reached', calls: 6 },
    });
  });
});
