import type { ConversationResult, ConversationTurn, EvaluatorVerdict } from '../../types.ts';
import { escapeMarkup } from '../../text/html.ts';
import { shorten } from '../../text/cut.ts';
import { NAME_LIMIT } from '../sections/document.ts';
import { whole } from '../sections/emphasis.ts';
import { chip, piecesHtml } from './blocks.ts';
import { OUTCOME_WORDS } from '../sections/transcript.ts';

/**
 * A dialogue turn by turn, what was met after each answer, and what every evaluator said.
 * `characters` bounds each text.
 */
export function dialogueHtml({ outcome, turns }: ConversationResult, characters: number): string {
  const end = chip(
    OUTCOME_WORDS[outcome],
    outcome === 'complete' ? 'good' : outcome.endsWith('_error') ? 'open' : 'bad',
  );
  return `${turns.map((turn, index) => turnHtml(turn, index + 1, characters)).join('')}<p>${end}</p>`;
}

function turnHtml(
  { question, asked_by: asker, answer, verdicts, satisfied }: ConversationTurn,
  number: number,
  characters: number,
): string {
  const by = asker === null ? '' : `, asked by <code>${name(asker)}</code>`;
  const met = Object.entries(satisfied ?? {}).map(([criterion, yes]) =>
    chip(`${shorten(criterion, NAME_LIMIT)} ${yes ? 'met' : 'not met'}`, yes ? 'good' : 'bad'),
  );
  return [
    `<p class="soft">Question ${String(number)}${by}</p>`,
    textHtml(question, characters),
    `<p class="soft">Answer ${String(number)}</p>`,
    answer === null ? '<p>none</p>' : textHtml(answer, characters),
    met.length === 0 ? '' : `<p>${met.join(' ')}</p>`,
    verdicts.length === 0
      ? ''
      : `<details><summary>What the evaluators said</summary>${verdicts.map((verdict) => verdictHtml(verdict, characters)).join('')}</details>`,
  ].join('');
}

function verdictHtml(
  { evaluator, words, analysis, follow_up: followUp }: EvaluatorVerdict,
  characters: number,
): string {
  const said = Object.entries(words)
    .map(([criterion, word]) => `${criterion} ${word}`)
    .join(', ');
  return [
    `<p><code>${name(evaluator)}</code> ${escapeMarkup(shorten(said, 10 * NAME_LIMIT))}</p>`,
    analysis === null ? '' : textHtml(analysis, characters),
    followUp === null ? '' : `<p class="soft">would ask</p>${textHtml(followUp, characters)}`,
  ].join('');
}

function textHtml(text: string, characters: number): string {
  return text === '' ? '<p><i>empty</i></p>' : `<pre>${piecesHtml(whole(text, characters))}</pre>`;
}

function name(text: string): string {
  return escapeMarkup(shorten(text, NAME_LIMIT));
}

/** Lengths of all texts that a dialogue shows. */
export function dialogueLengths({ turns }: ConversationResult): number[] {
  return turns.flatMap(({ question, answer, verdicts }) =>
    [
      question,
      answer ?? '',
      ...verdicts.flatMap(({ analysis, follow_up: followUp }) => [analysis ?? '', followUp ?? '']),
    ].map((text) => text.length),
  );
}
