import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';

const formats = () => import('./formats.ts');
const findings = () => import('./findings.ts');

export const resultsOutFeature: Feature & CommandRow = {
  key: 'results-out',
  results: {
    '.csv': async (result) => (await import('../../report/test-rows.ts')).testRows(result),
    '.jsonl': async (result) => (await formats()).renderRows(result),
    '.ctrf.json': async (result) => (await formats()).renderCtrf(result),
    '.otlp.json': async (result) => (await formats()).renderOtlp(result),
    '.promptfoo.json': async (result) => (await formats()).renderPromptfoo(result),
    '.sarif': async (result, reports) => (await findings()).renderSarif(result, reports),
    '.code-quality.json': async (result, reports) =>
      (await findings()).renderCodeQuality(result, reports),
  },
};
