import type {
  ReferenceResult,
  SideResult,
  TryResult,
} from '../../kernel/result/reference-result.ts';
import type { SuiteResult } from '../../kernel/result/suite-result.ts';
import type { Generation } from '../../kernel/select/affected-suite.ts';
import { canonicalJson } from '../../kernel/suite/canonical-json.ts';
import type { Prepared } from '../../money/prepared.ts';
import type { Message } from '../../types/model.ts';
import type { Json } from '../../types/plain.ts';
import { variantWords } from '../../wording/variants.ts';
import { answerLine, expectedText, stepLines } from './answers.ts';
import { type Block, type FactRow, code, paragraph, place, strong } from './document.ts';
import { tryView, type Reports } from './feature-report.ts';
import type { SuiteId } from './order.ts';
import { isShownValue, shownNumber } from './phrases.ts';

/** The sent messages. Null if the reference does not run on that side, or the prompt is unknown. */
export interface SentPrompts {
  base: readonly Message[] | null;
  head: readonly Message[] | null;
}

const MAX_VIEW_CHARS = 100_000;

export function referenceBlocks(
  { name, variant }: SuiteResult,
  reference: ReferenceResult,
  sent: SentPrompts | null,
  found: readonly Block[],
  reports: Reports,
): Block[] {
  const { id, status, file, line, tags, input, expected, base, head } = reference;
  return [
    paragraph([strong(id), ' in ', code(name), `, ${variantWords(variant)}: ${status}`], 'verdict'),
    {
      kind: 'facts',
      title: [place(file, line)],
      rows: [
        ...Object.entries(input).map(([key, value]) => fact(key, String(value))),
        ...(expected === null ? [] : [fact('expected', expectedText(expected))]),
        ...(tags.length === 0 ? [] : [fact('tags', tags.join(', '))]),
      ],
    },
    ...found,
    ...promptBlocks(sent),
    ...sideBlocks(head === null ? 'Tries' : 'Base', base, reports),
    ...sideBlocks(base === null ? 'Tries' : 'Head', head, reports),
  ];
}

function promptBlocks(sent: SentPrompts | null): Block[] {
  if (sent === null) return [];
  const { base, head } = sent;
  const same = base !== null && head !== null && messagesKey(base) === messagesKey(head);
  return [
    ...(same ? [] : messageBlocks('Prompt as sent by base', base)),
    ...messageBlocks(same || base === null ? 'Prompt as sent' : 'Prompt as sent by head', head),
  ];
}

function messagesKey(messages: readonly Message[]): string {
  return JSON.stringify(messages.map(({ role, content }) => [role, content]));
}

function messageBlocks(title: string, messages: readonly Message[] | null): Block[] {
  if (messages === null || messages.length === 0) return [];
  return [
    {
      kind: 'facts',
      title: [title],
      rows: messages.map(({ role, content }) => fact(role, content)),
    },
  ];
}

function sideBlocks(title: string, side: SideResult | null, reports: Reports): Block[] {
  if (side === null) return [];
  const { passes, tries_judged: judged, tries } = side;
  return [
    paragraph([
      strong(title),
      `: ${passes} of ${judged} judged ${judged === 1 ? 'try' : 'tries'} pass`,
    ]),
    ...tries.map((tryResult) => tryBlock(tryResult, reports)),
  ];
}

function tryBlock(tryResult: TryResult, reports: Reports): Block {
  const { outcome, error, scores, reused } = tryResult;
  const view = tryView(tryResult, reports);
  const said =
    view?.whole(MAX_VIEW_CHARS) ??
    (tryResult.parts === null ? null : answerLine(tryResult, MAX_VIEW_CHARS));
  return {
    kind: 'facts',
    title: [`Try ${tryResult.try + 1}: ${outcome}${reused ? ', reused' : ''}`],
    rows: [
      ...stepLines(tryResult).map((line) => fact('step', line)),
      ...(said === null ? [] : [{ name: ['answer'], value: said }]),
      ...(error === null ? [] : [fact('error', error)]),
      ...scores.map(({ metric, status, value, reason, skip }) => ({
        name: [code(metric)],
        value: [
          [
            status,
            ...(isShownValue(value, skip) ? [shownNumber(value)] : []),
            ...(skip ? ['does not gate'] : []),
          ].join(', '),
          ...(reason === null ? [] : [' – ', code(reason, MAX_VIEW_CHARS)]),
        ],
      })),
    ],
  };
}

function fact(name: string, value: string): FactRow {
  return { name: [name], value: [code(value, MAX_VIEW_CHARS)] };
}

export function sentPrompts({ suites }: Prepared): Map<string, SentPrompts> {
  return new Map(
    suites.flatMap(({ run: { suite, runs } }) =>
      runs.map(({ affected: { reference, base, head } }) => [
        sentKey(suite, reference.id),
        { base: generationMessages(base), head: generationMessages(head) },
      ]),
    ),
  );
}

export function sentKey({ path, name, variant }: SuiteId, id: string): string {
  return canonicalJson({
    path,
    name,
    model: variant.model,
    parameters: variant.parameters as Record<string, Json>,
    id,
  });
}

function generationMessages(generation: Generation | null): Message[] | null {
  if (generation === null) return null;
  if (generation.kind === 'request') return generation.messages;
  if (generation.kind !== 'recorded') return null;
  const { thread, after = [] } = generation;
  return [...thread, ...after];
}
