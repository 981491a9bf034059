import { contextIn } from '../../../../src/features/agents/context.ts';
import type { AgentName } from '../../../../src/features/agents/suite/spec.ts';
import { WORKSPACE } from '../../../stand-ins/agents/facts.ts';
import { treeOf } from '../../config/tree.ts';

const SKILL = '---\nname: notes\ndescription: Writes notes\n---\n' + 'Long body. '.repeat(100);
const LONG = 'Keep one idea per line. '.repeat(100);

function contextWith(
  agent: AgentName,
  files: Record<string, string>,
  links: Record<string, string> = {},
  rules: { from?: string; skills?: Record<string, string> } = {},
) {
  const irregular = Object.keys(links).map((path) => [path, 'symbolic link']);
  const tree = {
    ...treeOf(files, Object.fromEntries(irregular)),
    readLink: (path: string) => Promise.resolve(links[path] ?? ''),
  };
  return contextIn(tree, { agent, workspace: { ...WORKSPACE, ...rules } });
}

describe('the context that an agent always loads', () => {
  test('contains only the front matter of its skills', async () => {
    const files = { 'CLAUDE.md': 'Be brief.', '.claude/skills/notes/SKILL.md': SKILL };
    const { tokens } = await contextWith('claude-code', files);
    const alone = await contextWith('claude-code', { 'CLAUDE.md': 'Be brief.' });
    expect(tokens).toBeGreaterThan(alone.tokens);
    expect(tokens).toBeLessThan(30);
  });

  const chain = (length: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length }, (_, i) => [`d${i}.md`, `@d${i + 1}.md`]));

  type Case = [
    what: string,
    agent: AgentName,
    files: Record<string, string>,
    loaded: string[],
    links?: Record<string, string>,
  ];

  test.each<Case>([
    [
      'its own',
      'claude-code',
      {
        'CLAUDE.md': 'a',
        '.claude/rules/b.md': 'b',
        'docs/CLAUDE.md': 'c',
        'README.md': 'd',
        'skills/x/SKILL.md': SKILL,
      },
      ['CLAUDE.md', '.claude/rules/b.md'],
    ],
    ['a link', 'claude-code', { 'AGENTS.md': LONG }, ['AGENTS.md'], { 'CLAUDE.md': 'AGENTS.md' }],
    [
      'a link to a link in a folder',
      'codex',
      { 'docs/rules.md': LONG },
      ['docs/rules.md'],
      { 'AGENTS.md': './docs/all.md', 'docs/all.md': 'rules.md' },
    ],
    [
      'a linked folder of skills',
      'claude-code',
      { 'skills/notes/SKILL.md': SKILL },
      ['skills/notes/SKILL.md'],
      { '.claude/skills': '../skills' },
    ],
    [
      'two names of one file',
      'copilot',
      { 'AGENTS.md': LONG },
      ['AGENTS.md'],
      { 'CLAUDE.md': 'AGENTS.md', 'GEMINI.md': 'CLAUDE.md' },
    ],
    [
      'no link to what setup writes',
      'claude-code',
      { 'a.md': LONG },
      [],
      { 'CLAUDE.md': 'made.md' },
    ],
    [
      'no cycle of links',
      'claude-code',
      { 'a.md': LONG },
      [],
      { 'CLAUDE.md': 'b.md', 'b.md': 'CLAUDE.md' },
    ],
    [
      'an import',
      'claude-code',
      {
        'CLAUDE.md': 'Rules: @AGENTS.md and @./docs/a.md\n',
        'AGENTS.md': LONG,
        'docs/a.md': '@b.md',
        'docs/b.md': '@../CLAUDE.md',
      },
      ['CLAUDE.md', 'AGENTS.md', 'docs/a.md', 'docs/b.md'],
    ],
    [
      'an import of gemini-cli',
      'gemini-cli',
      { 'GEMINI.md': '@./AGENTS.md', 'AGENTS.md': LONG },
      ['GEMINI.md', 'AGENTS.md'],
    ],
    [
      'no import in code, of names or by other CLIs',
      'claude-code',
      { 'CLAUDE.md': 'Ask @ada. Use `@a.md`.\n```\n@a.md\n```\n', 'a.md': LONG },
      ['CLAUDE.md'],
    ],
    [
      'no import by a CLI without them',
      'codex',
      { 'AGENTS.md': '@a.md', 'a.md': LONG },
      ['AGENTS.md'],
    ],
    [
      'no import that ends a sentence',
      'claude-code',
      { 'CLAUDE.md': 'Read @a.md.', 'a.md': LONG },
      ['CLAUDE.md'],
    ],
    [
      'five levels of imports',
      'claude-code',
      { 'CLAUDE.md': '@d0.md', ...chain(8) },
      ['CLAUDE.md', 'd0.md', 'd1.md', 'd2.md', 'd3.md', 'd4.md'],
    ],
  ])('includes %s', async (_, agent, files, loaded, links = {}) => {
    const context = await contextWith(agent, files, links);
    expect(context.files.sort()).toEqual(loaded.sort());
    expect(context.tokens > 100).toBe(loaded.some((path) => files[path] === LONG));
  });

  test('follows links inside the folder that becomes the workspace', async () => {
    const files = { 'shop/AGENTS.md': LONG, 'AGENTS.md': 'Be brief.' };
    const links = { 'shop/CLAUDE.md': 'AGENTS.md' };
    const { files: loaded } = await contextWith('claude-code', files, links, { from: 'shop' });
    expect(loaded).toEqual(['shop/AGENTS.md']);
  });
});
