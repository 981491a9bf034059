import picomatch from 'picomatch';
import type { ModelSettings, Place, Problem, Settings, SourceTree, Target } from '../../types.ts';
import { canonicalJson } from '../fingerprint/canonical.ts';

/**
 * Vendors' public model families, by the start of the name; anything else needs an entry under
 * `models:`.
 */
const FAMILIES: readonly { provider: 'openai' | 'anthropic'; pattern: RegExp }[] = [
  { provider: 'openai', pattern: /^(gpt-|chatgpt-|o\d|text-embedding-)/ },
  { provider: 'anthropic', pattern: /^claude-/ },
];

export interface TargetContext {
  settings: Settings;
  tree: SourceTree;
  /** Any collision-resistant hash of text. */
  hash(text: string): string;
  /**
   * Whether models may be asked in batches: in full sweeps, for nobody waits a day for a check.
   * Absent: no.
   */
  batches?: boolean;
}

/**
 * Where requests for a model name go, or what the user has to mend (at `place`, where the name is
 * used).
 */
export function resolveTarget(
  model: string,
  place: Place,
  context: TargetContext,
): Target | Problem {
  const entry = context.settings.models.get(model);
  if (entry !== undefined) return targetOf(entry, context);
  // Before the vendors' families: a model that was retired has the name of one.
  const successor = [...context.settings.models].find(([, settings]) =>
    settings.replaces.includes(model),
  );
  if (successor !== undefined) return targetOf(successor[1], context);
  const family = FAMILIES.find(({ pattern }) => pattern.test(model));
  if (family !== undefined)
    return {
      provider: family.provider,
      endpoint: null,
      model,
      ...transportOf({ provider: family.provider, endpoint: null }, context),
    };
  const settingsFile = context.settings.file ?? 'evaldiff.yaml';
  return {
    place,
    message: `no provider is known for the model "${model}"; name it in ${settingsFile}: models: { ${JSON.stringify(model)}: { provider: openai } }`,
  };
}

export function isProblem(value: Target | Problem): value is Problem {
  return 'message' in value;
}

function targetOf(entry: ModelSettings, context: TargetContext): Target {
  const { provider, endpoint, model } = entry;
  if (provider === 'program') {
    return {
      provider,
      model,
      command: entry.command,
      setup: entry.setup,
      files: programFingerprint(entry, context),
      commit: context.tree.commit,
    };
  }
  if (provider === 'replay') {
    const file = entry.file ?? '';
    return {
      provider,
      model,
      file,
      content: context.tree.files.get(file)?.id ?? '',
      commit: context.tree.commit,
    };
  }
  return { provider, endpoint, model, ...transportOf(entry, context) };
}

/** An entry's own word, else the settings'. Only the vendors' own servers have batches. */
function transportOf(
  entry: Pick<ModelSettings, 'provider' | 'endpoint' | 'transport'>,
  { batches = false, settings }: TargetContext,
): { transport?: 'batch' } {
  return batches && wantsBatches(entry, settings) ? { transport: 'batch' } : {};
}

function wantsBatches(
  { provider, endpoint, transport }: Pick<ModelSettings, 'provider' | 'endpoint' | 'transport'>,
  settings: Settings,
): boolean {
  return (
    (provider === 'openai' || provider === 'anthropic') &&
    endpoint === null &&
    (transport ?? settings.transport) === 'batch'
  );
}

/** Whether requests to this target are asked in batches. */
export function isBatched(target: Target): boolean {
  return 'transport' in target && target.transport === 'batch';
}

/**
 * Names of models that a full sweep would ask in batches, of those that these targets stand for.
 */
export function batchedNames(targets: readonly Target[], settings: Settings): string[] {
  const entries = [...settings.models].map(([name, entry]) => ({ name, ...entry }));
  const names = targets.flatMap((target): string[] => {
    if (target.provider !== 'openai' && target.provider !== 'anthropic') return [];
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

/**
 * Hash over the program's files at this commit: `files` globs, or else the words of the command
 * that are files.
 */
function programFingerprint(entry: ModelSettings, { tree, hash }: TargetContext): string {
  const matches =
    entry.files.length > 0
      ? picomatch(entry.files, { dot: true })
      : (path: string) => entry.command.includes(path);
  const ids = [...tree.files]
    .filter(([path]) => matches(path))
    .map(([path, { id }]) => [path, id])
    .sort();
  return hash(canonicalJson(ids));
}
