import type { MeasuredTree } from './large.ts';
import type { MeasuredAgent, MeasuredCase } from './measure.ts';

const HEAD = `# Real agents, offline

\`npm run test:agents\` installs the pinned agent CLIs from npm. With each CLI, it runs
\`evaldiff diff\` on a small repository that has a skill and an instruction file. The agents run in
the sandbox and call models through evaldiff's gateway. A server on loopback replaces the vendor: it
reads the instructions in each request and obeys them. The suite has three tasks with two tries
each. \`acp\` and \`command\` run [a scripted agent](../fixtures/agents/agent.mjs).

- **A rule is removed** from the instruction file: the verdict must be red.
- **A file that no run reads** is edited while the vendor cannot be reached: the verdict must be
  green, without a paid call.
- **A file that is read at step 2** is edited: only calls after step 1 may be paid.

`;

const FOOT = `"Calls" are the model calls of head's runs, including replayed ones. "Paid" counts the requests that
the server received from both sides. Base's calls are paid in the first comparison. "Seconds" is the
mean time of head's runs that paid for calls, on a machine that runs several at once.
`;

/** Measured by hand, as the text says. */
const FILTER = `
## What the filter of system calls costs

| what                                           | without | with the filter |
| ---------------------------------------------- | ------: | --------------: |
| start \`true\` through Perl                      |    2 ms |            5 ms |
| start \`true\` through Python 3                  |    2 ms |           13 ms |
| start \`true\` in a sandbox, with the overlays   |  140 ms |          150 ms |
| \`getppid\`, mean of 5 million calls             |  144 ns |          161 ns |
| \`npm ci\` of 262 packages: 469,000 calls        |  17.4 s |          + 9 ms |
| \`tsc\` and \`webpack\` of 150 files: 43,000 calls |  11.7 s |          + 1 ms |

All times are processor time, as medians of pairs that ran in turn: 40 starts through Perl, 20
through Python, 70 in a sandbox. The machine also did other work, so whole runs vary by 13 % (four
pairs of \`npm ci\`: median -2 %). For the last two rows, \`strace -f -c\` counted the calls, and each
adds 20 ns. Linux 6.18. Bash, git, Node, npm, Python, gcc, Go 1.19, Rust and headless Chromium
(\`--no-sandbox\`) ran in the sandbox, as root and rootless.
`;

const COLUMNS = ['agent', 'version', 'change', 'verdict', 'runs', 'calls', 'paid', 'seconds'];

export function tableOf(measured: readonly MeasuredAgent[]): string {
  const rows = measured.flatMap(({ name, version, cases }) =>
    cases.map((each) => [name, version ?? '', ...cells(each)]),
  );
  const rule = COLUMNS.map((_, index) => (index < 4 ? '---' : '---:'));
  return [COLUMNS, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

export function pageOf(
  measured: readonly MeasuredAgent[],
  tree: MeasuredTree,
  how: string,
): string {
  const leaks = measured.reduce((sum, each) => sum + each.leaks, 0);
  const wrong = measured.reduce((sum, each) => sum + each.wrongKeys, 0);
  const keys =
    `The vendor's key was found in ${leaks} files of stores, reports and logs. ` +
    `${wrong} requests had another key.`;
  return `${HEAD}${tableOf(measured)}\n\n${FOOT}\n${keys}\n\n${treeText(tree)}\n\n_${how}_\n${FILTER}`;
}

export function treeText({ files, runs, perRun, stopped }: MeasuredTree): string {
  return `## Large workspaces

A project with ${files} files of 3 kB. The agent only writes a file, and one \`runs\` metric reads it.

| runs | processor seconds per run, everything included | seconds from SIGTERM to the end |
| ---: | ---------------------------------------------: | ------------------------------: |
| ${runs} | ${perRun.toFixed(2)} | ${stopped.toFixed(1)} |`;
}

function cells({ title, verdict, runs, errors, calls, paid, seconds }: MeasuredCase): string[] {
  const runsText = errors === 0 ? String(runs) : `${runs} (${errors} errors)`;
  return [title, verdict, runsText, String(calls), String(paid), seconds?.toFixed(1) ?? ''];
}

/** Violations of the rules that every agent must meet. */
export function failuresIn(measured: readonly MeasuredAgent[]): string[] {
  return measured.flatMap(({ name, cases, leaks, wrongKeys, rejected }) => {
    const [removed, unread, late] = cases;
    const rules: [boolean | undefined, string][] = [
      [removed?.verdict === 'regressed', 'a removed rule is not red'],
      [removed?.usedSkill, 'the skill is not used'],
      [unread?.paid === 0 && unread.exit === 0, 'an unread file costs calls or is not green'],
      [
        late !== undefined && late.paid > 0 && late.paid < late.calls,
        'calls of step 1 are paid again',
      ],
      [cases.every(({ errors }) => errors === 0), cases.find(({ error }) => error)?.error ?? ''],
      [leaks === 0 && wrongKeys === 0, 'the key is in a file, or a request had another key'],
      [rejected.length === 0, `the model server rejected: ${rejected[0] ?? ''}`],
    ];
    return rules.flatMap(([holds, words]) => (holds === true ? [] : [`${name}: ${words}`]));
  });
}
