import type { Feature } from '../../app/run/feature.ts';
import type { SessionRow } from '../../app/session/session-row.ts';
import type { RequestTransport } from '../../edges/providers/index.ts';
import { directNotices } from './direct.ts';

export const batchFeature: Feature & SessionRow = {
  key: 'batch',
  plan: (run) => ({ own: null, notices: directNotices(run) }),
  transport:
    ({ openStores, ...batches }) =>
    (options) => {
      const open = async () => {
        const { createBatches } = await import('./batches.ts');
        const { ledgerOf } = await import('./open-batch.ts');
        last = createBatches({ ...options, batches: { ...batches, ledger: ledgerOf(openStores) } });
        return last;
      };
      let opening: Promise<RequestTransport> | null = null;
      let last: RequestTransport | null = null;
      return {
        complete: async (request, target) =>
          (last ?? (await (opening ??= open()))).complete(request, target),
        waiting: () => last?.waiting() ?? null,
        close: async () => (await opening)?.close(),
      };
    },
};
