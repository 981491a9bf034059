import type { ForeignFile } from '../../config/formats.ts';
import { groupByEqualKey } from '../../report/sections/order.ts';
import { counted, firstWords } from '../../text/amounts.ts';
import type { Notice, Place } from '../../types/plain.ts';
import { documentOf, type Imported, type ImportLosses } from './shared/draft.ts';
import { type Loss } from './shared/node.ts';

export interface ImportedFile extends ForeignFile {
  imported: Imported;
}

export function asForeignFile(file: string, imported: Imported): ImportedFile {
  const prompts = imported.prompts.map((each) => ({
    ...each,
    document: documentOf(file, each),
    written: each.prompt.written,
  }));
  const { tasks, ...rest } = imported;
  return {
    ...rest,
    imported,
    prompts,
    notices: importNotices(file, imported),
    ...(tasks === undefined
      ? {}
      : { tasks: { document: tasks.document, notices: importNotices(file, tasks.imported) } }),
  };
}

interface LossGroup {
  what: string;
  why: string;
  times: number;
  places: [Place, ...Place[]];
}

export function lossesByReason(left: readonly Loss[]): LossGroup[] {
  return groupByEqualKey(left, ({ what, why }) => `${what}\n${why}`)
    .map((losses): LossGroup => {
      const [{ what, why, place }] = losses;
      const distinct = groupByEqualKey(losses, ({ place: { file, line } }) => `${file}:${line}`);
      const others = distinct.slice(1).map(([loss]) => loss.place);
      return { what, why, times: losses.length, places: [place, ...others] };
    })
    .sort((a, b) => b.times - a.times);
}

/** For example `41 of 44 tests, 120 of 131 assertions carried over; 14 lost`. */
export function carriedLine({ carried, left }: Pick<Imported, 'carried' | 'left'>): string {
  const shares = carried
    .filter(({ unit, of, carried: over }) => of > 0 && (unit !== 'prompt' || over < of))
    .map(
      ({ unit, of, carried: over }) => `${over.toLocaleString('en-US')} of ${counted(of, unit)}`,
    );
  const over = shares.length === 0 ? 'carried over' : `${shares.join(', ')} carried over`;
  return left.length === 0 ? over : `${over}; ${left.length.toLocaleString('en-US')} lost`;
}

export function lossLine({ what, why, times, places }: LossGroup): string {
  const often = times === 1 ? '' : `${times.toLocaleString('en-US')} × `;
  return `${often}${what}: ${why} (${placesText(places)})`;
}

function importNotices(file: string, imported: ImportLosses): Notice[] {
  const groups = lossesByReason(imported.left);
  const lost = groups.map(({ what, why, times, places: [first, ...others] }): Notice => {
    const also = [
      ...(times > 1 ? [`${times.toLocaleString('en-US')} times`] : []),
      ...(others.length === 0 ? [] : [`also at ${placesText(others)}`]),
    ];
    return {
      kind: 'import',
      place: first,
      message: `${what} is not converted: ${why}${also.length === 0 ? '' : ` (${also.join(', ')})`}`,
    };
  });
  return [...summary(file, imported, groups), ...lost, ...imported.remarks];
}

function summary(file: string, imported: ImportLosses, groups: readonly LossGroup[]): Notice[] {
  if (groups.length === 0 || imported.carried.length === 0) return [];
  const shown = groups.map(({ what, times }) =>
    times === 1 ? what : `${times.toLocaleString('en-US')} × ${what}`,
  );
  return [
    {
      kind: 'import',
      place: { file, line: 0 },
      message: `${carriedLine(imported)}: ${firstWords(shown, 3)}`,
    },
  ];
}

function placesText(places: readonly Place[]): string {
  const shown = places.map(({ file, line }, index) => {
    if (line === 0) return file;
    return places[index - 1]?.file === file ? String(line) : `${file}:${line}`;
  });
  return firstWords(shown, 4);
}
