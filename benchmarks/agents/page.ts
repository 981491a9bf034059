import type { MeasuredAgent, MeasuredCase } from './measure.ts';

const HEAD = `# Real agents, offline

\`npm run test:agents\` installs the pinned CLIs from npm and runs \`evaldiff diff\` on a small
repository with each, through gateway and walls. A server on loopback takes the vendors' place: it
reads the instructions and obeys them. Each suite has three tasks. The scripted agent (\`command\`,
\`acp\`) needs no installation.

`;

const COLUMNS = [
  'agent',
  'version',
  'change',
  'verdict',
  'runs',
  'calls of head',
  'paid',
  'seconds a run',
];

export function pageOf(measured: readonly MeasuredAgent[]): { page: string; table: string } {
  const rows = measured.flatMap(({ name, version, cases }) =>
    cases.map((each) => [name, version ?? '', ...cells(each)]),
  );
  const table = [COLUMNS, COLUMNS.map(() => '---'), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
  const leaks = measured.reduce((sum, each) => sum + each.leaks, 0);
  const wrong = measured.reduce((sum, each) => sum + each.wrongKeys, 0);
  const note = `The vendor's key is in ${leaks} files of stores and reports. ${wrong} requests had another key.`;
  return { page: `${HEAD}${table}\n\n${note}\n`, table };
}

function cells({ title, verdict, runs, errors, calls, paid, seconds }: MeasuredCase): string[] {
  const runsText = errors === 0 ? String(runs) : `${runs} (${errors} errors)`;
  return [title, verdict, runsText, String(calls), String(paid), seconds?.toFixed(1) ?? ''];
}

/** What must hold for every agent. */
export function failuresIn(measured: readonly MeasuredAgent[]): string[] {
  return measured.flatMap(({ name, cases, leaks, wrongKeys, rejected }) => {
    const [removed, unread, late] = cases;
    const rules: [boolean | undefined, string][] = [
      [removed?.verdict === 'regressed', 'a removed rule is not red'],
      [removed?.usedSkill, 'the skill is not used'],
      [unread?.paid === 0 && unread.exit === 0, 'an unread file costs calls or is not green'],
      [late !== undefined && late.paid > 0 && late.paid < late.calls, 'step 1 is not shared'],
      [cases.every(({ errors }) => errors === 0), cases.find(({ error }) => error)?.error ?? ''],
      [leaks === 0 && wrongKeys === 0, 'the key is in a file, or a request had another one'],
      [rejected.length === 0, `the model server rejected: ${rejected[0] ?? ''}`],
    ];
    return rules.flatMap(([holds, words]) => (holds === true ? [] : [`${name}: ${words}`]));
  });
}
