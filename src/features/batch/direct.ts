import type { PlanningRun } from '../../app/run/feature.ts';
import { isFullSweep } from '../../app/run/prepare.ts';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import { wantsBatches } from '../../config/targets.ts';
import { targetsOf } from '../../money/prepared.ts';
import type { Settings } from '../../project/settings.ts';
import { isHosted, type Target } from '../../types/model.ts';
import type { Notice } from '../../types/plain.ts';

/** Names the models that are called directly, although their settings ask for batches. */
export function directNotices({ input, suites, head }: PlanningRun<unknown>): Notice[] {
  const { settings } = head.project;
  const targets = targetsOf({ suites, features: [] });
  const names = isFullSweep(input) ? [] : batchedNames(targets, settings);
  if (names.length === 0) return [];
  const place = {
    file: settings.file ?? SETTINGS_FILE,
    line: settings.models.get(names[0] ?? '')?.place.line ?? 0,
  };
  return [
    {
      kind: 'settings',
      place,
      message: [
        `transport: batch is for full sweeps: here ${names.join(', ')} `,
        names.length === 1 ? 'is' : 'are',
        ' called directly, because a batch may take a day',
      ].join(''),
    },
  ];
}

export function batchedNames(targets: readonly Target[], settings: Settings): string[] {
  const entries = [...settings.models].map(([name, entry]) => ({ name, ...entry }));
  const names = targets.flatMap((target): string[] => {
    if (!isHosted(target)) return [];
    const { provider, endpoint, model } = target;
    const own = entries.filter(
      (entry) =>
        entry.provider === provider && entry.endpoint === endpoint && entry.model === model,
    );
    if (own.length === 0) return wantsBatches({ provider, endpoint }, settings) ? [model] : [];
    return own.filter((entry) => wantsBatches(entry, settings)).map(({ name }) => name);
  });
  return [...new Set(names)];
}
