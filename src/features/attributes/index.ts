import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature, SidesRead } from '../../app/run/feature.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';
import { counted } from '../../text/amounts.ts';
import { sources } from '../../trust/trust.ts';
import { explainRun } from './explain-run.ts';
import type { PinnedAttributes } from './file.ts';
import { readPinned } from './pinned.ts';
import { planExplain, type ExplainOwn } from './plan.ts';
import { attributeKeys } from './result.ts';
import { attributeSettings } from './settings.ts';
import { planInsights, tryInsights, type InsightPlan } from './try-insights.ts';

function readOwnAttributes({
  trust,
  isChosen,
  base,
  head,
}: SidesRead): ReturnType<typeof readPinned> {
  const source = sources(trust).attributes;
  return readPinned(base, head, { source, chosen: isChosen });
}

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
  async read(sides) {
    const { pinned, ...found } = await readOwnAttributes(sides);
    return { read: pinned, ...found };
  },
  plan: planExplain,
  judge: explainRun,
  report: async () => (await import('./report.ts')).attributesReport,
  tables: {
    attributes: async (result) => (await import('./report.ts')).attributeRows(result),
  },
};

/** The search for causes runs before insights and may use all calls. */
export const insightsFeature: Feature<InsightPlan, PinnedAttributes | null> &
  ReportRow &
  CommandRow = {
  key: 'insights',
  calls: { possible: 'insight_possible' },
  // The feature `attributes` already reports the file's errors.
  async read(sides) {
    const { pinned } = await readOwnAttributes(sides);
    return { read: pinned };
  },
  plan: planInsights,
  after: tryInsights,
};
