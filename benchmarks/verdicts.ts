/**
 * How often evaldiff's gate and the usual rules go red, on simulated suites: when nothing changed
 * (false alarms) and when something did (power), with what it costs. Prints Markdown; the same
 * every time.
 *
 *   npx node benchmarks/verdicts.ts [--quick]
 */
import { createRandom } from '../src/statistics/random.ts';
import type { Rule } from './verdicts/rules.ts';
import { RULES } from './verdicts/rules.ts';
import type { Effect, Noise } from './verdicts/scenarios.ts';
import { drawRates, drawTries, NOISE } from './verdicts/scenarios.ts';

const quick = process.argv.includes('--quick');
/**
 * Repetitions of a cell; unchanged suites get more, since a few per cent have to be told from five.
 */
const ROUNDS = quick ? { nothing: 400, changed: 100 } : { nothing: 10_000, changed: 1000 };
const SIZES = [5, 10, 20, 50, 200];
const NOISES = Object.keys(NOISE) as Noise[];

interface Column {
  title: string;
  effect: (references: number) => Effect;
}
const NOTHING: Column = { title: 'nothing changed', effect: () => ({ kind: 'nothing' }) };
const broken = (count: number, title: string): Column => ({
  title,
  effect: (references) => ({ kind: 'broken', drop: count / references }),
});
const everywhere = (points: number): Column => ({
  title: `every reference ${String(points)} points worse`,
  effect: () => ({ kind: 'everywhere', drop: points / 100 }),
});
const CHANGES = [
  everywhere(5),
  everywhere(10),
  everywhere(20),
  broken(1, 'one reference broken'),
  broken(3, 'three references broken'),
];

/** Share of red runs and mean calls per reference, by rule. */
type Cell = Map<Rule, { red: number; calls: number }>;

function simulate(references: number, noise: Noise, { title, effect }: Column): Cell {
  const random = createRandom(`${String(references)} ${noise} ${title}`);
  const scenario = effect(references);
  const rounds = scenario.kind === 'nothing' ? ROUNDS.nothing : ROUNDS.changed;
  const totals = new Map(RULES.map((rule) => [rule, { red: 0, calls: 0 }]));
  let done = 0;
  for (let round = 0; round < rounds; round++) {
    const rates = drawRates(references, noise, scenario, random);
    if (rates === null) continue;
    done += 1;
    const suite = drawTries(rates, random);
    for (const [rule, total] of totals) {
      const { red, calls } = rule.judge(suite);
      total.red += Number(red);
      total.calls += calls / references;
    }
  }
  for (const total of totals.values()) {
    total.red /= done;
    total.calls /= done;
  }
  return totals;
}

const cells = new Map<string, Cell>();
for (const references of SIZES) {
  for (const noise of NOISES) {
    for (const column of [NOTHING, ...CHANGES])
      cells.set(
        `${String(references)} ${noise} ${column.title}`,
        simulate(references, noise, column),
      );
  }
}

function value(
  rule: Rule,
  references: number,
  noise: Noise,
  column: Column,
  what: 'red' | 'calls',
): number {
  const cell = cells.get(`${String(references)} ${noise} ${column.title}`)?.get(rule);
  if (cell === undefined)
    throw new Error(
      `not simulated: ${rule.name}, ${String(references)}, ${noise}, ${column.title}`,
    );
  return cell[what];
}

function percent(share: number): string {
  if (share > 0 && share < 0.0005) return '< 0.1';
  return (100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0);
}
const row = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`;
const heading = (titles: readonly string[]): string[] => [
  row(titles),
  row(titles.map((_, i) => (i === 0 ? '---' : '---:'))),
];
const nameOf = ({ name, ours }: Rule): string => (ours ? `**${name}**` : name);

/** `typical (quiet–noisy)`, the range in ascending order. */
function spread(of: (noise: Noise) => number, format: (share: number) => string): string {
  const [low, high] = [of('quiet'), of('noisy')].toSorted((one, other) => one - other);
  return `${format(of('typical'))} (${format(low ?? 0)}–${format(high ?? 0)})`;
}

function mainTable(references: number): string[] {
  const columns = [NOTHING, ...CHANGES];
  return [
    ...heading([
      'rule',
      ...columns.map(({ title }) => title),
      'calls per reference, nothing changed',
    ]),
    ...RULES.map((rule) =>
      row([
        nameOf(rule),
        ...columns.map((column) =>
          spread((noise) => value(rule, references, noise, column, 'red'), percent),
        ),
        spread(
          (noise) => value(rule, references, noise, NOTHING, 'calls'),
          (calls) => calls.toFixed(1),
        ),
      ]),
    ),
  ];
}

function bySize(title: string, column: Column, rules: readonly Rule[]): string[] {
  return [
    `### ${title}`,
    '',
    ...heading(['references', ...rules.map(nameOf)]),
    ...SIZES.map((references) =>
      row([
        String(references),
        ...rules.map((rule) =>
          NOISES.map((noise) => percent(value(rule, references, noise, column, 'red'))).join(' / '),
        ),
      ]),
    ),
    '',
  ];
}

const ours = RULES.filter((rule) => rule.ours);
const alarms = ours.flatMap((rule) =>
  SIZES.flatMap((references) =>
    NOISES.map((noise) => ({
      rule,
      references,
      noise,
      red: value(rule, references, noise, NOTHING, 'red'),
    })),
  ),
);
const worst = alarms.reduce((one, other) => (other.red > one.red ? other : one));
const error = 1.96 * Math.sqrt((worst.red * (1 - worst.red)) / ROUNDS.nothing);

console.log(
  [
    '# How often the verdict is right',
    '',
    `Simulated pull requests that go red, in per cent, by \`npx node benchmarks/verdicts.ts${quick ? ' --quick' : ''}\`: ${String(ROUNDS.nothing)} suites per cell where`,
    `nothing changed, ${String(ROUNDS.changed)} where something did. A suite's references have pass rates from a Beta law: quiet (0.136, 0.034), typical`,
    '(0.4, 0.1), noisy (1.4, 0.6). A broken reference never passes again. evaldiff at alpha 0.05, without a smallest drop that counts.',
    '',
    '## 50 references',
    '',
    'Typical suite, in brackets quiet and noisy, lower figure first. Calls are both sides together.',
    '',
    ...mainTable(50),
    '',
    '## By number of references',
    '',
    'Quiet / typical / noisy suite.',
    '',
    ...bySize('Nothing changed: false alarms', NOTHING, RULES),
    ...CHANGES.flatMap((column) =>
      bySize(
        column.title[0]?.toUpperCase() + column.title.slice(1),
        column,
        RULES.filter(({ ours: own, name }) => own || /McNemar|paired/.test(name)),
      ),
    ),
    `evaldiff's most frequent false alarm over the ${String(alarms.length)} cells: ${(100 * worst.red).toFixed(1)} % ± ${(100 * error).toFixed(1)} (${worst.rule.name}, ` +
      `${String(worst.references)} references, ${worst.noise}); mean ${((100 * alarms.reduce((sum, { red }) => sum + red, 0)) / alarms.length).toFixed(1)} %.`,
  ].join('\n'),
);
