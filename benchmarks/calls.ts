/**
 * Calls made for typical pull requests, compared with the minimum: one per distinct model,
 * parameters, messages and try. The counts are deterministic, and a test checks them.
 *
 *   npx node benchmarks/calls.ts
 */
import { startCounting, type Count } from './calls/count.ts';
import { projectOf } from './calls/project.ts';
import { scenariosOf } from './calls/scenarios.ts';
import { table } from './measure/markdown.ts';
import { EVALDIFF, measured } from './measure/process.ts';

const [PROMPTS, REFERENCES] = [20, 10];
const base = projectOf(PROMPTS, REFERENCES);
const counting = await startCounting(base, async (args, folder) => {
  const { code, out, err } = await measured(EVALDIFF, args, { cwd: folder });
  if (code !== 0 && code !== 1)
    throw new Error(`evaldiff ${args.join(' ')}: exit ${String(code)}\n${out}${err}`);
});
const rows: string[][] = [];
for (const scenario of scenariosOf(base)) {
  const { cold, warm } = await counting.count(scenario);
  const cells = ({ made, limit }: Count): string[] => [String(made), String(limit)];
  process.stderr.write(
    `${scenario.title}: ${cells(cold).join(' of ')}, ${cells(warm).join(' of ')}\n`,
  );
  rows.push([scenario.title, ...cells(cold), ...cells(warm)]);
}
await counting.close();
console.log(
  [
    `Each row is \`evaldiff diff\` of one pull request, in a project of ${String(PROMPTS)} prompts × ${String(REFERENCES)} references × ${String(base.tries)} tries. A rubric grades the answers of one prompt. A server on`,
    "loopback counts the calls. The limit is the minimum, computed from the project's data without evaldiff: one call for each distinct model, parameters, messages and",
    'try among the answers and grades of changed references.',
    '',
    table(
      ['pull request', 'calls, nothing stored', 'limit', "calls, main's answers stored", 'limit'],
      rows,
    ),
  ].join('\n'),
);
