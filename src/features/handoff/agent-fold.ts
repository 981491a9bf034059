import { VERSION } from '../../app/session/runtime.ts';
import { isNew } from '../../kernel/result/counts.ts';
import type { Result } from '../../kernel/result/result.ts';
import { markdownOf } from '../../report/markdown.ts';
import type { Detail } from '../../report/sections/detail.ts';
import { code, list, type Block, type Line } from '../../report/sections/document.ts';
import {
  foundLines,
  proposalsIn,
  type FoundLines,
  type ProvenFix,
  type ReportContext,
} from '../../report/sections/feature-report.ts';
import { fixDiff } from '../../report/sections/fixes.ts';
import { localCommand } from '../../report/sections/footer.ts';
import type { ReferenceEntry } from '../../report/sections/order.ts';
import { firstWords } from '../../text/amounts.ts';
import { brokenTests, isPlain, showBroken, testName } from './broken-tests.ts';

/** Limit of the Markdown, in UTF-16 units. */
const LIMIT = 1_500;

const MAX_FOLD_NAMES = 8;
const MOST_CAUSES = 5;

const FOLDER = 'evaldiff-report';

/** Pinned, because an agent may run the command without reading it. */
const PROGRAM = `npx evaldiff@${VERSION}`;

/**
 * A coding agent might obey instructions in this text, so it contains plain names, but no text from
 * a model, an input or an outside contributor.
 */
export function agentFold(result: Result, _: Detail, { reports, links }: ReportContext): Block[] {
  const causes = foundLines(result, reports);
  const broken = brokenTests(result);
  const isOutsiders = result.trust === 'untrusted' || links.outsider === true;
  const isRed = result.conclusion === 'failure' || broken.length + causes.length > 0;
  if (isOutsiders || result.base === null || !isRed) return [];
  const items = [
    ...commandItems({ ...result, base: result.base }, broken, links.artifact),
    ...causes.flatMap((cause) => causeItems(cause, result)).slice(0, MOST_CAUSES),
    ...[...Map.groupBy(broken, testLabel)].map(([label, entries]) =>
      item(
        label,
        firstWords(
          entries.map((entry) => testName(result, entry)),
          MAX_FOLD_NAMES,
        ),
      ),
    ),
  ];
  const fixes = proposalsIn(result, reports).flatMap(({ fix }) => fixDiffBlocks(fix, result));
  const shorter = items.map((_item, cut) => list(items.slice(0, items.length - cut)));
  const blocks = [[...list(items), ...fixes], ...shorter].find(
    (all) => markdownOf(all, links).length <= LIMIT,
  );
  const summary = ['For your coding agent'];
  return blocks === undefined ? [] : [{ kind: 'group', summary, blocks, plain: true }];
}

function testLabel({ suite, reference }: ReferenceEntry): string {
  const what = isNew(reference, suite) ? 'New tests that fail in' : 'Tests that got worse in';
  return `${what} ${suiteName(suite)}`;
}

const suiteName = ({ name }: { name: string }): string => (isPlain(name) ? name : 'a suite');

const item = (what: string, value: string): Line => [`${what}: `, code(value, Infinity)];

function commandItems(
  result: Result & { base: { sha: string } },
  broken: readonly ReferenceEntry[],
  artifact: ReportContext['links']['artifact'],
): Line[] {
  // An agent must not run the project's code without a sandbox because a comment says so.
  const options = (result.local_options ?? '').replace(/(?:^| )--code host$/, '');
  const suites = new Set(broken.map(({ suite }) => suite.name));
  const ids = new Set(broken.map(({ reference }) => reference.id));
  const choice = [...overrideOf('prompts', suites), ...overrideOf('references', ids)];
  const diff = localCommand({ ...result, local_options: options }, result.base.sha, PROGRAM);
  const run = [diff, ...choice, '--report', FOLDER].join(' ');
  const show = showBroken(result, broken).map((command) =>
    `${PROGRAM} ${command} --json ${options}`.trim(),
  );
  const download =
    artifact === undefined
      ? []
      : [`gh run download ${artifact.run} -n ${artifact.name} -D ${FOLDER}`];
  return [
    ...download.map((command) => item('Get the result of this run', command)),
    ...show.map((command) => item('Print a test as JSON', command)),
    item('Run the tests on both commits', run),
  ];
}

/** Empty if a name is not a safe shell word. The command then selects all tests. */
function overrideOf(key: string, shownNames: ReadonlySet<string>): string[] {
  const isShort = shownNames.size > 0 && shownNames.size <= MAX_FOLD_NAMES;
  return isShort && [...shownNames].every(isPlain) ? [`${key}=${[...shownNames].join(',')}`] : [];
}

function causeItems({ suite, proof, lines }: FoundLines, result: Result): Line[] {
  return lines
    .filter(({ file }) => isPlainPath(file))
    .map(({ side, file, to }) => {
      const at = `${causePlace(result, file, to)}${side === 'base' ? ' (on base)' : ''}`;
      return item(`${PROOF_LABELS[proof]} ${suiteName(suite)}`, at);
    });
}

const PROOF_LABELS: Readonly<Record<FoundLines['proof'], string>> = {
  alone: 'Proven cause of',
  together: 'Proven cause, with others, of',
  untested: 'Only change, not tried, of',
  likely: 'Likely cause, not settled, of',
};

const isPlainPath = (file: string): boolean => /^[\w.][\w./-]{0,79}$/.test(file);

function fixDiffBlocks(fix: ProvenFix, result: Result): Block[] {
  if (!isPlainPath(fix.file)) return [];
  const at = causePlace(result, fix.file, fix.lines.from);
  return [
    ...list([[...item('Tested fix', at), ', written by ', code(`${PROGRAM} fix --write`)]]),
    // Shows no diff of a draft, which a model wrote.
    ...(fix.kind === 'set back' ? [{ kind: 'diff' as const, lines: fixDiff(fix) }] : []),
  ];
}

function causePlace({ source }: Result, file: string, line: number): string {
  const folder = source === undefined || source.directory === '.' ? '' : `${source.directory}/`;
  return `${folder}${file}${line > 0 ? `:${line}` : ''}`;
}
