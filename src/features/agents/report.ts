import { countsForVerdict } from '../../kernel/result/counts.ts';
import type { ReferenceResult, TryResult } from '../../kernel/result/reference-result.ts';
import type { Result } from '../../kernel/result/result.ts';
import { mean } from '../../kernel/statistics/sums.ts';
import { stepLines } from '../../report/sections/answers.ts';
import {
  code,
  lineBreak,
  paragraph,
  strong,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import { emphasise } from '../../report/sections/emphasis.ts';
import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { counted, firstWords, twoDecimals } from '../../text/amounts.ts';
import type { Part } from '../../types/answer.ts';
import { SIDES } from '../../types/plain.ts';
import { checkWords, RUN_ENDS, runWords } from '../../wording/agent-runs.ts';
import { factsIn, type AgentFacts } from './suite/spec.ts';

export const agentsReport: FeatureReport = {
  sections: { why: sharedReplies },
  ranked({ references }) {
    const tasks = references.filter(countsForVerdict);
    const runs = tasks.flatMap(
      ({ head }) => head?.tries.flatMap((made) => runOf(made) ?? []) ?? [],
    );
    const completed = tasks.filter(({ head }) => head?.rollup === 'pass');
    return runs.length === 0
      ? []
      : [
          { name: 'Completed', value: `${completed.length} of ${counted(tasks.length, 'task')}` },
          { name: 'Turns', value: twoDecimals(mean(runs.map(({ facts }) => facts.turns))) },
        ];
  },
  onTry(tryResult) {
    const run = runOf(tryResult);
    if (run === null) return null;
    const { words, steps, facts } = run;
    return {
      length: [words, ...steps].join('').length,
      shortened: (characters) => runLine(run, characters),
      whole: (characters) => runLine(run, characters),
      why: (characters) => whyStopped(facts, characters),
      beside: (other, characters) => {
        const head = runOf(other);
        return head === null ? [] : besideBlocks(run, head, characters);
      },
    };
  },
};

/** Says that a comparison rests on the replies of one side. */
function sharedReplies({ suites }: Result): Block[] {
  const names = suites.filter(({ references }) => isShared(references)).map(({ name }) => name);
  if (names.length === 0) return [];
  const words = 'base and head sent the model the same requests, so its replies count for both.';
  return [paragraph(`${firstWords(names)}: ${words}`, 'small')];
}

function isShared(references: readonly ReferenceResult[]): boolean {
  const [base, head] = SIDES.map((side) =>
    references.map((each) => each[side]?.tries.map((made) => runOf(made)?.facts.requests)),
  );
  const hasAgent = head?.flat().some((requests) => requests !== undefined);
  return hasAgent === true && JSON.stringify(base) === JSON.stringify(head);
}

interface AgentRun {
  words: string;
  files: ReadonlyMap<string, string>;
  steps: readonly string[];
  facts: AgentFacts;
}

function runOf(made: TryResult): AgentRun | null {
  const parts = made.parts as readonly Part[] | null;
  const facts = parts === null ? null : factsIn({ parts: [...parts] });
  if (parts === null || facts === null) return null;
  const [first] = parts;
  return {
    words: first?.type === 'text' ? first.text : '',
    files: new Map(
      parts.flatMap((part) =>
        part.type === 'file'
          ? [[part.path, part.diff.replace(/^--- .*\n\+\+\+ .*\n/, '')] as const]
          : [],
      ),
    ),
    steps: stepLines(made),
    facts,
  };
}

function whyStopped({ ended, leaks }: AgentFacts, characters: number): Line {
  if (leaks.length > 0)
    return ['the fake API key in its environment was found in ', code(leaks[0] ?? '', characters)];
  return ended === 'turns' || ended === 'usd' ? [RUN_ENDS[ended]] : [];
}

function runLine(run: AgentRun, characters: number): Line {
  return [
    code(run.words, characters),
    ...[...run.files].flatMap(([path, diff]) => [
      lineBreak,
      strong('Changed '),
      code(path),
      lineBreak,
      code(diff, characters),
    ]),
    ...run.facts.checks.flatMap((check) => [
      lineBreak,
      code(check.name),
      ': ',
      code(checkWords(check), characters),
    ]),
    lineBreak,
    runWords(run.facts),
  ];
}

const SHORTEST_TEXT = 80;

const MOST_CHANGED_FILES = 3;
const SHOWN_STEPS = 4;

interface RunPair {
  name: Line;
  base: string | null;
  head: string | null;
}

function besideBlocks(base: AgentRun, head: AgentRun, characters: number): Block[] {
  const files = differingPairs(base.files, head.files);
  const { pairs: steps, equal, more } = stepPairs(base, head);
  const pairs = [
    ...(base.words === '' && head.words === ''
      ? []
      : [{ name: ['Last words'], base: base.words, head: head.words }]),
    ...files.slice(0, MOST_CHANGED_FILES),
    ...steps,
    ...differingPairs(checkTexts(base), checkTexts(head)),
  ];
  const each = Math.max(SHORTEST_TEXT, Math.floor((2 * characters) / Math.max(1, pairs.length)));
  const left = [
    ...(equal === 0
      ? []
      : [`The first ${counted(equal, 'step')} ${equal === 1 ? 'is' : 'are'} equal.`]),
    ...(more === 0 ? [] : [`${counted(more, 'more step')} not shown.`]),
    ...(files.length <= MOST_CHANGED_FILES
      ? []
      : [`${counted(files.length - MOST_CHANGED_FILES, 'more file')} differ.`]),
  ];
  return [
    {
      kind: 'table',
      head: [[''], ['Base'], ['Head']],
      rows: [
        ...pairs.map((pair) => pairRow(pair, each)),
        [['Run'], [runWords(base.facts)], [runWords(head.facts)]],
      ],
    },
    ...(left.length === 0 ? [] : [paragraph(left.join(' '), 'small')]),
  ];
}

function pairRow({ name, base, head }: RunPair, characters: number): Line[] {
  const side = (said: string | null) =>
    said === null || said === '' ? ['none'] : [code(said, characters)];
  if (!base || !head) return [name, side(base), side(head)];
  const marked = emphasise(base, head, { characters, gaps: true });
  return [
    name,
    [{ kind: 'pieces', pieces: marked.base }],
    [{ kind: 'pieces', pieces: marked.head }],
  ];
}

function differingPairs(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): RunPair[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({
      name: [code(name)],
      base: before.get(name) ?? null,
      head: after.get(name) ?? null,
    }))
    .filter(({ base, head }) => base !== head);
}

function stepPairs(
  { steps: before }: AgentRun,
  { steps: after }: AgentRun,
): { pairs: RunPair[]; equal: number; more: number } {
  const length = Math.max(before.length, after.length);
  const all = Array.from({ length }, (_, at) => at);
  const equal = all.find((at) => before[at] !== after[at]) ?? length;
  const pairs = all.slice(equal, equal + SHOWN_STEPS).map((at) => ({
    name: [`Step ${at + 1}`],
    base: before[at] ?? null,
    head: after[at] ?? null,
  }));
  return { pairs, equal, more: length - equal - pairs.length };
}

function checkTexts({ facts }: AgentRun): Map<string, string> {
  return new Map(facts.checks.map((check) => [check.name, checkWords(check)]));
}
