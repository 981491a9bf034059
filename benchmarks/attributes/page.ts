import { table } from '../measure/markdown.ts';
import { RESULTS, type Measured } from './measure.ts';

interface Page {
  simulated: readonly Measured[];
  real: readonly Measured[];
}

/** From this many tests on, the goals are stated. */
const GOAL_TESTS = 50;

const [RIGHT, WRONG] = [0.9, 0.05];

export function pageOf({ simulated, real }: Page): string {
  const all = [...simulated, ...real];
  const missed = all.filter((row) => !isReached(row));
  return [
    '# How often the attribute that broke is named',
    '',
    "Simulated pull requests through evaldiff's own verdicts of attributes, by `npx node benchmarks/attributes.ts`. A planted attribute breaks: its tests keep 2 % of their",
    'pass rate on head where nothing else is stated. On base 70 % of the tests pass in 98 % of their tries, 20 % in 70 %, and 10 % in 20 %; each test has three tries a side. 20 tests',
    'have 4 domains and 3 sub-tasks, 50 have 6 and 5, 150 have 10 and 8. “Noise” draws a rating at random from 1 to 5 with this chance.',
    '',
    '- **right**: exactly the planted attributes are named (none if none is planted);',
    '- **or**: all are found, but one only as “A or B”;',
    '- **part**: some are named, and nothing else;',
    '- **silent**: nothing is named;',
    '- **wrong**: an attribute is named that is not planted.',
    '',
    `Goals, from ${String(GOAL_TESTS)} tests on: right in at least ${inPercent(RIGHT)} % and wrong in at most ${inPercent(WRONG)} %. With 20 tests, and with ratings that say nothing, the goal is to be silent`,
    "rather than wrong. The model's constants were chosen with other seeds.",
    '',
    '## Drawn ratings',
    '',
    resultTable(simulated),
    '',
    '## Ratings of real texts',
    '',
    'Ten domains and eight sub-tasks over the first 150 (or 50) dialogues of the development part of DialogSum, rated by the words of their texts',
    '([ratings](../fixtures/qualeval/dialogue-ratings.json)). So attributes overlap as they do in real data. Outcomes are drawn as above. Only attributes of at least four tests are planted.',
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
