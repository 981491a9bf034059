import type { Because } from '../result/suite-result.ts';
import { canonicalJson } from '../suite/canonical-json.ts';
import { metricIdentity } from '../suite/metrics.ts';
import type { Reference } from '../suite/suite.ts';
import { bringsAnswer } from '../suite/template.ts';
import {
  fingerprintOf,
  type AffectedReference,
  type Generation,
  type SuiteSide,
} from './affected-suite.ts';
import { createGeneration, withScript } from './generation.ts';
import { NO_MOVES, askedOf, pairReferences, type Moves } from './pair.ts';
import { promptChanges } from './prompt-changes.ts';
import { referenceScoringDiffers, scoringChanges } from './scoring.ts';

export interface MovesHere extends Moves {
  others: readonly SuiteSide[];
}

interface AffectedPart {
  because: Because[];
  references: AffectedReference[];
  unaffected: number;
  unasked?: string[];
}

export function affectedReferences(
  base: SuiteSide | null,
  head: SuiteSide | null,
  moves: MovesHere = { ...NO_MOVES, others: [] },
): AffectedPart {
  const part = affectedPart(base, head, moves);
  const isUnasked = ({ reference, head: asked }: AffectedReference) =>
    reference.ofTip === true && asked?.kind === 'impossible';
  const unasked = part.references.filter(isUnasked).map(({ reference }) => reference.id);
  if (unasked.length === 0) return part;
  return { ...part, references: part.references.filter((each) => !isUnasked(each)), unasked };
}

function affectedPart(
  base: SuiteSide | null,
  head: SuiteSide | null,
  moves: MovesHere,
): AffectedPart {
  if (head === null) return removedSuite(base, moves);
  if (base === null) return newSuite(head, moves);
  const shared = scoringChanges(base.scoring, head.scoring);
  const because = [...promptChanges(base, head), ...shared];
  const counterparts = pairReferences(base.suite.tests.references, head.suite.tests.references);
  const { references, keys, files } = touchedReferences(
    { base, head, counterparts, moves },
    { scoring: shared.length > 0, any: because.length > 0 },
  );
  const unaffected = head.suite.tests.references.length - references.length;
  const removed = removedReferences(base, new Set(counterparts.values()), moves);
  if (keys.has('references') || removed.length > 0)
    because.push(
      ...[...new Set([...files, ...removed.map(({ reference }) => reference.place.file)])].map(
        (file) => ({ key: 'references', file }),
      ),
    );
  return {
    because: references.length + removed.length > 0 ? because : [],
    references: [...references, ...removed],
    unaffected,
  };
}

/**
 * If anything changed, also returns references that cannot run, because the suite might otherwise
 * count as unaffected.
 */
function touchedReferences(
  {
    base,
    head,
    counterparts,
    moves,
  }: {
    base: SuiteSide;
    head: SuiteSide;
    counterparts: ReadonlyMap<Reference, Reference>;
    moves: MovesHere;
  },
  changed: { scoring: boolean; any: boolean },
) {
  const pairs = head.suite.tests.references.map((reference) => {
    const moved = movedReference(head, reference, moves);
    if (moved !== null) return { pair: moved, reason: 'references' };
    const pair = pairReference(base, head, reference, counterparts.get(reference) ?? null);
    return { pair, reason: reasonFor(base, pair, changed.scoring) };
  });
  const keys = new Set(pairs.flatMap(({ reason }) => reason ?? []));
  const edited = pairs.filter(({ reason }) => reason === 'references');
  const suiteChanged = changed.any || keys.size > 0;
  const shown = pairs.filter(
    ({ pair, reason }) => reason !== null || (suiteChanged && pair.head?.kind === 'impossible'),
  );
  return {
    references: shown.map(({ pair }) => pair),
    keys,
    files: new Set(edited.flatMap(({ pair }) => editedFiles(pair))),
  };
}

function editedFiles({ reference, baseReference }: AffectedReference): string[] {
  const before = new Set((baseReference?.metrics ?? []).map(metricIdentity));
  if (baseReference === null) return [reference.place.file];
  const values = Object.entries(reference.inputFiles ?? {})
    .filter(([name]) => reference.input[name] !== baseReference.input[name])
    .map(([, file]) => file);
  const shown = Object.entries(reference.shown ?? {})
    .filter(([key, { id }]) => id !== (baseReference.shown?.[key]?.id ?? id))
    .map(([, { path }]) => path);
  const elsewhere = (reference.metrics ?? [])
    .filter((metric) => !before.has(metricIdentity(metric)))
    .map(({ codeAt, valuesFile, place }) => valuesFile ?? codeAt?.file ?? place.file);
  const files = [...values, ...shown, ...elsewhere];
  return files.length > 0 ? files : [reference.place.file];
}

function newSuite(head: SuiteSide, moves: MovesHere): AffectedPart {
  return {
    because: [{ key: 'new prompt', file: head.suite.prompt.file }],
    references: head.suite.tests.references.map(
      (reference) =>
        movedReference(head, reference, moves) ?? {
          reference,
          base: null,
          head: requestedGeneration(head, reference),
          change: 'both',
          baseReference: null,
        },
    ),
    unaffected: 0,
  };
}

function removedSuite(base: SuiteSide | null, moves: MovesHere): AffectedPart {
  return {
    because: base === null ? [] : [{ key: 'removed prompt', file: base.suite.prompt.file }],
    references: base === null ? [] : removedReferences(base, new Set(), moves),
    unaffected: 0,
  };
}

function movedReference(
  head: SuiteSide,
  reference: Reference,
  { moved, others }: MovesHere,
): AffectedReference | null {
  const was = moved.get(reference);
  const side = others.find(({ suite }) => suite.tests.references.some((own) => own === was));
  if (was === undefined || side === undefined) return null;
  return { ...pairReference(side, head, reference, was), from: side.suite.prompt.name };
}

function requestedGeneration(
  { suite: { prompt, tests }, variant }: SuiteSide,
  reference: Reference,
): Generation {
  return withScript(createGeneration(prompt, variant, reference), tests, reference);
}

function pairReference(
  base: SuiteSide,
  head: SuiteSide,
  reference: Reference,
  counterpart: Reference | null,
): AffectedReference {
  const headGeneration = requestedGeneration(head, reference);
  const edited =
    counterpart !== null &&
    (referenceScoringDiffers(counterpart, reference) ||
      canonicalJson(askedOf(counterpart)) !== canonicalJson(askedOf(reference)));
  const change = counterpart === null ? 'added' : edited ? 'edited' : 'both';
  const runnable = headGeneration.kind !== 'impossible';
  return {
    reference,
    base: runnable ? baseGeneration(base, reference, counterpart) : null,
    head: headGeneration,
    change,
    baseReference: counterpart,
  };
}

/**
 * Base's prompt with head's input. If that is impossible (a renamed variable), base's own input.
 * For recorded dialogues, prefers base's own input.
 */
function baseGeneration(
  base: SuiteSide,
  reference: Reference,
  counterpart: Reference | null,
): Generation | null {
  const own = [reference, counterpart].some(
    (candidate) => candidate !== null && bringsAnswer(candidate),
  );
  for (const candidate of own ? [counterpart, reference] : [reference, counterpart]) {
    const tried = candidate === null ? null : requestedGeneration(base, candidate);
    if (tried !== null && tried.kind !== 'impossible') return tried;
  }
  return null;
}

function reasonFor(
  base: SuiteSide,
  pair: AffectedReference,
  scoringChanged: boolean,
): string | null {
  if (pair.baseReference === null || pair.change === 'edited') return 'references';
  if (scoringChanged) return 'scoring';
  const { baseReference: counterpart, reference } = pair;
  // `pair.base` is base's question only if the reference was not edited and has no recorded
  // dialogue.
  const isKnown =
    pair.change === 'both' &&
    [counterpart, reference].every(({ thread, problem }) => thread === null && problem === null);
  const before = (isKnown ? pair.base : null) ?? requestedGeneration(base, counterpart);
  return fingerprintOf(before) === (pair.head && fingerprintOf(pair.head)) ? null : 'prompt';
}

function removedReferences(
  base: SuiteSide,
  kept: ReadonlySet<Reference>,
  { kept: elsewhere }: Moves,
): AffectedReference[] {
  return base.suite.tests.references
    .filter((reference) => !kept.has(reference) && !elsewhere.has(reference))
    .map((reference) => ({
      reference,
      base: null,
      head: null,
      change: 'removed',
      baseReference: reference,
    }));
}
