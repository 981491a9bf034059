import { describe, expect, test } from '@jest/globals';
import { suiteFileMatcher } from '../../../../src/features/agents/suite/rules.ts';

describe("the suite's files in a workspace", () => {
  const isSuiteFile = suiteFileMatcher({
    from: 'shop',
    with: ['tools'],
    hide: ['shop/checks', 'tools/secret.txt', 'skills/pdf/evals'],
    own: ['shop/evals/notes.yaml'],
    skills: { '.claude/skills/pdf': 'skills/pdf' },
  });

  test.each([
    ['a hidden file', 'checks/run.sh'],
    ['a file that the agent adds to a hidden folder', 'checks/conftest.py'],
    ['a hidden file from another folder', 'tools/secret.txt'],
    ['a hidden file of a skill', '.claude/skills/pdf/evals/evals.json'],
    ['the suite itself', 'evals/notes.yaml'],
  ])('include %s', (_, path) => {
    expect(isSuiteFile(path)).toBe(true);
  });

  test.each([
    ['a visible file', 'src/app.js'],
    ['a visible file with the path of a hidden one below another folder', 'shop/checks/run.sh'],
    ['a visible file from another folder', 'tools/run.sh'],
    ["a skill's instructions", '.claude/skills/pdf/SKILL.md'],
  ])('do not include %s', (_, path) => {
    expect(isSuiteFile(path)).toBe(false);
  });
});
