import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';

const formats = () => import('./formats.ts');

export const resultsOutFeature: Feature & CommandRow = {
  key: 'results-out',
  results: {
    '.jsonl': async (result) => (await formats()).renderRows(result),
    '.ctrf.json': async (result) => (await formats()).renderCtrf(result),
    '.otlp.json': async (result) => (await formats()).renderOtlp(result),
    '.promptfoo.json': async (result) => (await formats()).renderPromptfoo(result),
  },
};
