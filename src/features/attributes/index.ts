import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';
import { counted } from '../../text/amounts.ts';
import { sources } from '../../trust/trust.ts';
import { explainRun } from './explain-run.ts';
import type { PinnedAttributes } from './file.ts';
import { readPinned } from './pinned.ts';
import { planExplain, type ExplainOwn } from './plan.ts';
import { attributeKeys } from './result.ts';
import { attributeSettings } from './settings.ts';
import { tryInsights } from './try-insights.ts';

export const attributesFeature: Feature<ExplainOwn, PinnedAttributes | null> &
  ReportRow &
  CommandRow = {
  key: 'attributes',
  commands: [
    {
      name: 'discover',
      group: 'manage',
      load: async () => (await import('./command.ts')).discoverCommand,
    },
    {
      name: 'grow',
      group: 'manage',
      load: async () => (await import('./grow-command.ts')).growCommand,
    },
  ],
  calls: {
    certain: {
      key: 'qualeval_calls',
      words: (calls) => `up to ${counted(calls, 'call')} about attributes`,
    },
    possible: 'qualeval_possible',
  },
  settings: attributeSettings,
  result: { run: attributeKeys },
  files: async () => [
    { kind: 'attributes', type: (await import('./file.ts')).attributesSchema, isWritten: false },
  ],
  emptyParts: { attributes: [], insights: [] },
  async read({ trust, isChosen, base, head }) {
    const from = { source: sources(trust).attributes, chosen: isChosen };
    const { pinned, ...found } = await readPinned(base, head, from);
    return { read: pinned, ...found };
  },
  plan: planExplain,
  judge: explainRun,
  after: tryInsights,
  report: async () => (await import('./report.ts')).attributesReport,
  results: {
    '.attributes.csv': async (result) => (await import('./report.ts')).attributeRows(result),
  },
};
