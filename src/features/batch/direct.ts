import type { PlanningRun } from '../../app/run/feature.ts';
import { isFullSweep } from '../../app/run/prepare.ts';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import { wantsBatches } from '../../config/targets.ts';
import { targetsOf } from '../../money/prepared.ts';
import type { Settings } from '../../project/settings.ts';
import { isHosted, type Target } from '../../types/model.ts';
import type { Notice } from '../../types/plain.ts';

/** Names the models that are called directly, although the settings ask for batches. */
export function directNotices({ input, suites, head }: PlanningRun<unknown>): Notice[] {
  const { settings } = head.project;
  const targets = isFullSweep(input) ? [] : targetsOf({ suites, features: [] });
  const batched = targets.filter((target) => asksForBatches(target, settings));
  const models = [...new Set(batched.map(({ model }) => model))];
  if (models.length === 0) return [];
  const message =
    `transport: batch is for full sweeps: calls of ${models.join(', ')} are direct here, ` +
    'because a batch may take a day';
  return [{ kind: 'settings', place: { file: settings.file ?? SETTINGS_FILE, line: 0 }, message }];
}

export function asksForBatches(target: Target, settings: Settings): boolean {
  if (!isHosted(target)) return false;
  const { provider, endpoint, model } = target;
  const named = [...settings.models.values()].filter(
    (entry) => entry.provider === provider && entry.endpoint === endpoint && entry.model === model,
  );
  return named.length === 0
    ? wantsBatches({ provider, endpoint }, settings)
    : named.some((entry) => wantsBatches(entry, settings));
}
