import type { CommandRow } from '../../app/commands/terminal.ts';
import type { Feature } from '../../app/run/feature.ts';
import { comparing } from '../../kernel/plan/tries.ts';
import type { TrendOptions } from './command.ts';
import { storedHistory, withHistory, withSteady } from './tries.ts';

export const historyFeature: Feature & CommandRow = {
  key: 'history',
  variants: [
    {
      command: 'report',
      options: [
        [
          '--history [branch]',
          "the trend of a branch's full sweeps, in the order of its commits (default: the default branch)",
        ],
        ['-C, --directory <folder>', 'the repository of that branch', '.'],
      ],
      takes: ({ history }: Partial<TrendOptions>) => history !== undefined,
      async run(paths, options: TrendOptions, terminal) {
        const { renderHistory } = await import('./command.ts');
        return { text: await renderHistory(paths, options, terminal), code: 0 };
      },
    },
    {
      command: 'view',
      options: [],
      takes: ({ sweeps }: { sweeps?: number }) => (sweeps ?? 0) > 1,
      async run(paths, _, terminal) {
        const { renderHistory } = await import('./command.ts');
        const options = { directory: '.', format: 'html' } as const;
        return { text: await renderHistory(paths, options, terminal), code: 0 };
      },
    },
  ],
  async plan({ input: { mode }, suites, tools: { kept, hash } }) {
    if (kept === undefined) return null;
    if (mode !== 'diff' || comparing(suites).adaptive.length === 0) return { own: null };
    return { own: null, suites: withSteady(suites, storedHistory(await kept(), hash)) };
  },
  async after(_plan, { rows }, { kept, hash, spent: { meter } }) {
    const { calls, reused, replayed = 0 } = meter.totals();
    if (kept === undefined || calls + reused + replayed === 0) return {};
    return { rows: withHistory(rows, storedHistory(await kept(), hash)) };
  },
};
