import { problem } from '../../errors.ts';
import type { Prepared } from '../../money/prepared.ts';
import { counted, firstWords } from '../../text/amounts.ts';
import { shorten, visibleLine } from '../../text/visible.ts';
import type { Problem, TrustLevel } from '../../types/plain.ts';
import { partName, planIdentity, type Manifest, type SharedInputs } from './manifest.ts';
import { partOfPlan, plannedReferences } from './part.ts';

export interface MergeFacts {
  evaldiff: string;
  head: string;
  trust: TrustLevel;
  inputs: SharedInputs;
  source: PartSource;
}

export type PartSource = 'artifacts' | 'folders';

const SAME = 'Give every job of the sweep, the merge included, the same commit, inputs and version';

const MAX_NAMED_MISSING = 10;

export function mixedParts(parts: readonly Manifest[], facts: MergeFacts): Problem[] {
  return [
    ...parts.flatMap((part) => foreign(part, facts, parts[0] ?? part)),
    ...differing(parts),
    ...duplicatePartProblems(parts),
  ];
}

function foreign(part: Manifest, facts: MergeFacts, first: Manifest): Problem[] {
  const own = sharedValues(part);
  const others = sharedValues(facts);
  const names = [...new Set([...Object.keys(others), ...Object.keys(own)])].sort();
  return names.flatMap((input) => {
    if (own[input] === others[input]) return [];
    // A merge without overrides uses those of the first part.
    const isOfFirst = input === 'overrides' && first.inputs[input] === others[input];
    const other = isOfFirst ? partName(first) : 'the merge';
    const option = Object.hasOwn(facts.inputs, input) ? INPUT_OPTIONS[facts.source](input) : input;
    return problem(
      null,
      `${partName(part)} and ${other} differ in ${input}: ${shownInput(own[input])} and ` +
        `${shownInput(others[input])}. Give every job of the sweep the same ${option}.`,
    );
  });
}

function sharedValues({ inputs, evaldiff, head, trust }: Omit<MergeFacts, 'source'>) {
  const commit = head === 'worktree' ? 'uncommitted files' : head;
  return { ...inputs, 'evaldiff version': evaldiff, commit, 'trust level': trust } as SharedInputs;
}

function shownInput(value = ''): string {
  return value === '' ? 'not set' : `"${shorten(visibleLine(value.replaceAll('\n', ' ')), 200)}"`;
}

const INPUT_OPTIONS: Record<PartSource, (input: string) => string> = {
  artifacts: (input) => `input ${input}`,
  folders: (input) =>
    input === 'overrides' ? 'key=value' : `--${input === 'endpoints' ? 'endpoint' : input}`,
};

function differing(parts: readonly Manifest[]): Problem[] {
  const counts = [...new Set(parts.map(({ shard: { count } }) => count))];
  if (counts.length < 2) return [];
  return [
    problem(
      null,
      `these parts come from sweeps with different shard counts: ` +
        `${parts.map(partName).join(', ')}. Every job ` +
        'needs the same n in shard: i/n.',
    ),
  ];
}

function duplicatePartProblems(parts: readonly Manifest[]): Problem[] {
  const names = parts.map(partName);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))].map((name) =>
    problem(null, `${name} exists twice. Evaluate each part in one job only.`),
  );
}

export function incompleteParts(
  parts: readonly Manifest[],
  whole: Prepared,
  source: PartSource,
  hash: (text: string) => string,
): Problem[] {
  const plan = planIdentity(whole, hash);
  const others = parts.filter((part) => part.plan !== plan);
  if (others.length > 0)
    return others.map((part) =>
      problem(
        null,
        `${partName(part)} planned a different sweep from the merge: its prompts, tests, rubrics ` +
          `or settings differ. ${SAME}.`,
      ),
    );
  const count = parts[0]?.shard.count ?? 0;
  const there = new Set(parts.map(({ shard: { index } }) => index));
  const shards = Array.from({ length: count }, (_, index) => index + 1);
  const missing = shards.filter((index) => !there.has(index));
  return missing.map((index) => {
    const left = plannedReferences(partOfPlan(whole, { index, count }, hash));
    const lost =
      left.length === 0
        ? 'it contains no reference'
        : `it omits ${counted(left.length, 'reference')} (${firstWords(left, MAX_NAMED_MISSING)})`;
    return problem(null, `shard ${index}/${count} is missing: ${lost}. ${HOW_TO_ADD[source]}`);
  });
}

const HOW_TO_ADD: Record<PartSource, string> = {
  artifacts:
    'Check the log of that job, then choose "Re-run failed jobs". Answers of the other shards ' +
    'are reused.',
  folders: 'Run it, and pass its folder too.',
};
