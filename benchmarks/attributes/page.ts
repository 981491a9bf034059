import { table } from '../measure/markdown.ts';
import { RESULTS, type Measured } from './measure.ts';

interface Page {
  simulated: readonly Measured[];
  real: readonly Measured[];
}

/** The goals apply to suites with at least this many tests. */
const GOAL_TESTS = 50;

const [RIGHT, WRONG] = [0.9, 0.05];

export function pageOf({ simulated, real }: Page): string {
  const all = [...simulated, ...real];
  const missed = all.filter((row) => !isReached(row));
  return [
    '# How often the attribute that broke is named',
    '',
    "`npx node benchmarks/attributes.ts` writes this page. It simulates pull requests and judges them with evaldiff's own verdicts of attributes. Each pull request plants",
    'attributes that break: unless a row says otherwise, their tests keep 2 % of their pass rate on head. On base, 70 % of the tests pass in 98 % of their tries, 20 % of the',
    'tests in 70 %, and 10 % in 20 %. Each test has three tries a side. Suites of 20 tests have 4 domains and 3 sub-tasks, of 50 have 6 and 5, of 150 have 10 and 8. “Noise” is the chance',
    'that a rating is drawn at random from 1 to 5.',
    '',
    '- **right**: exactly the planted attributes are named (none if none is planted);',
    '- **or**: all are named, but one of them only as “A or B”;',
    '- **part**: some are named, and nothing else;',
    '- **silent**: nothing is named;',
    '- **wrong**: an attribute that is not planted is named.',
    '',
    `With ${String(GOAL_TESTS)} tests or more, at least ${inPercent(RIGHT)} % of the runs should be right and at most ${inPercent(WRONG)} % wrong. With 20 tests, or with uninformative ratings, evaldiff should`,
    'be silent rather than wrong. The constants of the model were tuned with other random seeds.',
    '',
    '## Simulated ratings',
    '',
    resultTable(simulated),
    '',
    '## Ratings of real texts',
    '',
    "These suites are the first 150 (or 50) dialogues of DialogSum's development part, with ten domains and eight sub-tasks. The words of each text determine its",
    '[ratings](../fixtures/qualeval/dialogue-ratings.json), so attributes overlap as in real data. Outcomes are drawn as above. Only attributes with at least four tests are',
    'planted.',
    '',
    resultTable(real),
    '',
    '## Goals that are not reached',
    '',
    ...(missed.length === 0
      ? ['Every row reaches its goal.']
      : missed.map(
          (row) =>
            `- ${row.name}, ${String(row.references)} tests: right ${shareOf(row, 'right')} %, wrong ${shareOf(row, 'wrong')} %.`,
        )),
    '',
  ].join('\n');
}

function isReached({ references, runs, right, wrong, isSilenceRight }: Measured): boolean {
  const mayBeSilent = references < GOAL_TESTS || isSilenceRight;
  return wrong <= WRONG * runs && (mayBeSilent || right >= RIGHT * runs);
}

function resultTable(rows: readonly Measured[]): string {
  return table(
    ['planted', 'tests', ...RESULTS.map((result) => `${result} %`), 'runs'],
    rows.map((row) => [
      row.name,
      String(row.references),
      ...RESULTS.map((result) => shareOf(row, result)),
      String(row.runs),
    ]),
  );
}

function shareOf(row: Measured, result: (typeof RESULTS)[number]): string {
  return inPercent(row[result] / row.runs);
}

function inPercent(share: number): string {
  return String(Math.round(1000 * share) / 10);
}
