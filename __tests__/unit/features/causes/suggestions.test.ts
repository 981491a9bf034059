import { causesReport } from '../../../../src/features/causes/report.ts';
import type { Cause, SuiteCauses } from '../../../../src/features/causes/result.ts';
import type { Result } from '../../../../src/kernel/result/result.ts';
import { NO_LINKS } from '../../../../src/report/sections/document.ts';
import { suggestedEdits } from '../../../../src/report/suggestions.ts';
import type { Fix } from '../../../../src/trials/fix.ts';
import type { ChangedFile } from '../../../../src/types/repository.ts';
import { renderGithub } from '../../../stand-ins/github-markdown.ts';
import { hostileTexts } from '../../../stand-ins/hostile-text.ts';
import { resultOf } from '../../report/results.ts';

const FILE = 'prompts/support.yaml';
const CHANGED: ChangedFile[] = [
  { path: FILE, basePath: FILE, lines: [{ start: 7, end: 7 }], deleted: false },
];
const MARKER = '<!-- m -->';

function fixed(fix: Partial<Fix> = {}, suite = 'support'): SuiteCauses {
  const tries = { passes: 5, tries: 5 };
  const cause: Cause = {
    relation: 'alone',
    units: [
      {
        kind: 'line',
        name: null,
        file: FILE,
        side: 'head',
        lines: { from: 7, to: 7 },
        head: { file: FILE, line: 7 },
        base_text: 'Name the refund period.',
        head_text: 'Be warm.',
      },
    ],
    references: [{ id: 'r1', restored: tries, broken: { passes: 0, tries: 5 } }],
    held: { references: 6, of: 6 },
    p: 0.001,
    calls: 20,
    fix: {
      kind: 'draft',
      file: FILE,
      lines: { from: 7, to: 7 },
      replaced: '      Be warm.',
      replacement: '      Be warm, and name the refund period.',
      restores: { references: 5, of: 5 },
      costs: { references: 0, of: 6 },
      tries: 2,
      ...fix,
    },
  };
  const explained = { status: 'found' as const, reason: null, units: 8, harmless: [] };
  return {
    path: FILE,
    suite,
    variant: { model: 'm', parameters: {} },
    causes: [cause],
    explained: { ...explained, unexplained: [], calls: 20 },
  };
}

function from(causes: SuiteCauses[], changes: Partial<Result> = {}, changed = CHANGED, root = '') {
  return suggestedEdits(resultOf({ causes, ...changes }), [causesReport], changed, {
    root,
    marker: MARKER,
    links: NO_LINKS,
  });
}

const CAUSE = fixed().causes[0]!;

/** The text between the fences, which GitHub would commit. */
function putIn(body: string) {
  const [, , inner = ''] = /^(`{3,})suggestion\n([\s\S]*?)^\1$/m.exec(body) ?? [];
  return inner;
}

describe('review comment with a proven fix', () => {
  test('contains its effect, the new lines and the cause', () =>
    expect(from([fixed()], {}, CHANGED, 'app/')).toEqual([
      {
        path: `app/${FILE}`,
        startLine: 7,
        endLine: 7,
        body: [
          MARKER,
          '**Suggested fix** for `support`: fixes 5 of 5 tests and broke none of 6 others that passed.',
          '',
          '```suggestion',
          '      Be warm, and name the refund period.',
          '```',
          '',
          '<sub>**Cause**: `prompts/support.yaml:7`. Putting the old line back fixes 1 of 1 test; the new line on base breaks it.</sub>',
          '',
        ].join('\n'),
      },
    ]));

  test('uses an empty suggestion block to remove a line', () => {
    const [remark] = from([fixed({ kind: 'set back', replacement: '' })]);
    expect(remark?.body).toContain('**Putting it back** for `support`');
    expect(remark?.body).toContain('\n```suggestion\n```\n');
  });

  test('is written once per line, names all suites with the same fix, and lists different fixes', () => {
    const [remark, ...more] = from([
      fixed(),
      fixed({}, 'returns'),
      fixed({ replacement: '      Other.' }, 'third'),
    ]);
    expect(more).toEqual([]);
    expect(remark?.body.match(/```suggestion/g)).toHaveLength(2);
    expect(remark?.body).toMatch(
      /`support`[\s\S]*`returns`[\s\S]*refund[\s\S]*`third`[\s\S]*Other/,
    );
  });

  test.each([
    ['for an outside contributor', from([fixed()], { trust: 'untrusted' })],
    ['on a file outside the change', from([fixed({ file: 'prompts/other.yaml' })])],
    ['on a deleted file', from([fixed()], {}, [{ ...CHANGED[0]!, deleted: true }])],
    ['with an invisible character', from([fixed({ replacement: 'Be\u200B warm.' })])],
    [
      'with a character that changes text direction',
      from([fixed({ replacement: 'Be \u202E warm.' })]),
    ],
    ["if it exceeds GitHub's limit", from([fixed({ replacement: 'x'.repeat(66_000) })])],
    ['if no fix is proven', from([{ ...fixed(), causes: [{ ...CAUSE, fix: null }] }])],
  ])('is not written %s', (_, found) => expect(found).toEqual([]));

  test('is written at most ten times', () => {
    const many = Array.from({ length: 14 }, (_, at) =>
      fixed({ lines: { from: at + 1, to: at + 1 } }),
    );
    expect(from(many)).toHaveLength(10);
  });
});

/** Elements, images, links and mentions that a review comment does not write itself. */
function escaped(body: string) {
  const { elements, images, links, references } = renderGithub(body);
  const own = new Set(['p', 'strong', 'code', 'pre', 'sub']);
  return [...elements.filter((name) => !own.has(name)), ...images, ...links, ...references];
}

describe('hostile fix in a review comment', () => {
  test.each([
    ['a fence', '```\n@acme/everyone merge this'],
    ['a longer fence', '`````\n<img src=x onerror=alert(1)>'],
    ['another suggestion block', '```\n```suggestion\nIgnore the tests.\n```'],
    ["evaldiff's marker", `${MARKER} <!-- evaldiff comment evaldiff -->`],
    ['tildes', '~~~\n# Approved\n~~~'],
  ])('stays inside its fence: %s', (_, replacement) => {
    const [remark] = from([fixed({ replacement })]);
    expect(putIn(remark?.body ?? '')).toBe(`${replacement}\n`);
    expect(remark?.body.match(/^`+suggestion$/gm)?.[0]?.length).toBeGreaterThan(
      'suggestion'.length + 2,
    );
    expect(escaped(remark?.body ?? '')).toEqual([]);
  });

  test.each(Object.entries(hostileTexts))(
    'stays inside its fence with the suite name %s',
    (_, name) => {
      const [remark] = from([fixed({}, name)]);
      expect(escaped(remark?.body ?? '')).toEqual([]);
      expect(putIn(remark?.body ?? '')).toBe('      Be warm, and name the refund period.\n');
    },
  );
});
