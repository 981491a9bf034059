import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  withAgentKeys,
  withCommands,
  withConversationKeys,
  withFormats,
  withGate,
} from '../../scripts/reference-docs.ts';
import { renderCodes, withRules } from '../../scripts/verdict-docs.ts';
import { RUN_RULES } from '../../src/kernel/judge/run-rules.ts';
import { COMPARED_RULES } from '../../src/kernel/judge/suite-rules.ts';
import { runOutcomeSchema } from '../../src/kernel/result/outcome.ts';
import { reasonSchema } from '../../src/kernel/result/reason.ts';
import { commandIn } from '../stand-ins/command-line.ts';
import { tightTables } from '../tight-tables.ts';
import { ROOT } from './source-graph.ts';

const page = readFileSync(join(ROOT, 'docs', 'statistics.md'), 'utf8');

test('docs/statistics.md matches the rules in the code (if not, run npm run generate)', () => {
  expect(tightTables(page)).toBe(tightTables(withRules(page)));
  expect(tightTables(page)).toMatch(new RegExp(`\\| ${COMPARED_RULES.length} \\|.*\`unsettled\``));
  expect(tightTables(page)).toMatch(new RegExp(`\\| ${RUN_RULES.length} \\|.*\`no-regression\``));
});

test('a page without the markers of its generated part is an error that names the markers', () => {
  expect(() => withRules('# Verdicts')).toThrow('lacks the lines <!-- rules: ');
});

const CODES = [
  ...COMPARED_RULES.map(({ by }) => by),
  ...runOutcomeSchema.options.map(({ shape }) => shape.kind.value),
  ...reasonSchema.options.map(({ shape }) => shape.code.value),
];

describe('docs/codes.md', () => {
  const codes = readFileSync(join(ROOT, 'docs', 'codes.md'), 'utf8');

  test('matches the codes in the code (if not, run npm run generate)', () => {
    expect(codes).toBe(renderCodes());
  });

  test('has one anchor and a next step for each code of a verdict', () => {
    const found = [...codes.matchAll(/^## `(\S+)`\n\n\S.*\S\. \S.* \[More\]\(\S+\)$/gm)];
    expect(found.map(([, code]) => code)).toEqual([...new Set<string>(CODES)].sort());
  });

  test('has the paragraph that evaldiff explain prints', async () => {
    for (const asked of ['not-judged', 'Not judged']) {
      const { code, out } = await commandIn(ROOT, ['explain', asked]);
      const [words = '', more = ''] = out.trimEnd().split('\nMore: docs/');
      expect(code).toBe(0);
      expect(codes).toContain(`## \`not-judged\`\n\n${words} [More](${more})\n`);
    }
  });
});

test('evaldiff explain names the nearest code and all codes if it does not know one', async () => {
  const { code, err } = await commandIn(ROOT, ['explain', 'unsetled']);
  expect(code).toBe(2);
  expect(err).toContain('unknown code "unsetled"; did you mean "unsettled"?');
  for (const known of CODES) expect(err).toContain(known);
});

test.each([
  ['command-line.md', withCommands],
  ['verdicts.md', withGate],
  ['migrate.md', withFormats],
  ['agents.md', withAgentKeys],
  ['conversations.md', withConversationKeys],
])('the table in docs/%s matches the code (if not, run npm run generate)', async (name, write) => {
  const page = tightTables(readFileSync(join(ROOT, 'docs', name), 'utf8'));
  expect(page).toBe(tightTables(await write(page)));
  expect(page).not.toContain('| |');
});
