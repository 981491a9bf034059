import { suiteFileMatcher } from '../../../../src/features/agents/suite/rules.ts';

describe("the suite's files in a workspace", () => {
  const file = (text: string) => ({ body: Buffer.from(text) });
  const rules = {
    from: 'shop',
    with: ['tools', 'shared'],
    hide: ['shop/checks', 'tools/secret.txt', 'skills/pdf/evals', 'shop/shared', 'shop/.claude'],
    own: ['shop/evals/notes.yaml'],
    skills: { '.claude/skills/pdf': 'skills/pdf' },
  };
  const seen = { 'checks/in.csv': file('1'), 'src/both.js': file('stub') };
  const whole = { 'checks/in.csv': file('1'), 'src/both.js': file(''), 'shared/own.sh': file('') };
  const isSuiteFile = suiteFileMatcher(rules, {
    seen: new Map(Object.entries(seen)),
    whole: new Map(Object.entries(whole)),
  });

  test.each([
    ['a hidden file', 'checks/run.sh'],
    ['a file that the agent adds to a hidden folder', 'checks/conftest.py'],
    ['a hidden file from another folder', 'tools/secret.txt'],
    ['a hidden file of a skill', '.claude/skills/pdf/evals/evals.json'],
    ['the suite itself', 'evals/notes.yaml'],
    ['a hidden file whose path a visible folder also fills', 'shared/own.sh'],
    ['a file that checks see in another version', 'src/both.js'],
  ])('include %s', (_, path) => {
    expect(isSuiteFile(path)).toBe(true);
  });

  test.each([
    ['a visible file', 'src/app.js'],
    ['a visible file with the path of a hidden one below another folder', 'shop/checks/run.sh'],
    ['a visible file from another folder', 'tools/run.sh'],
    ["a skill's instructions, in a hidden folder", '.claude/skills/pdf/SKILL.md'],
    ['a file of `with` whose path is hidden below `from`', 'shared/x'],
    ["a task's file in a hidden folder", 'checks/in.csv'],
  ])('do not include %s', (_, path) => {
    expect(isSuiteFile(path)).toBe(false);
  });
});
