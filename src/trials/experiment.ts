import { sum } from '../kernel/statistics/sums.ts';
import { type ProofState, beliefsIn, candidateKey, prove, ratesFor } from './prove.ts';
import { nextUnits, type Candidate } from './search.ts';
import {
  drawTries,
  startTrials,
  outcomesUnder,
  type TryUnits,
  type TrialsEnd,
  type Fall,
  type FoundCause,
  type Trials,
} from './trials.ts';

interface Experiment {
  units: number;
  /** Worst first. */
  fell: readonly Fall[];
  /** Number of stable references. Their indices come after the indices of the fallen ones. */
  stable: number;
  tries: number;
  /** Probability that a unit (part of the change) without effect is named as a cause. */
  alpha: number;
}

export interface CauseFindings {
  causes: FoundCause[];
  unexplained: number[];
  /** Why the experiment ended early. Null if every drop is explained. */
  open: TrialsEnd | 'unclear' | null;
  /** Units that probably include the cause. Empty if too many are. */
  suspects: number[];
  tries: number;
}

/** If there are more units, groups of neighbours are searched first. */
const MAX_GROUPS = 12;

const PARTS = 4;

const PER_STEP = 3;

const MIN_BELIEF = 0.8;

const MAX_REFUTED = 4;

const CONTROLS = 3;

/**
 * Finds the units that broke references. Only new tries prove a cause, so the search does not bias
 * p-values.
 */
export async function findCauses(
  experiment: Experiment,
  attempt: TryUnits,
): Promise<CauseFindings> {
  const trials = startTrials(experiment, attempt);
  const causes: FoundCause[] = [];
  const refuted: Candidate[] = [];
  let open = [...experiment.fell.keys()];
  let ended: CauseFindings['open'] = null;
  while (open.length > 0 && ended === null) {
    const known = { refuted, proven: causes };
    const found = await search(trials, open, known);
    if (typeof found === 'string') ended = found;
    else if (found.relation === 'none') {
      // The reference's tries suggest that it fell by chance.
      open = open.slice(1);
    } else {
      const beliefs = () => beliefsIn(trials, singles(experiment.units, found), open, known);
      const proven = await prove(trials, found, { open, beliefs, failures: refuted.length });
      if (proven === 'doubted') {
        refuted.push(found);
        if (refuted.length >= MAX_REFUTED) ended = 'unclear';
      } else if (typeof proven === 'string') ended = proven;
      else {
        addCause(causes, proven);
        const own = new Set(proven.references.map(({ reference }) => reference));
        open = open.filter((reference) => !own.has(reference));
      }
    }
  }
  const explained = new Set(
    causes.flatMap(({ references }) => references.map(({ reference }) => reference)),
  );
  const checked: FoundCause[] = [];
  for (const cause of causes) checked.push(await withControls(trials, cause, experiment));
  return {
    causes: checked,
    unexplained: [...experiment.fell.keys()].filter((position) => !explained.has(position)),
    open: explained.size === experiment.fell.length ? null : (ended ?? 'unclear'),
    suspects: ended === 'tries' ? suspectsIn(trials, open, { refuted, proven: causes }) : [],
    tries: trials.made,
  };
}

const MIN_SUSPECT_BELIEF = 0.1;

const MOST_SUSPECTS = 3;

function suspectsIn(trials: Trials, open: readonly number[], known: ProofState): number[] {
  const groups = [...Array(trials.units).keys()].map((unit) => [unit]);
  if (known.proven.length > 0 || groups.length > MAX_GROUPS) return [];
  const beliefs = beliefsIn(trials, groups, open, known);
  const suspects = groups.flat().filter((unit) => {
    const involving = beliefs.filter(({ units }) => units.includes(unit));
    return sum(involving.map(({ belief }) => belief)) >= MIN_SUSPECT_BELIEF;
  });
  return suspects.length <= Math.min(MOST_SUSPECTS, trials.units - 1) ? suspects : [];
}

function addCause(causes: FoundCause[], { references, tries, ...cause }: FoundCause): void {
  const known = causes.find((earlier) => candidateKey(earlier) === candidateKey(cause));
  if (known === undefined) causes.push({ ...cause, references, tries });
  else {
    known.references.push(...references);
    known.tries += tries;
  }
}

function startGroups(units: number): number[][] {
  const count = Math.min(MAX_GROUPS, units);
  const groups = Array.from({ length: count }, (): number[] => []);
  for (let unit = 0; unit < units; unit += 1)
    groups[Math.floor((unit * count) / units)]?.push(unit);
  return groups;
}

function singles(units: number, { units: own }: Candidate): number[][] {
  return narrowGroups(startGroups(units), own, units);
}

async function search(
  trials: Trials,
  open: readonly number[],
  known: ProofState,
): Promise<Candidate | TrialsEnd> {
  let groups = startGroups(trials.units);
  for (;;) {
    const beliefs = beliefsIn(trials, groups, open, known);
    const best = beliefs.reduce((most, belief) => (belief.belief > most.belief ? belief : most));
    if (best.belief >= MIN_BELIEF) {
      const { relation, units } = best;
      if (units.length === best.groups.length) return { relation, units };
      groups = narrowGroups(groups, units, PARTS);
      continue;
    }
    const rates = [...ratesFor(trials, open).values()];
    const units = nextUnits(beliefs, groups, rates);
    const [first = 0, ...others] = open;
    const triesOf = (reference: number) => outcomesUnder(trials.outcomes, units, reference).length;
    const chosen = others.sort((a, b) => triesOf(a) - triesOf(b));
    const draws = [first, ...chosen.slice(0, PER_STEP - 1)].map((reference) => ({
      units,
      reference,
    }));
    const made = await drawTries(trials, draws);
    if (typeof made === 'string') return made;
  }
}

function narrowGroups(
  groups: readonly (readonly number[])[],
  units: readonly number[],
  most: number,
): number[][] {
  return groups.flatMap((group) => {
    if (group.length < 2 || !group.some((unit) => units.includes(unit))) return [[...group]];
    const parts = Math.min(group.length, most);
    const split = Array.from({ length: parts }, (): number[] => []);
    group.forEach((unit, i) => split[Math.floor((i * parts) / group.length)]?.push(unit));
    return split;
  });
}

async function withControls(
  trials: Trials,
  cause: FoundCause,
  { units, fell, stable }: Experiment,
): Promise<FoundCause> {
  const rest = [...Array(units).keys()].filter((unit) => !cause.units.includes(unit));
  const draws = Array.from({ length: Math.min(CONTROLS, stable) }, (_, i) => ({
    units: new Set(rest),
    reference: fell.length + i,
  }));
  const passed = await drawTries(trials, draws);
  if (typeof passed === 'string') return cause;
  return {
    ...cause,
    held: {
      references: passed.filter((outcome) => outcome === true).length,
      of: passed.filter((outcome) => outcome !== null).length,
    },
  };
}
