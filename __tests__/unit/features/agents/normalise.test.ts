import { readdirSync, readFileSync } from 'node:fs';
import { knownValues, normaliserFor } from '../../../../src/features/agents/gateway/normalise.ts';
import { AGENT_NAMES, type AgentName } from '../../../../src/features/agents/suite/spec.ts';
import { isMap, type Json, type JsonMap } from '../../../../src/types/plain.ts';
import { readFixture } from '../../../stand-ins/fixture.ts';

const [ID, OTHER_ID] = [
  '3f2a9c4e-1b2c-4d5e-8f90-a1b2c3d4e5f6',
  '4f2a9c4e-1b2c-4d5e-8f90-a1b2c3d4e5f6',
];
const [COMMIT, OTHER_COMMIT] = ['c0ffee1234'.repeat(4), 'bada55e123'.repeat(4)];
const NOW = Date.parse('2026-11-28T10:00:00Z');
const DAY_MS = 24 * 60 * 60 * 1000;

const isContent = () => false;

function keyOf(agent: AgentName, body: JsonMap, now = NOW, commit = COMMIT) {
  return JSON.stringify(normaliserFor(agent, knownValues(now, commit, isContent))(body));
}

interface Recorded {
  at: string;
  commit: string;
  body: JsonMap;
}

/**
 * The first and the last request of two equal runs, recorded from the pinned CLIs with our model
 * server. Long texts are cut. In the second run, date, kernel and process group are edited.
 */
const RECORDED = readdirSync('fixtures/agents/requests').map((file) => {
  const text = readFileSync(`fixtures/agents/requests/${file}`, 'utf8');
  const name = file.replace('.jsonl', '');
  const agent = AGENT_NAMES.find((each) => name.startsWith(each)) ?? 'command';
  const requests = text.trim().split('\n');
  return { name, agent, requests: requests.map((line) => JSON.parse(line) as Recorded) };
});

const recordedKey = (agent: AgentName, { at, commit, body }: Recorded) =>
  keyOf(agent, body, Date.parse(at), commit);

/** All bodies in which one value is replaced, by the path of the value. */
function changedBodies(
  value: Json,
  change: (value: Json) => string,
  path = '',
): [path: string, changed: Json][] {
  if (value === null || typeof value !== 'object') return [[path, change(value)]];
  return Object.entries(value).flatMap(([key, each]) => {
    const place = Array.isArray(value) ? '*' : key;
    const changed = changedBodies(each, change, path === '' ? place : `${path}.${place}`);
    return changed.map(([at, now]): [string, Json] => [
      at,
      Array.isArray(value) ? value.with(Number(key), now) : { ...value, [key]: now },
    ]);
  });
}

/** Fields that a client fills. Everything else in its requests must reach the model. */
const CLIENT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  'claude-code': ['metadata.user_id'],
  codex: ['client_metadata', 'input.*.id', 'prompt_cache_key'],
  'gemini-cli': ['contents.*.parts.*.functionCall.id', 'contents.*.parts.*.functionResponse.id'],
};

describe.each(RECORDED)('recorded requests of $name', ({ name, agent, requests }) => {
  const [first, last, firstAgain, lastAgain] = requests as [Recorded, Recorded, Recorded, Recorded];

  test('have equal keys in equal runs', () => {
    expect(recordedKey(agent, first)).toBe(recordedKey(agent, firstAgain));
    expect(recordedKey(agent, last)).toBe(recordedKey(agent, lastAgain));
    expect(recordedKey(agent, first)).not.toBe(recordedKey(agent, last));
  });

  test('have other keys if any value changes that the client does not fill', () => {
    const key = recordedKey(agent, last);
    const ignored = changedBodies(last.body, (value) => `${String(value)} x`).filter(
      ([, body]) => recordedKey(agent, { ...last, body: body as JsonMap }) === key,
    );
    const fields = ignored.map(([path]) => path.replace(/^(client_metadata)\..*/, '$1'));
    expect([...new Set(fields)].sort()).toEqual(CLIENT_FIELDS[name] ?? []);
  });

  test.each(['command', 'acp'] as const)('have keys of their own for the agent %s', (own) => {
    const isEqual = recordedKey(own, last) === recordedKey(own, lastAgain);
    // opencode writes nothing that varies but the date.
    expect(isEqual).toBe(name === 'opencode');
  });
});

/** Requests of the four APIs with each part that holds text. */
const BODIES = readFixture('agents/request-parts.yaml') as Record<string, JsonMap>;

const EDITS: readonly [base: string, head: string][] = [
  ['Start with the current date: ISO 8601, GOOD', 'Start with the current date: day first, BAD'],
  ["Today's date is 2026-11-27", "Today's date is 2026-11-26"],
  ['Freeze on 2026-11-28.', 'Freeze on 2026-11-29.'],
  ['at 2026-11-28T10:00:00Z', 'at 2026-11-28T11:00:00Z'],
  ['OS Version: Linux 6', 'OS Version: Linux 7'],
  [`/session/${ID}/a`, `/session/${OTHER_ID}/a`],
  [`Session folder: /home/agent/.copilot/session-state/${ID}\n`, 'Session folder: /none\n'],
  ['Chunk ID: a1\nok', 'Chunk ID: b2\nok'],
  ['Wall time: 10 seconds\nok', 'Wall time: 99 seconds\nok'],
  [
    'ok\nProcess Group PGID: 1\n</untrusted_context>',
    'ok\nProcess Group PGID: 2\n</untrusted_context>',
  ],
  ['see <current_datetime>1</current_datetime>', 'see <current_datetime>2</current_datetime>'],
  ['toolu_1', 'toolu_2'],
];

describe.each(Object.entries(BODIES))('an edit of any part of a request (%s)', (_, body) => {
  test.each(AGENT_NAMES)('reaches the model of %s, whatever the text resembles', (agent) => {
    for (const [base, head] of EDITS) {
      const after = changedBodies(body, () => head);
      for (const [at, [path, before]] of changedBodies(body, () => base).entries())
        expect([path, keyOf(agent, before as JsonMap)]).not.toEqual([
          path,
          keyOf(agent, after[at]?.[1] as JsonMap),
        ]);
    }
  });
});

describe('values that the run knows', () => {
  const said = (text: string): JsonMap => ({ messages: [{ role: 'user', content: text }] });

  test.each([
    '2026-11-28',
    'Sat Nov 28 2026',
    'Saturday, November 28, 2026',
    'November 28, 2026',
    '11/28/2026',
  ])('include the date, written as %s', (date) => {
    const next = knownValues(NOW + DAY_MS, COMMIT, isContent);
    const index = knownValues(NOW, COMMIT, isContent).indexOf(date);
    const today = keyOf('command', said(`Today is ${date}.\n`));
    expect(keyOf('command', said(`Today is ${next[index] ?? ''}.\n`), NOW + DAY_MS)).toBe(today);
    expect(keyOf('command', said(`Today is ${next[index] ?? ''}.\n`))).not.toBe(today);
  });

  test('include the commit and its short forms', () => {
    const log = (commit: string): JsonMap =>
      said(`${commit.slice(0, 7)} first\n"${commit}" (${commit.slice(0, 12)})`);
    expect(keyOf('command', log(COMMIT))).toBe(
      keyOf('command', log(OTHER_COMMIT), NOW, OTHER_COMMIT),
    );
  });

  test.each([
    ['a longer word', '2026-11-280', '2026-11-290'],
    ['a time', '2026-11-28T10', '2026-11-29T10'],
    ['a path', 'notes/2026-11-28.md', 'notes/2026-11-29.md'],
    ['a version', '1.2026-11-28', '1.2026-11-29'],
    ['a longer hash', 'c0ffee1b', 'bada55eb'],
    ['a shorter hash', 'c0ff', 'bada'],
  ])('count only as whole values, not in %s', (_, base, head) => {
    expect(keyOf('command', said(base))).not.toBe(
      keyOf('command', said(head), NOW + DAY_MS, OTHER_COMMIT),
    );
  });

  test('stay in the key if a file or the task contains them', () => {
    const known = knownValues(NOW, COMMIT, (text) => text === '2026-11-28' || text === 'c0ffee1');
    const key = JSON.stringify(normaliserFor('codex', known)(said(`2026-11-28 ${COMMIT}`)));
    expect(key).toContain(`2026-11-28 ${COMMIT}`);
  });

  test('cannot set the prototype of an object', () => {
    const body = JSON.parse('{"messages":[{"__proto__":{"a":1}}]}') as JsonMap;
    expect(isMap(body)).toBe(true);
    expect(keyOf('codex', body)).toBe(JSON.stringify(body));
  });
});
