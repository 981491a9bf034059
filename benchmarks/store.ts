/**
 * Store reads and writes per second. Like a run, it uses `wrap`, which writes each answer before
 * returning it and checks each entry read against its key. The file is in the temporary folder.
 *
 *   npx node benchmarks/store.ts
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../src/edges/store/index.ts';
import { ownAnswer, partsOf } from '../src/types/answer.ts';
import type { Complete, Request } from '../src/types/model.ts';
import { rounded, spread, table } from './measure/markdown.ts';

const ROUNDS = 3;
/** A developer's machine has such a secret for its store. */
const secret = randomBytes(32);
const LETTERS = 200;
const keyOf = (request: Request): string =>
  createHash('sha256').update(String(request.try)).digest('hex');
const requestOf = (index: number): Request => ({
  target: { provider: 'openai', endpoint: null, model: 'model' },
  parameters: {},
  messages: [{ role: 'user', content: 'question' }],
  try: index,
  schema: null,
  purpose: 'prompt',
});
const answer: Complete = ({ try: index }) =>
  Promise.resolve({
    status: 'ok',
    ...ownAnswer(partsOf(String(index).padEnd(LETTERS, ' word'))),
    served: { model: 'model-2026-01-01', fingerprint: 'fp_44709d6fcb', at: Date.now() },
    usage: { input_tokens: 20, output_tokens: 50 },
    latency_ms: 100,
    reused: false,
  });
const nobody: Complete = () => Promise.reject(new Error('a stored answer was asked for again'));

interface Round {
  writes: number;
  reads: number;
  looks: number;
  openMs: number;
  bytes: number;
}

async function round(entries: number): Promise<Round> {
  const folder = mkdtempSync(join(tmpdir(), 'evaldiff-bench-'));
  const file = join(folder, 'answers.sqlite');
  const open = (): ReturnType<typeof openStore> =>
    openStore({
      file,
      maxBytes: 1e9,
      now: Date.now,
      access: 'read-write',
      secret,
      notice: (line) => {
        throw new Error(line);
      },
    });
  try {
    const written = open();
    const writes = await perSecond(entries, written.wrap(answer, keyOf));
    written.close();
    const begun = performance.now();
    const store = open();
    const openMs = performance.now() - begun;
    const looks = await perSecond(entries, (request) => Promise.resolve(store.has(keyOf(request))));
    const reads = await perSecond(entries, store.wrap(nobody, keyOf));
    store.close();
    return { writes, reads, looks, openMs, bytes: statSync(file).size / entries };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function perSecond(
  entries: number,
  work: (request: Request) => Promise<unknown>,
): Promise<number> {
  const begun = performance.now();
  for (let index = 0; index < entries; index++) await work(requestOf(index));
  return entries / ((performance.now() - begun) / 1000);
}

const rows: string[][] = [];
for (const entries of [1000, 10_000, 100_000]) {
  const rounds: Round[] = [];
  for (let index = 0; index < ROUNDS; index++) rounds.push(await round(entries));
  const of = (value: (each: Round) => number): string => spread(rounds.map(value));
  process.stderr.write(`${String(entries)}: ${of(({ writes }) => writes)} writes/s\n`);
  rows.push([
    rounded(entries),
    of(({ writes }) => writes),
    of(({ reads }) => reads),
    of(({ looks }) => looks),
    of(({ openMs }) => openMs),
    of(({ bytes }) => bytes),
  ]);
}
console.log(
  [
    `The store writes, reads and looks up answers of ${String(LETTERS)} characters, one after another. It writes each answer to disk before it returns the answer, and it checks digest`,
    `and form of each entry that it reads. "Looks" only check whether an answer is stored. Each row has ${String(ROUNDS)} rounds.`,
    '',
    table(
      [
        'answers',
        'writes a second',
        'reads a second',
        'looks a second',
        'opening, ms',
        'bytes an answer',
      ],
      rows,
    ),
  ].join('\n'),
);
