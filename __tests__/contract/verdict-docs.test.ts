import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withRules } from '../../scripts/verdict-docs.ts';
import { RUN_RULES } from '../../src/kernel/judge/run-rules.ts';
import { COMPARED_RULES } from '../../src/kernel/judge/suite-rules.ts';
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
