import type { Counts } from '../../kernel/statistics/table.ts';
import {
  code,
  joinLines,
  list,
  markedLine,
  paragraph,
  strong,
  type Block,
  type Line,
} from '../../report/sections/document.ts';
import { counted, countedTries, percent, wholePercent } from '../../text/amounts.ts';
import { variantWords } from '../../wording/variants.ts';
import type { Drift, DriftRow } from './drift.ts';
import { ERROR_RATE } from './evidence.ts';
import { callParts, problemBlocks, type MeasurementForm } from './report.ts';

function driftTitle({ suites, problems }: Drift): string {
  if (problems.length > 0)
    return `Drift was not measured: ${counted(problems.length, 'problem')} to fix`;
  const changed = suites.filter(({ status }) => status === 'changed');
  const all = counted(suites.length, 'suite');
  if (changed.length > 0) return `Answers changed in ${changed.length} of ${all}`;
  const skipped = suites.filter(({ status }) => status === 'skipped');
  if (skipped.length > 0) return `Not compared: ${skipped.length} of ${all}`;
  return suites.every(({ status }) => status === 'started')
    ? `First answers of ${all} stored`
    : `No change in ${all}`;
}

const EXPLANATION =
  'The questions, their scoring and the model name are the same as before. So the model behind the ' +
  'name, or the model that grades, answers differently now. ' +
  `If nothing changed, a suite is ever reported with a chance of at most ${wholePercent(ERROR_RATE)}. ` +
  'Run `evaldiff migrate` to try another model.';

/** Changed suites first. */
const DRIFT_ORDER = ['changed', 'skipped', 'unchanged', 'started'] as const;

function driftBlocks(drift: Drift, rows: number): Block[] {
  const { suites, usage, head, measured_at } = drift;
  const lines = DRIFT_ORDER.flatMap((wanted) =>
    suites.filter(({ status }) => status === wanted).map(driftLine),
  );
  const isChanged = suites.some(({ status }) => status === 'changed');
  return [
    paragraph([strong(driftTitle(drift)), '.'], 'verdict'),
    ...list(lines, Math.max(rows, 1)),
    ...(isChanged ? [paragraph(markedLine(EXPLANATION))] : []),
    ...problemBlocks(drift, rows),
    paragraph(joinLines([[measured_at], ...callParts(usage, head)], ' · '), 'small'),
  ];
}

function driftLine(row: DriftRow): Line {
  const { suite, variant, served } = row;
  const other = served === null ? '' : `; the server names another model: ${served}`;
  return [
    ...[code(suite), ' (', code(variantWords(variant)), ')'],
    `: ${driftStatusWords(row)}${other}`,
  ];
}

function driftStatusWords({ status, before, after, since }: DriftRow): string {
  switch (status) {
    case 'started':
      return `${passedTries(after)}; the next run compares with this`;
    case 'skipped':
      return 'not compared, because some tries ended in errors';
    case 'unchanged':
      return `no change: ${passedTries(after)}, before ${passedTries(before)}`;
    case 'changed':
      return `changed since ${since}: ${passedTries(after)}, before ${passedTries(before)}`;
  }
}

function passedTries({ passes, tries }: Counts): string {
  return `${percent(passes / tries)} of ${countedTries(tries)} passed`;
}

export const driftForm: MeasurementForm<Drift> = { title: driftTitle, blocks: driftBlocks };
