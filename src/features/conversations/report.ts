import { lineBreak } from '../../report/sections/document.ts';
import type { FeatureReport } from '../../report/sections/feature-report.ts';
import { percent, twoDecimals } from '../../text/amounts.ts';
import {
  dialogueBlocks,
  dialogueLength,
  transcriptLine,
  turnLine,
  whyNot,
} from './dialogue-lines.ts';
import { CONVERSATION_KEY } from './result.ts';
import { conversations, evaluators } from './section.ts';

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
      length: dialogueLength(conversation),
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
