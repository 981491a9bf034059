import type { Budget, GateSettings, Notice, Project, Reference, Side, Suite } from '../types.ts';
import { canonicalJson } from './canonical.ts';
import { pairSuites } from './pair.ts';
import type { Sources } from './trust.ts';

/** Both sides as they may be run at a level of trust: what a pull request must not choose has been put back to base's. */
export interface Arranged {
  base: Project | null;
  head: Project;
  gate: GateSettings;
  budget: Budget;
  /** Whose commit programs and recordings of models are read from. */
  models: Side;
  notices: Notice[];
}

/** Applies the one table of what comes from which side. Base is null where it has no readable project. */
export function arrange(base: Project | null, head: Project, sources: Sources): Arranged {
  const hasBaseSettings = base !== null && base.settings.file !== null;
  const gate = sources.gate !== 'head' && hasBaseSettings ? base.settings.gate : head.settings.gate;
  const budget = sources.budget !== 'head' && hasBaseSettings ? base.settings.budget : head.settings.budget;
  const notices = [...settingsNotices(base, head, hasBaseSettings && sources.gate !== 'head'), ...triesNotices(base, head, sources)];
  const models = sources.model === 'head' ? 'head' : 'base';
  if (sources.metrics === 'head') return { base, head, gate, budget, models, notices };
  const outside = fromOutside(base, head);
  return { base, head: outside.head, gate, budget, models, notices: [...notices, ...outside.notices] };
}

function settingsNotices(base: Project | null, head: Project, baseCounts: boolean): Notice[] {
  if (base === null || !baseCounts) return [];
  const place = head.settings.file === null ? null : { file: head.settings.file, line: 0 };
  return (['gate', 'budget'] as const)
    .filter((key) => canonicalJson({ ...base.settings[key] }) !== canonicalJson({ ...head.settings[key] }))
    .map((key) => ({ kind: 'settings', place, message: `this pull request changes \`${key}\`; base's settings are in force until it is merged` }));
}

/** Tries are in no fingerprint, so a change to them has no effect that could be seen; it is said instead. */
function triesNotices(base: Project | null, head: Project, sources: Sources): Notice[] {
  if (base === null || sources.settings !== 'head') return [];
  const changed = [
    ...(base.settings.n_tries === head.settings.n_tries ? [] : [head.settings.file]),
    ...pairSuites(base, head).flatMap(({ base: before, head: after }) => (before !== null && after !== null && before.tests.n_tries !== after.tests.n_tries ? [after.tests.file] : [])),
  ];
  return [...new Set(changed)].map((file) => ({
    kind: 'settings', place: file === null ? null : { file, line: 0 }, message: 'this pull request changes `n_tries`; that alone runs nothing, and holds for what else it makes run',
  }));
}

/** A pull request from outside: head's prompt text and inputs as data, everything else base's. */
function fromOutside(base: Project | null, head: Project): { head: Project; notices: Notice[] } {
  const notices: Notice[] = [];
  const suites = pairSuites(base, head).flatMap(({ base: before, head: after }) => {
    if (after === null) return before === null ? [] : [before];
    const file = after.prompt.file;
    if (before === null) {
      notices.push(notice(file, 'this pull request comes from outside and adds a prompt. It is judged once a maintainer pushes it to a branch of this repository.'));
      return [];
    }
    if (after.prompt.code !== null || before.prompt.code !== null) {
      notices.push(notice(file, 'prompt code needs network and packages. It runs only with code: host, on branches of this repository.'));
      return [];
    }
    notices.push(...refused(before, after));
    return [measuredByBase(before, after)];
  });
  const settings = base === null ? head.settings : base.settings;
  if (base !== null && rubricsDiffer(base, head)) notices.push(notice(null, "this pull request comes from outside and changes rubrics; base's rubrics were used."));
  return { head: { ...head, settings, suites, rubrics: base?.rubrics ?? head.rubrics }, notices };
}

function measuredByBase(before: Suite, after: Suite): Suite {
  const baseById = new Map(before.tests.references.map((reference) => [reference.id, reference]));
  const kept = after.tests.references.map((reference): Reference => {
    const known = baseById.get(reference.id);
    return known === undefined ? reference : { ...reference, expected: known.expected, skip: known.skip, tags: known.tags };
  });
  const ids = new Set(kept.map(({ id }) => id));
  const dropped = before.tests.references.filter(({ id }) => !ids.has(id));
  return {
    prompt: { ...after.prompt, model: before.prompt.model, parameters: before.prompt.parameters },
    tests: { ...before.tests, references: [...kept, ...dropped] },
  };
}

/** What head changes and is not used, named by file and field. */
function refused(before: Suite, after: Suite): Notice[] {
  const notices: Notice[] = [];
  const differs = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other);
  const scoring = ({ tests: { metrics, rollup } }: Suite): unknown => [metrics.map(({ place: _, ...rest }) => rest), rollup];
  if (differs(scoring(before), scoring(after))) {
    notices.push(notice(after.tests.file, 'this pull request comes from outside and changes code (metrics). The base version was run. A maintainer can run the new code by pushing it to a branch of this repository.'));
  }
  if (differs([before.prompt.model, before.prompt.parameters], [after.prompt.model, after.prompt.parameters])) {
    notices.push(notice(after.prompt.file, "this pull request comes from outside and changes the model or its parameters. Base's were used."));
  }
  return notices;
}

function rubricsDiffer(base: Project, head: Project): boolean {
  const text = ({ rubrics }: Project): string => JSON.stringify([...rubrics].map(([name, { prompt, choice_scores }]) => [name, prompt, [...choice_scores]]));
  return text(base) !== text(head);
}

function notice(file: string | null, message: string): Notice {
  return { kind: 'trust', message, place: file === null ? null : { file, line: 0 } };
}
