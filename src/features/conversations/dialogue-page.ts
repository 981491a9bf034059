import { stepTranscript } from '../../metrics/transcript.ts';
import { chip, piecesHtml } from '../../report/page/blocks.ts';
import { NAME_LIMIT } from '../../report/sections/document.ts';
import { whole } from '../../report/sections/emphasis.ts';
import { type Markup, joinMarkup, markup } from '../../text/markup.ts';
import { shorten } from '../../text/visible.ts';
import { OUTCOME_WORDS } from './dialogue-lines.ts';
import {
  isErrorOutcome,
  type ConversationResult,
  type ConversationTurn,
  type EvaluatorVerdict,
} from './result.ts';

export function dialogueHtml({ outcome, turns }: ConversationResult, characters: number): Markup {
  const end = chip(
    OUTCOME_WORDS[outcome],
    outcome === 'complete' ? 'good' : isErrorOutcome(outcome) ? 'open' : 'bad',
  );
  return markup`${turns.map((turn, index) => turnHtml(turn, index + 1, characters))}<p>${end}</p>`;
}

function turnHtml(
  { question, asked_by: asker, steps = [], answer, verdicts, satisfied }: ConversationTurn,
  number: number,
  characters: number,
): Markup {
  const by = asker === null ? null : markup`, asked by <code>${name(asker)}</code>`;
  const met = Object.entries(satisfied ?? {}).map(([criterion, yes]) =>
    chip(`${shorten(criterion, NAME_LIMIT)} ${yes ? 'met' : 'not met'}`, yes ? 'good' : 'bad'),
  );
  const said = verdicts.map((verdict) => evaluatorVerdictHtml(verdict, characters));
  return markup`
    <p class="soft">Question ${number}${by}</p>${textHtml(question, characters)}
    ${stepTranscript(steps).map((line) => textHtml(line, characters))}
    <p class="soft">Answer ${number}</p>
    ${answer === null ? markup`<p>none</p>` : textHtml(answer, characters)}
    ${met.length === 0 ? null : markup`<p>${joinMarkup(met, ' ')}</p>`}
    ${said.length === 0 ? null : markup`<details><summary>What the evaluators said</summary>${said}</details>`}`;
}

function evaluatorVerdictHtml(
  { evaluator, words, analysis, follow_up: followUp }: EvaluatorVerdict,
  characters: number,
): Markup {
  const said = Object.entries(words)
    .map(([criterion, word]) => `${criterion} ${word}`)
    .join(', ');
  const asks = (text: string) => markup`<p class="soft">would ask</p>${textHtml(text, characters)}`;
  return markup`
    <p><code>${name(evaluator)}</code> ${shorten(said, 10 * NAME_LIMIT)}</p>
    ${analysis === null ? null : textHtml(analysis, characters)}
    ${followUp === null ? null : asks(followUp)}`;
}

function textHtml(text: string, characters: number): Markup {
  return markup`<pre>${piecesHtml(whole(text, characters))}</pre>`;
}

function name(text: string): string {
  return shorten(text, NAME_LIMIT);
}

export function dialogueLengths({ turns }: ConversationResult): number[] {
  return turns.flatMap(({ question, steps = [], answer, verdicts }) =>
    [
      question,
      ...stepTranscript(steps),
      answer ?? '',
      ...verdicts.flatMap(({ analysis, follow_up: followUp }) => [analysis ?? '', followUp ?? '']),
    ].map((text) => text.length),
  );
}
