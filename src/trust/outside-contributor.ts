import { pairSuites } from '../kernel/select/pair.ts';
import { changedKeys, rubricIdentity } from '../kernel/select/scoring.ts';
import { canonicalJson } from '../kernel/suite/canonical-json.ts';
import type { Reference, Suite, Tests } from '../kernel/suite/suite.ts';
import type { Project } from '../project/settings.ts';
import { firstWords } from '../text/amounts.ts';
import { shorten } from '../text/visible.ts';
import { AGENT_PROGRAM } from '../types/model.ts';
import type { Json, Notice } from '../types/plain.ts';
import { canonicalContent } from './merge.ts';
import type { NotRun } from './trusted-sides.ts';

const MAX_VALUE = 60;

const CAN_RUN_IT =
  'A maintainer can run the new code by pushing it to a branch of this repository.';

/** Takes only prompt text and inputs from head. Reports what else head changed. */
export function fromOutside(base: Project | null, head: Project) {
  const notices: Notice[] = [];
  const notRun: NotRun[] = [];
  const counterparts = pairSuites(base?.suites ?? [], head.suites);
  const suites = head.suites.flatMap((after): Suite[] => {
    const before = counterparts.get(after);
    const code = codeOf(after, head) ?? (before === undefined ? null : codeOf(before, base));
    if (before === undefined || code !== null) {
      const { name } = (before ?? after).prompt;
      if (before === undefined || differs(before, after))
        notRun.push({ what: code ?? 'new prompts', suites: [name], files: [after.prompt.file] });
      return before === undefined ? [] : [before];
    }
    notices.push(...unusedNotices(before, after));
    return [withBaseReferences(before, after)];
  });
  const kept = new Set(counterparts.values());
  for (const before of base?.suites.filter((suite) => !kept.has(suite)) ?? []) {
    const what = codeOf(before, base);
    const { name, file } = before.prompt;
    if (what !== null) notRun.push({ what, suites: [name], files: [file] });
  }
  notices.push(...unusedRubrics(base, head));
  return {
    head: {
      ...head,
      settings: base?.settings ?? head.settings,
      suites,
      rubrics: base?.rubrics ?? head.rubrics,
    },
    notices,
    notRun,
  };
}

/** Code that computes the suite's answers. It never runs for outside contributors. */
function codeOf({ prompt }: Suite, project: Project | null): 'prompt code' | 'agents' | null {
  if (prompt.code !== null) return 'prompt code';
  const [program] = project?.settings.models.get(prompt.model ?? '')?.command ?? [];
  return program === AGENT_PROGRAM ? 'agents' : null;
}

function differs(before: Suite, after: Suite): boolean {
  const content = ({ prompt, tests }: Suite) =>
    canonicalContent([{ ...prompt, places: null, made: null }, tests]);
  return content(before) !== content(after);
}

function withBaseReferences(before: Suite, after: Suite): Suite {
  const known = new Map(before.tests.references.map((reference) => [reference.id, reference]));
  // Roll-up code gets all references, so a new one could influence it.
  const fresh =
    before.tests.rollup.kind === 'code'
      ? []
      : after.tests.references.filter(({ id }) => !known.has(id)).map(asUncounted);
  const kept = after.tests.references.flatMap((reference) => {
    const original = known.get(reference.id);
    return original === undefined ? [] : [withBaseReference(original, reference)];
  });
  const ids = new Set(kept.map(({ id }) => id));
  const dropped = before.tests.references.filter(({ id }) => !ids.has(id));
  return {
    prompt: { ...after.prompt, model: before.prompt.model, parameters: before.prompt.parameters },
    tests: { ...before.tests, references: [...kept, ...dropped, ...fresh] },
  };
}

/** Head can only give values to variables that have none in base's reference. */
function withBaseReference(original: Reference, written: Reference): Reference {
  return {
    ...original,
    place: written.place,
    problem: written.problem,
    input: { ...written.input, ...original.input },
    ...(written.ofTip !== undefined && { ofTip: written.ofTip }),
  };
}

/** New references do not count, because many easy ones would hide any drop. */
function asUncounted(reference: Reference): Reference {
  return {
    ...reference,
    skip: true,
    n_tries: null,
    metrics: [],
    tags: reference.tags.filter((tag) => tag !== 'critical'),
  };
}

/** One notice of all that base decides instead of head. */
function unusedNotices(before: Suite, after: Suite): Notice[] {
  const { code, other } = changedScoring(before, after);
  const { edited, dropped, added } = changedReferences(before.tests, after.tests);
  const isCombined = before.tests.rollup.kind === 'code';
  const shown = isCombined
    ? 'do not run, because the suite combines tries with its own code.'
    : 'run and are shown, but do not count.';
  return outsiderNotices(
    after.prompt.file,
    {
      'model or parameters': changedParameters(before, after),
      code,
      'how answers are judged': other,
      'edited references': edited,
      'removed references': dropped,
    },
    [
      ...(code.length === 0 ? [] : [CAN_RUN_IT]),
      ...(added.length === 0 ? [] : [`Its new references (${firstWords(added)}) ${shown}`]),
    ],
  );
}

function changedParameters({ prompt: before }: Suite, { prompt: after }: Suite): string[] {
  const valuesOf = ({ model, parameters }: Suite['prompt']) =>
    new Map<string, Json>(Object.entries({ model, ...parameters }));
  const wanted = valuesOf(after);
  return changedKeys(valuesOf(before), wanted, canonicalContent).map((key) => {
    const value = wanted.get(key);
    const words = value === undefined ? 'removed' : shorten(canonicalJson(value), MAX_VALUE);
    return `${key}: ${words}`;
  });
}

function changedScoring({ tests: before }: Suite, { tests: after }: Suite) {
  const metricsOf = ({ metrics }: Tests) => new Map(metrics.map((metric) => [metric.name, metric]));
  const rulesOf = ({ n_tries, skip, own, quarantine, rollup }: Tests) => {
    const ofKind = own === null ? {} : { [own.kind.key]: own };
    const rules = { metrics_rollup: rollup, n_tries, skip, ...ofKind, quarantine };
    return new Map<string, unknown>(Object.entries(rules));
  };
  const ofCode = new Set(
    [before, after].flatMap(({ metrics, rollup }) => [
      ...metrics.flatMap(({ name, source }) => (source.kind === 'code' ? `metrics.${name}` : [])),
      ...(rollup.kind === 'code' ? ['metrics_rollup'] : []),
    ]),
  );
  const changed = [
    ...changedKeys(metricsOf(before), metricsOf(after), canonicalContent).map(
      (name) => `metrics.${name}`,
    ),
    ...changedKeys(rulesOf(before), rulesOf(after), canonicalContent),
  ];
  return {
    code: changed.filter((field) => ofCode.has(field)),
    other: changed.filter((field) => !ofCode.has(field)),
  };
}

function changedReferences(before: Suite['tests'], after: Suite['tests']) {
  const known = new Map(before.references.map((reference) => [reference.id, reference]));
  const written = new Set(after.references.map(({ id }) => id));
  const isEdited = (reference: Reference) => {
    const original = known.get(reference.id);
    return (
      original !== undefined &&
      canonicalContent({ ...withBaseReference(original, reference), problem: null }) !==
        canonicalContent({ ...reference, problem: null })
    );
  };
  return {
    edited: after.references.filter(isEdited).map(({ id }) => id),
    dropped: [...known.keys()].filter((id) => !written.has(id)),
    added: [...written].filter((id) => !known.has(id)),
  };
}

function unusedRubrics(base: Project | null, head: Project): Notice[] {
  if (base === null) return [];
  const rubricsOf = ({ rubrics }: Project) =>
    new Map([...rubrics].map(([name, rubric]) => [name, rubricIdentity(rubric)]));
  const names = changedKeys(rubricsOf(base), rubricsOf(head), canonicalContent);
  const [file = null] = names.flatMap((name) => head.rubrics.get(name)?.place.file ?? []);
  return outsiderNotices(file, { rubrics: names });
}

function outsiderNotices(
  file: string | null,
  changes: Record<string, readonly string[]>,
  more: readonly string[] = [],
): Notice[] {
  const changed = Object.entries(changes).flatMap(([what, names]) =>
    names.length === 0 ? [] : [`${what} (${firstWords(names)})`],
  );
  const used = `Base's version was used of: ${changed.join(', ')}.`;
  const sentences = [...(changed.length === 0 ? [] : [used]), ...more];
  const message = `this pull request comes from an outside contributor. ${sentences.join(' ')}`;
  const place = file === null ? null : { file, line: 0 };
  return sentences.length === 0 ? [] : [{ kind: 'trust', place, message }];
}
