import { counted } from '../../text/amounts.ts';
import { estimateTokens } from '../../text/estimated-tokens.ts';
import { SENTENCE, code, place, strong, type Line } from './document.ts';

interface CoveredLine {
  status: 'held' | 'held_together' | 'untested' | 'idle' | 'unsettled';
  unit: { file: string; head_text: string | null; lines: { from: number } };
  reference: string | null;
  /** Index of the other line, if both are held together. */
  with: number | null;
  answers: number;
}

export const COVERED_HEAD = ['Place', 'Line', 'Tests'];

/** The place of a line of a prompt, its text, and what holds it. */
export function coveredRow(line: CoveredLine, lines: readonly CoveredLine[]): Line[] {
  const { file, lines: at, head_text: text } = line.unit;
  return [[place(file, at.from)], [code(text ?? '', SENTENCE)], coveredWords(line, lines)];
}

function coveredWords(line: CoveredLine, lines: readonly CoveredLine[]): Line {
  const { status, reference, answers, unit } = line;
  const other = lines[line.with ?? -1]?.unit.lines.from ?? 0;
  const test = code(reference ?? '');
  switch (status) {
    case 'held':
      return ['held by ', test];
    case 'held_together':
      return [`held together with ${other === 0 ? 'another line' : `line ${other}`}, by `, test];
    case 'untested':
      return [strong('untested'), ': answers change without it, no test fails'];
    case 'idle': {
      const tokens = Math.ceil(estimateTokens(unit.head_text ?? ''));
      const size = `${counted(tokens, 'token')} a call`;
      return [`no effect seen in ${counted(answers, 'answer')} (${size})`];
    }
    case 'unsettled':
      return ['not settled'];
  }
}
