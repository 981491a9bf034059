/** The demo's pictures in README and docs/, and what each is made from. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { readResultValue } from '../src/app/commands/files.ts';
import { ownKeys } from '../src/app/run/feature.ts';
import { initialState, liveState } from '../src/features/workbench/refresh.ts';
import { FEATURES } from '../src/features.ts';
import { type Result } from '../src/kernel/result/result.ts';
import { livePage, renderHtml } from '../src/report/html.ts';
import { loadReports } from '../src/report/sections/feature-report.ts';
import type { Reports } from '../src/report/sections/feature-report.ts';
import { savedView } from '../src/report/sections/saved-view.ts';
import { commentPage, type Theme } from './comment-page.ts';
import type { DemoOutcome } from './pull-request.ts';

/** Each picture's width, and its height if it differs from the page's; in pixels. */
export const PICTURES = {
  comment: { width: 860, height: null, mostBytes: 300_000 },
  report: { width: 860, height: 740, mostBytes: 150_000 },
  workbench: { width: 1180, height: 640, mostBytes: 160_000 },
} as const;
export type PictureName = keyof typeof PICTURES;
export const PICTURE_NAMES = Object.keys(PICTURES) as PictureName[];

export interface Shown {
  comment: string;
  /** The report's HTML. */
  report: string;
  /** The workbench's data for the same change, as JSON. */
  workbench: string;
}

/**
 * What a demo shows, without parts that differ between runs (the port of the simulated GitHub, and
 * milliseconds). Page and workbench are rendered here from its result.
 */
export async function shownBy({
  comment,
  reports,
}: Pick<DemoOutcome, 'comment' | 'reports'>): Promise<Shown> {
  const json = readFileSync(join(reports, 'result.json'), 'utf8');
  const { result } = readResultValue('result.json', JSON.parse(steady(json)), ownKeys(FEATURES));
  if (result === null) throw new Error("the demo's result cannot be read");
  const reported = await loadReports(FEATURES);
  return {
    comment: steady(comment),
    report: await renderHtml(result, reported),
    workbench: workbenchOf(result, reported),
  };
}

export function steady(text: string): string {
  return text
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+\//g, 'https://github.com/')
    .replaceAll(/("latency_ms":\s*)[\d.]+/g, '$1100');
}

function workbenchOf(result: Result, reports: Reports): string {
  const spend = { calls: 0, maxCalls: 500, cost: 0, maxCost: 1, unpriced: false };
  const state = { ...liveState(initialState(spend)), note: 'up to date' };
  const live = { others: [], attributes: [], prompts: [], notes: [] };
  return JSON.stringify({ state, view: { ...savedView(result, reports), live } });
}

/**
 * Hash of everything that a picture can show. Stored in the picture, so that a check can tell
 * whether the picture is up to date.
 */
export function pictureKey(name: PictureName, shown: Shown, theme: Theme): string {
  const { comment, report, workbench } = shown;
  const from = {
    comment: () => commentPage(comment, theme),
    // The comment's words change whenever the first screen does.
    report: () => report.slice(0, report.indexOf('</noscript>')),
    workbench: () => livePage().html + workbench,
  };
  return createHash('sha256').update(from[name]()).digest('hex');
}

/** The path of a theme's picture in the repository. */
export function pictureFile(name: PictureName, theme: Theme): string {
  return `docs/images/${name}${theme === 'light' ? '' : '-dark'}.png`;
}

const KEYWORD = 'evaldiff-key';
/** Length, kind and checksum of a chunk. */
const FRAME = 12;

/** The PNG with the key as a text chunk before its end. */
export function withKey(png: Buffer, key: string): Buffer {
  const body = Buffer.from(`tEXt${KEYWORD}\0${key}`, 'latin1');
  const chunk = Buffer.alloc(body.length + 8);
  chunk.writeUInt32BE(body.length - 4);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  const end = png.length - FRAME;
  return Buffer.concat([png.subarray(0, end), chunk, png.subarray(end)]);
}

/** The key in a PNG; null if it has none. */
export function keyOf(png: Buffer): string | null {
  const at = png.indexOf(`tEXt${KEYWORD}\0`, 0, 'latin1');
  if (at < 0) return null;
  const text = png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)).toString('latin1');
  return text.slice(KEYWORD.length + 1);
}
