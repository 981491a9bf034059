import { userError } from '../errors.ts';
import { MOST_TRIES } from '../kernel/plan/looks.ts';
import type { Reason } from '../kernel/result/reason.ts';
import { pairReferences, pairSuites } from '../kernel/select/pair.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import { DEFAULT_GATE, type GateSettings } from '../kernel/suite/gate-settings.ts';
import type { Reference } from '../kernel/suite/suite.ts';
import type { Project, Settings, OwnSettings } from '../project/settings.ts';
import { counted, firstWords } from '../text/amounts.ts';
import { shorten } from '../text/visible.ts';
import type { Json, JsonMap, Notice } from '../types/plain.ts';
import type { SourceTree } from '../types/repository.ts';
import { fromOutside } from './outside-contributor.ts';
import type { Source, Sources } from './trust.ts';
import type { TrustedSides } from './trusted-sides.ts';

/** `base` is null if its project is not readable. */
export function applyTrust(
  base: Project | null,
  written: Project,
  sources: Sources,
  own: readonly OwnSettings[],
): TrustedSides {
  const ruled = sources.gate === 'head' ? written : withTriesOfBase(base, written);
  const hasBaseSettings = base !== null && base.settings.file !== null;
  const gate = setting('gate', sources.gate, base, ruled) ?? DEFAULT_GATE;
  const budget = setting('budget', sources.budget, base, ruled) ?? {
    max_calls: null,
    max_cost_usd: null,
  };
  const head = withOwnOfBase(base, ruled, { gate, own, source: sources.budget });
  const notices = [
    ...baseSettingsNotices(base, ruled, hasBaseSettings && sources.gate !== 'head' ? own : null),
    ...(sources.settings === 'head' ? triesNotices(written, head) : []),
    ...keptNotices(written, head),
  ];
  const models = sources.model === 'head' ? 'head' : 'base';
  const ownRules = sources.gate === 'base-else-head' ? firstRules(base, head) : [];
  const gated = sources.gate === 'head' ? { head, notices: [] } : withGatesOfBase(base, head);
  notices.push(...gated.notices);
  const both: Omit<TrustedSides, 'head' | 'notices' | 'notRun'> = {
    base,
    gate,
    budget,
    models,
    ownRules,
  };
  if (sources.metrics === 'head') return { ...both, head: gated.head, notices, notRun: [] };
  const outside = fromOutside(base, gated.head);
  return { ...both, ...outside, notices: [...notices, ...outside.notices] };
}

function withGatesOfBase(
  base: Project | null,
  head: Project,
): { head: Project; notices: Notice[] } {
  const bases = pairSuites(base?.suites ?? [], head.suites);
  const notices: Notice[] = [];
  const suites = head.suites.map((suite) => {
    const before = bases.get(suite);
    if (
      before === undefined ||
      canonicalJson({ ...before.tests.gate }) === canonicalJson({ ...suite.tests.gate })
    )
      return suite;
    notices.push({
      kind: 'settings',
      place: { file: suite.tests.file, line: 0 },
      message:
        `${suite.prompt.name}: this pull request changes the suite's gate ` +
        `${keyChanges(before.tests.gate, suite.tests.gate)}; base's gate applies until it is merged`,
    });
    const { gate: _, ...tests } = suite.tests;
    return {
      ...suite,
      tests: before.tests.gate === undefined ? tests : { ...tests, gate: before.tests.gate },
    };
  });
  return { head: notices.length === 0 ? head : { ...head, suites }, notices };
}

/**
 * If base has no settings file, head's value applies. For outside contributors, the default applies.
 */
function setting<K extends keyof Settings>(
  key: K,
  source: Source,
  base: Project | null,
  head: Project,
): Project['settings'][K] | null {
  if (source === 'head') return head.settings[key];
  if (base !== null && (base.settings.file !== null || source === 'base-else-defaults'))
    return base.settings[key];
  return source === 'base-else-defaults' ? null : head.settings[key];
}

/**
 * If base has no settings file, head's also applies to base's prompts. Returns the settings that
 * differ from the defaults.
 */
function firstRules(base: Project | null, { settings }: Project): Reason[] {
  if (base === null || base.suites.length === 0 || base.settings.file !== null) return [];
  const own = (Object.keys(settings.gate) as (keyof GateSettings)[])
    .filter(
      (key) =>
        canonicalJson(settings.gate[key] ?? null) !== canonicalJson(DEFAULT_GATE[key] ?? null),
    )
    .map((key) => `gate.${key}`);
  const rules = settings.n_tries === 'adaptive' ? own : [...own, 'n_tries'];
  return rules.length === 0 ? [] : [{ code: 'own-rules', rules }];
}

/**
 * Features' settings also come from base (`fromBase`). If base has none, outside contributors get
 * the default, because they must not decide what a run costs.
 */
function withOwnOfBase(
  base: Project | null,
  head: Project,
  { gate, own, source }: { gate: GateSettings; own: readonly OwnSettings[]; source: Source },
): Project {
  const kept = own
    .filter(({ fromBase }) => fromBase(gate))
    .map(({ key, schema }): [string, unknown] => {
      const name = key as keyof Settings;
      return [key, setting(name, source, base, head) ?? schema.parse(undefined)];
    });
  const json = (value: unknown) => canonicalJson(value as Json);
  const isHeads = kept.every(
    ([key, value]) => json(head.settings[key as keyof Settings]) === json(value),
  );
  return isHeads ? head : { ...head, settings: { ...head.settings, ...Object.fromEntries(kept) } };
}

function baseSettingsNotices(
  base: Project | null,
  head: Project,
  own: readonly OwnSettings[] | null,
): Notice[] {
  if (base === null || own === null) return [];
  const place = head.settings.file === null ? null : { file: head.settings.file, line: 0 };
  const inForce = own.filter(({ fromBase }) => fromBase(base.settings.gate));
  return ['gate', 'budget', ...inForce.map(({ key }) => key)].flatMap((key): Notice[] => {
    const name = key as keyof Settings;
    const changes = keyChanges(
      base.settings[name] as object | null,
      head.settings[name] as object | null,
    );
    if (changes === '') return [];
    const message = `this pull request changes ${key} ${changes}; base's settings apply until it is merged`;
    return [{ kind: 'settings', place, message }];
  });
}

/** For example `(min_pass_rate 0.9 → 0.5)`. Empty if nothing differs. */
function keyChanges(base: object | null = null, head: object | null = null): string {
  const before: JsonMap = { ...base };
  const after: JsonMap = { ...head };
  const text = (value: Json = null) => (typeof value === 'string' ? value : canonicalJson(value));
  const changes = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => text(before[key]) !== text(after[key]))
    .map((key) => `${key} ${shorten(text(before[key]), 40)} → ${shorten(text(after[key]), 40)}`);
  return changes.length === 0 ? '' : `(${firstWords(changes, 3)})`;
}

type TriesRule = Settings['n_tries'];

function isFewer(left: TriesRule, right: TriesRule): boolean {
  const most = (rule: TriesRule) => (rule === 'adaptive' ? MOST_TRIES : rule);
  return most(left) < most(right);
}

/** A pull request cannot remove critical tags or lower the number of tries. */
function withTriesOfBase(base: Project | null, head: Project): Project {
  if (base === null) return head;
  const settings =
    base.settings.file !== null && isFewer(head.settings.n_tries, base.settings.n_tries)
      ? { ...head.settings, n_tries: base.settings.n_tries }
      : head.settings;
  const counterparts = pairSuites(base.suites, head.suites);
  const suites = head.suites.map((suite) => {
    const before = counterparts.get(suite);
    if (before === undefined) return suite;
    const rule = suite.tests.n_tries ?? settings.n_tries;
    const ofBase =
      before.tests.n_tries ?? (base.settings.file === null ? null : base.settings.n_tries);
    const isLower = ofBase !== null && isFewer(rule, ofBase);
    const references = withRulesOfBase(before.tests.references, suite.tests.references, rule);
    return isLower || references !== suite.tests.references
      ? { ...suite, tests: { ...suite.tests, references, ...(isLower && { n_tries: ofBase }) } }
      : suite;
  });
  const isAsWritten =
    settings === head.settings && suites.every((suite, at) => suite === head.suites[at]);
  return isAsWritten ? head : { ...head, settings, suites };
}

function withRulesOfBase(
  before: readonly Reference[],
  after: Reference[],
  rule: TriesRule,
): Reference[] {
  if (!before.some(({ n_tries, tags }) => n_tries !== null || tags.includes('critical')))
    return after;
  const least = rule === 'adaptive' ? 0 : rule;
  const counterparts = pairReferences(before, after);
  const ruled = after.map((reference) => {
    const was = counterparts.get(reference);
    if (was === undefined) return reference;
    const tries = was.n_tries !== null && (reference.n_tries ?? least) < was.n_tries;
    const critical = was.tags.includes('critical') && !reference.tags.includes('critical');
    if (!tries && !critical) return reference;
    return {
      ...reference,
      ...(tries ? { n_tries: was.n_tries } : {}),
      ...(critical ? { tags: [...reference.tags, 'critical'] } : {}),
    };
  });
  return ruled.every((reference, at) => reference === after[at]) ? after : ruled;
}

function keptNotices(written: Project, head: Project): Notice[] {
  return head.suites.flatMap(({ prompt, tests }, at) => {
    const before = written.suites[at]?.tests.references ?? [];
    const kept = tests.references.filter((reference, index) => reference !== before[index]);
    return kept.length === 0
      ? []
      : [
          {
            kind: 'settings' as const,
            place: { file: tests.file, line: 0 },
            message:
              `${prompt.name}: this pull request removes \`critical\` or lowers \`n_tries\` in ` +
              `${counted(kept.length, 'reference')} (${firstWords(kept.map(({ id }) => id))}); ` +
              "base's values apply until it is merged",
          },
        ];
  });
}

/** A notice is necessary, because a change of `n_tries` alone runs nothing. */
function triesNotices(written: Project, head: Project): Notice[] {
  const lowered = [
    ...(written.settings.n_tries === head.settings.n_tries ? [] : [written.settings.file]),
    ...written.suites.flatMap(({ tests }, at) =>
      tests.n_tries === head.suites[at]?.tests.n_tries ? [] : [tests.file],
    ),
  ];
  return [...new Set(lowered)].map((file) => ({
    kind: 'settings',
    place: file === null ? null : { file, line: 0 },
    message: "this pull request lowers `n_tries`; base's value applies until it is merged",
  }));
}

/**
 * Replaces head's `paths` by base's, so that head's files are not even read. `unused`: paths that
 * head changed since `origin`.
 */
export function withFilesOf(
  base: SourceTree | null,
  head: SourceTree,
  paths: readonly string[],
  origin: SourceTree | null = base,
): { tree: SourceTree; unused: string[] } {
  const chosen = new Set(paths);
  const own = <T>(entries: ReadonlyMap<string, T>): [string, T][] =>
    [...entries].filter(([path]) => !chosen.has(path));
  const bases = <T>(entries: ReadonlyMap<string, T> | undefined): [string, T][] =>
    [...(entries ?? [])].filter(([path]) => chosen.has(path));
  const tree: SourceTree = {
    commit: head.commit,
    files: new Map([...own(head.files), ...bases(base?.files)]),
    irregular: new Map([...own(head.irregular), ...bases(base?.irregular)]),
    links: new Map([...own(head.links ?? new Map()), ...bases(base?.links)]),
    read: (path, most) =>
      base !== null && chosen.has(path) ? base.read(path, most) : head.read(path, most),
    readLink: (path) => {
      const side = base !== null && chosen.has(path) ? base : head;
      return side.readLink?.(path) ?? Promise.reject(userError(path, 'is not a symbolic link'));
    },
  };
  const kindOf = (side: SourceTree | null, path: string): string | undefined =>
    side?.files.get(path)?.id ?? side?.irregular.get(path);
  return {
    tree,
    unused: [...chosen].filter((path) => kindOf(origin, path) !== kindOf(head, path)),
  };
}
