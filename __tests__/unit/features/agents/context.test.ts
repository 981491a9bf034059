import { describe, expect, test } from '@jest/globals';
import { contextMatcher, contextTokens } from '../../../../src/features/agents/context.ts';
import { agentRow } from '../../../../src/features/agents/rows/index.ts';

const SKILL = '---\nname: notes\ndescription: Writes notes\n---\n' + 'Long body. '.repeat(100);
const row = agentRow('claude-code');

describe('the context that an agent always loads', () => {
  test('consists of its instruction files and the front matter of its skills', () => {
    const files = new Map([
      ['CLAUDE.md', 'Be brief.'],
      ['.claude/skills/notes/SKILL.md', SKILL],
    ]);
    const tokens = contextTokens(row, files);
    expect(tokens).toBeGreaterThan(contextTokens(row, new Map([['CLAUDE.md', 'Be brief.']])));
    expect(tokens).toBeLessThan(30);
  });

  test.each([
    ['CLAUDE.md', true],
    ['.claude/rules/style.md', true],
    ['.claude/skills/notes/SKILL.md', true],
    ['skills/notes/SKILL.md', false],
    ['docs/CLAUDE.md', false],
    ['README.md', false],
  ])('includes %s: %s', (path, expected) => {
    expect(contextMatcher(row)(path)).toBe(expected);
  });
});
