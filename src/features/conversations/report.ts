import type { Result } from '../../kernel/result/result.ts';
import { stepTranscript } from '../../metrics/transcript.ts';
import type { Detail } from '../../report/sections/detail.ts';
import {
  lineBreak,
  code,
  paragraph,
  strong,
  group,
  joinLines,
  table,
  type Block,
  type Cell,
  type Line,
} from '../../report/sections/document.ts';
import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { change as changeOf, rateInterval, suiteGroup } from '../../report/sections/phrases.ts';
import { percent, twoDecimals, counted, signed, count } from '../../text/amounts.ts';
import { DIALOGUE_ENDS, dialogueLength } from '../../wording/dialogues.ts';
import {
  CONVERSATION_KEY,
  type ConversationResult,
  type ConversationTurn,
  type ConversationSummary,
  type EvaluatorGrade,
  type EvaluatorResult,
  type PairedMean,
  type YesShare,
} from './result.ts';

/** A longer reason is in the page. */
const ANALYSIS_CHARACTERS = 120;

export const conversationsReport: FeatureReport = {
  sections: { belowReferences: conversations, scoringChange: evaluators },
  ranked: ({ conversation }) =>
    !conversation
      ? []
      : [
          { name: 'Completed', value: percent(conversation.completed.head) },
          { name: 'Turns', value: twoDecimals(conversation.turns.head) },
        ],
  onTry({ conversation }) {
    if (!conversation) return null;
    const { turns } = conversation;
    return {
      length: dialogueLength(turns),
      shortened: (characters) => transcriptLine(conversation, characters),
      whole: (characters) =>
        turns.flatMap((turn, index) => [...turnLine(turn, index, characters), lineBreak]),
      metric: CONVERSATION_KEY,
      why: (characters) => whyNot(turns.at(-1), Math.min(characters, ANALYSIS_CHARACTERS)),
      beside: ({ conversation: head }, characters) =>
        head ? dialogueBlocks(conversation, head, characters) : [],
    };
  },
};

/** In characters, for each turn. */
const SHORTEST = 60;

function transcriptLine({ outcome, turns }: ConversationResult, characters: number): Line {
  const each = Math.max(SHORTEST, Math.floor((2 * characters) / Math.max(1, turns.length)));
  const lines = turns.flatMap((turn, index) => [...turnLine(turn, index, each), lineBreak]);
  const why = outcome === 'complete' ? [] : whyNot(turns.at(-1), characters);
  return [
    ...lines,
    `After ${dialogueEnding({ outcome, turns })}`,
    ...(why.length === 0 ? [] : ['. ', ...why]),
  ];
}

interface TurnParts {
  question: boolean;
  /** Whether to name the criteria that are not met. */
  unmet: boolean;
}

function turnLine(
  turn: ConversationTurn,
  index: number,
  characters: number,
  shown: TurnParts = { question: true, unmet: true },
): Line {
  const asked: Line = [
    strong(`Question ${index + 1}`),
    turn.asked_by === null ? ': ' : ' (an evaluator asks): ',
    code(turn.question, characters),
    lineBreak,
  ];
  const unmet = Object.entries(turn.satisfied ?? {}).flatMap(([name, met]) => (met ? [] : [name]));
  return [
    ...(shown.question ? asked : []),
    ...stepTranscript(turn.steps ?? []).flatMap((line) => [code(line, characters), lineBreak]),
    strong(`Answer ${index + 1}`),
    ...(turn.answer === null ? [': none'] : [': ', code(turn.answer, characters)]),
    unmet.length === 0 || !shown.unmet ? '' : ` – not met: ${unmet.join(', ')}`,
  ];
}

function dialogueEnding({ outcome, turns }: Pick<ConversationResult, 'outcome' | 'turns'>): string {
  return `${counted(turns.length, 'turn')}: ${DIALOGUE_ENDS[outcome]}`;
}

function whyNot(turn: ConversationTurn | undefined, characters: number): Line {
  const first = turn?.verdicts.find(({ words }) =>
    Object.values(words).some((word) => word !== 'yes'),
  );
  return first === undefined || first.analysis === null
    ? []
    : [code(first.evaluator), ' says: ', code(first.analysis, characters)];
}

/** One question and two answers of the first row, and two answers of the second. */
const SHOWN_TEXTS = 5;

/** Shows the first turn that differs, and below it how each side ended. */
function dialogueBlocks(
  base: ConversationResult,
  head: ConversationResult,
  characters: number,
): Block[] {
  const first = partingTurn(base, head);
  const each = Math.max(SHORTEST, Math.floor(characters / SHOWN_TEXTS));
  const cell = ({ turns }: ConversationResult, index: number, question: boolean) => {
    const turn = index < first ? undefined : turns[index];
    return turn === undefined
      ? ['–']
      : turnLine(turn, index, each, { question, unmet: index === turns.length - 1 });
  };
  const isSameQuestion = base.turns[first]?.question === head.turns[first]?.question;
  const lastOf = ({ turns }: ConversationResult) =>
    turns.length - 1 === first ? -1 : turns.length - 1;
  const ends = [lastOf(base), lastOf(head)] as const;
  return [
    ...(first === 0
      ? []
      : [
          paragraph([
            `After ${counted(first, 'equal turn')} that began with `,
            code(base.turns[0]?.question ?? '', each),
            ':',
          ]),
        ]),
    {
      kind: 'table',
      head: [
        ['Base', lineBreak, dialogueEnding(base)],
        ['Head', lineBreak, dialogueEnding(head)],
      ],
      rows: [
        [cell(base, first, true), cell(head, first, !isSameQuestion)],
        ...(Math.max(...ends) > first
          ? [[cell(base, ends[0], false), cell(head, ends[1], false)]]
          : []),
      ],
    },
  ];
}

function partingTurn(base: ConversationResult, head: ConversationResult): number {
  const length = Math.max(base.turns.length, head.turns.length);
  for (let at = 0; at < length; at += 1) if (!sameTurn(base.turns[at], head.turns[at])) return at;
  return Math.max(0, length - 1);
}

function sameTurn(a: ConversationTurn | undefined, b: ConversationTurn | undefined): boolean {
  const steps = (turn: ConversationTurn | undefined) => JSON.stringify(turn?.steps ?? []);
  return a?.question === b?.question && a?.answer === b?.answer && steps(a) === steps(b);
}

function conversations({ suites, mode }: Result, { collapsedItems: items }: Detail): Block[] {
  return suiteGroup('Conversations', suites, items, ({ conversation }, name) =>
    conversation ? summaryBlocks(name, conversation, mode) : [],
  );
}

function summaryBlocks(name: Line, summary: ConversationSummary, mode: Result['mode']): Block[] {
  const rows: [Line, PairedMean, MeanUnit][] = [
    [['Completed'], summary.completed, 'share'],
    [['Turns, where completed'], summary.turns, 'turns'],
    ...summary.turns_to.flatMap(({ criterion, turns, reached }): typeof rows => [
      [[code(criterion), ' met at the end'], reached, 'share'],
      [['Turns to ', code(criterion)], turns, 'turns'],
    ]),
  ];
  const head = mode === 'sweep' ? ['', 'Mean', 'References'] : ['', 'Base → head', 'Difference'];
  const compared =
    mode === 'sweep'
      ? ''
      : 'Turns are compared only on references that complete, or meet the criterion, ' +
        'on both sides. ';
  return [
    paragraph([
      ...name,
      `: up to ${counted(summary.max_steps, 'step')}, judged by `,
      ...joinLines(
        summary.evaluators.map((evaluator) => code(evaluator)),
        ', ',
      ),
    ]),
    ...table(
      head,
      rows.map(([title, mean, kind]) => [title, ...cells(mean, kind, mode)]),
    ),
    paragraph(`${compared}${endings(summary)}`, 'small'),
  ];
}

type MeanUnit = 'share' | 'turns';

function cells(
  { base, head, difference, low, high, n }: PairedMean,
  kind: MeanUnit,
  mode: Result['mode'],
): Cell[] {
  const value = (mean: number | null) =>
    kind === 'share' ? percent(mean) : mean === null ? '–' : mean.toFixed(2);
  if (mode === 'sweep') return [value(head), count(n)];
  const change = (by: number) =>
    kind === 'share' ? changeOf({ base, head, difference: by }) : signedTurns(by);
  const end = kind === 'share' ? signed : signedTurns;
  const interval = low === null || high === null ? '' : `${end(low)} to ${end(high)}, `;
  return [
    [`${value(base)} →`, lineBreak, value(head)],
    difference === null
      ? ['–']
      : [change(difference), lineBreak, `${interval}${counted(n, 'test')}`],
  ];
}

function signedTurns(difference: number): string {
  const size = Math.abs(difference).toFixed(2);
  return Number(size) === 0 ? '0.00' : `${difference < 0 ? '−' : '+'}${size}`;
}

function endings({ outcomes: { base, head } }: ConversationSummary): string {
  const words = (counts: ConversationSummary['outcomes']['base']) =>
    counts === null
      ? 'not run'
      : Object.entries(counts)
          .filter(([, number]) => number > 0)
          .map(([outcome, number]) => `${outcome} ${count(number)}`)
          .join(', ') || 'none';
  return base === null
    ? `How tries ended: ${words(head)}.`
    : `How tries ended: base ${words(base)}; head ${words(head)}.`;
}

function evaluators(
  { evaluators: results = [] }: Result,
  { collapsedItems: items }: Detail,
): Block[] {
  return group(
    'Evaluators on labelled answers',
    results.length === 0 ? [] : evaluatorTables(results, items),
  );
}

export function evaluatorTables(results: readonly EvaluatorResult[], items: number): Block[] {
  const paths = [...new Set(results.map(({ path }) => path))];
  return paths.flatMap((path) =>
    evaluatorTable(
      results.filter((result) => result.path === path),
      items,
    ),
  );
}

interface EvaluatorRow {
  result: EvaluatorResult;
  grade: EvaluatorGrade;
}

function evaluatorTable(results: readonly EvaluatorResult[], items: number): Block[] {
  const first = results.at(-1);
  if (first === undefined) return [];
  const criteria = [...new Set(results.flatMap((result) => result.criteria))];
  const compares = results.length > 1;
  const rows = groupByEvaluators(results);
  const title = paragraph([
    code(first.name),
    `: share of yes on accepted vs rejected answers, ${counted(first.examples, 'labelled answer')}`,
  ]);
  const head = [
    'Evaluators',
    ...(compares ? ['Side'] : []),
    ...criteria.map((name) => [code(name)]),
    'All criteria',
    '95 % intervals',
    'Balanced accuracy',
    'Unread',
  ];
  return [
    title,
    ...table(
      head,
      rows.map((row) => cellsOf(row, criteria, compares)),
      items,
    ),
  ];
}

function groupByEvaluators(results: readonly EvaluatorResult[]): EvaluatorRow[] {
  const all = results.flatMap((result) => result.grades.map((grade) => ({ result, grade })));
  const keyOf = ({ grade }: EvaluatorRow) => JSON.stringify(grade.evaluators);
  const keys = [
    ...new Set([...all.filter(({ result }) => result.side === 'head'), ...all].map(keyOf)),
  ];
  return keys.flatMap((key) => all.filter((row) => keyOf(row) === key));
}

function cellsOf(
  { result, grade }: EvaluatorRow,
  criteria: readonly string[],
  compares: boolean,
): Cell[] {
  const { accepted, rejected, balanced_accuracy: balanced, unread } = grade;
  return [
    joinLines(
      grade.evaluators.map((name) => code(name)),
      ' + ',
    ),
    ...(compares ? [result.side] : []),
    ...criteria.map((name) => [both(accepted.criteria[name], rejected.criteria[name])]),
    both(accepted.all, rejected.all),
    `${interval(accepted.all)} vs ${interval(rejected.all)}`,
    balanced === null ? '–' : `${percent(balanced.value)} (${rateInterval(balanced)})`,
    count(unread),
  ];
}

function both(accepted: YesShare | undefined, rejected: YesShare | undefined): string {
  return `${percent(accepted?.share ?? null)} vs ${percent(rejected?.share ?? null)}`;
}

function interval({ low, high }: YesShare): string {
  return low === null || high === null ? '–' : rateInterval({ low, high });
}
