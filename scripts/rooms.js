import { readdirSync } from 'node:fs';

/**
 * The rooms (top-level folders) of `src`, from the top down. A room may import from rooms in later
 * rows, including types, but not from other rooms in its own row.
 */
export const ROWS = [
  readdirSync(new URL('../src/features', import.meta.url)).map((name) => `features/${name}`),
  ['app/action', 'app/commands'],
  ['app/session'],
  ['app/run', 'trials'],
  ['viewer'],
  ['report'],
  ['wording'],
  ['config', 'trust', 'confirm'],
  ['kernel/ask', 'kernel/judge'],
  ['money'],
  ['project'],
  ['kernel/plan'],
  ['kernel/select'],
  ['kernel/result'],
  ['kernel/suite'],
  ['kernel/statistics', 'metrics', 'documents'],
  ['text'],
  ['errors'],
  ['types'],
];

/** Rooms that touch the machine or the network. */
export const EDGES = [
  'edges/git',
  'edges/github',
  'edges/providers',
  'edges/sandbox',
  'edges/solver',
  'edges/store',
  'edges/thread',
];
export const EDGES_MAY_IMPORT = ['types', 'errors', 'text', 'edges/thread'];

const rowOf = (room) => ROWS.findIndex((rooms) => rooms.includes(room));
export const mayUseEdges = (room) => rowOf(room) !== -1 && rowOf(room) <= rowOf('app/session');

const SDKS =
  /^(?:@actions\/|@octokit\/|openai(?:\/|$)|@anthropic-ai\/sdk|javascript-lp-solver$|highs$)/;

/** May read files, namely the viewer's script and style. */
const ASSETS = 'src/report/viewer-files.ts';

/** What the viewer, which runs in a browser, may import besides `kernel/result`'s types. */
const VIEWER_MAY_IMPORT =
  /^src\/(?:report\/(?:sections|answers)|wording|kernel\/result|text|types)\//;

/** All rooms; `null` for the entries, which may import everything. */
export const ROOMS = [...ROWS.flat(), ...EDGES];
export function roomOf(path) {
  const place = path.replace(/^src\//, '').replace(/\.tsx?$/, '');
  return ROOMS.find((room) => place === room || place.startsWith(`${room}/`)) ?? null;
}

/**
 * The reason why a file of `src` may not import `to` (a path from the repository's root, or a
 * package). Null if it may.
 */
export function importFault(from, to) {
  const room = roomOf(from);
  if (room === null) return null;
  if (!to.startsWith('src/')) {
    // It limits how long a check may take, and reaches nothing.
    if (to === 'node:vm') return null;
    if (!to.startsWith('node:') && !SDKS.test(to)) return null;
    if (mayUseEdges(room) || EDGES.includes(room) || from === ASSETS) return null;
    return to.startsWith('node:')
      ? 'Pure rooms do not touch the machine: take what you need as an argument.'
      : 'SDKs belong to an edge.';
  }
  if (room === 'viewer' && !to.startsWith('src/viewer/') && !VIEWER_MAY_IMPORT.test(to))
    return 'The viewer imports report/sections, report/answers, wording, text and types.';
  const target = roomOf(to);
  if (target === room) return null;
  if (target === null) return 'Only the entries stand above all rooms.';
  if (EDGES.includes(room))
    return EDGES_MAY_IMPORT.includes(target)
      ? null
      : 'An edge imports types, errors, text, edges/thread, node and its own SDK.';
  if (EDGES.includes(target))
    return mayUseEdges(room) ? null : 'Pure rooms do not import edges: take a function.';
  if (rowOf(target) > rowOf(room)) return null;
  return rowOf(target) === rowOf(room)
    ? 'Rooms of one row do not import each other: what both need is in a row below.'
    : 'Imports point down the rows.';
}
