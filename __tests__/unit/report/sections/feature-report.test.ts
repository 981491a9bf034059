import { renderComment } from '../../../../src/report/comment.ts';
import { renderHtml } from '../../../../src/report/html.ts';
import { paragraph, type Block } from '../../../../src/report/sections/document.ts';
import type { FeatureReport, Slot } from '../../../../src/report/sections/feature-report.ts';
import { renderTerminal } from '../../../../src/report/terminal.ts';
import { regression } from '../results.ts';

const result = regression();

const said = (words: string) => () => [paragraph(words)];

const reportOf = (report: FeatureReport): Record<string, () => Promise<string> | string> => ({
  comment: () => renderComment(result, { marker: '', reports: [report] }),
  page: () => renderHtml(result, [report]),
  terminal: () => renderTerminal(result, [report], { width: 300, colour: false }),
});

/** The order of slots between sections that every output has. */
const PLACES: readonly string[] = [
  'Regressed',
  'slot why',
  'What changed:',
  'What it did:',
  'slot next',
  'late-parcel',
  'slot belowReferences',
  'slot metrics',
  'Scoring',
  'slot scoringChange',
  'the gate settings of base',
];

const SLOTS: Record<Slot, () => Block[]> = {
  why: said('slot why'),
  next: said('slot next'),
  handoff: said('slot handoff'),
  belowReferences: said('slot belowReferences'),
  metrics: said('slot metrics'),
  scoringChange: said('slot scoringChange'),
};

describe.each(['comment', 'page', 'terminal'])("a feature's report on the %s", (surface) => {
  test('shows its sections in the intended places', async () => {
    const shown = (await reportOf({ sections: SLOTS })[surface]?.()) ?? '';
    let at = shown.indexOf('<body>');
    for (const words of PLACES) {
      const next = shown.indexOf(words, at + 1);
      expect([words, next]).not.toEqual([words, -1]);
      at = next;
    }
  });

  test('says in the first line what the broken tests have in common', async () => {
    const inCommon = () => ({ shared: 3, places: [{ name: 'Rivers', words: '100 → 50 %' }] });
    const shown = await reportOf({ inCommon })[surface]?.();
    expect(shown?.replace(/<[^>]*>|\*/g, '')).toContain('tests broke, all in Rivers (100 → 50 %)');
  });
});
