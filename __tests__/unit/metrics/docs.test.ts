import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { renderMetricDocs, withCatalogue } from '../../../scripts/metric-docs.ts';
import { metrics } from '../../../src/metrics/index.ts';
import { findKeywords, showsNothing } from '../../../src/metrics/keywords.ts';
import { builtInRubrics } from '../../../src/metrics/rubric.ts';
import { tightTables } from '../../tight-tables.ts';

const read = (name: string) =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');
const page = read('metrics.md');

describe('docs/metrics.md', () => {
  test('matches the metric definitions (if not, run npm run generate)', () => {
    expect(tightTables(page)).toBe(tightTables(renderMetricDocs()));
  });

  test('has one heading and an example for every metric, linked from the index', () => {
    const html = micromark(page, { extensions: [gfm()], htmlExtensions: [gfmHtml()] });
    for (const { name, example } of metrics.values()) {
      expect(html.split(`<h3>${name}</h3>`)).toHaveLength(2);
      expect(html).toContain(`href="#${name}"`);
      const section = html.split(`<h3>${name}</h3>`)[1]?.split('<h3>')[0] ?? '';
      expect(section).toContain(`: ${example.pass ? 'pass' : 'fail'}</td>`);
    }
  });
});

describe('docs/metric-table.md', () => {
  const readme = read('metric-table.md');

  test('matches the metric definitions (if not, run npm run generate)', () => {
    expect(tightTables(readme)).toBe(tightTables(withCatalogue(readme)));
  });

  test('has every metric once, with its range, a worked example and a link', () => {
    const html = micromark(readme, {
      extensions: [gfm()],
      htmlExtensions: [gfmHtml()],
      allowDangerousHtml: true,
    });
    for (const { name, range, example } of metrics.values()) {
      const link = `<a href="metrics.md#${name}"><code>${name}</code></a>`;
      const [row, ...others] = html.split('<tr>').filter((part) => part.includes(link));
      expect(others).toEqual([]);
      expect(row).toContain(`<td>${range}</td>`);
      const verdict = example.pass ? 'pass' : 'fail';
      expect(row).toMatch(new RegExp(`→ <code>[^]+</code> ${verdict}</td>`));
    }
  });

  test('needs its two markers in the correct order to be generated', () => {
    for (const text of ['no marks', readme.replace('<!-- end of metrics -->', '')])
      expect(() => withCatalogue(text)).toThrow('docs/metric-table.md lacks the lines');
  });
});

describe('built-in rubrics', () => {
  test("have FlexEval's names, labels and scores", () => {
    const rubrics = [...builtInRubrics].map(([name, { choice_scores: scores }]) => [
      name,
      Object.fromEntries(scores),
    ]);
    expect(Object.fromEntries(rubrics)).toEqual({
      yeasayer_completion: { F: 1, D: 0.75, C: 0.5, B: 0.25, A: 0 },
      is_request_for_plot: { YES: 1, NO: 0 },
      is_student_acting_as_tutor: { YES: 1, NO: 0 },
      is_pedagogically_appropriate_plot: { A: 1, B: 0.5, C: 0 },
    });
  });

  test.each([...builtInRubrics.values()].map((rubric) => [rubric.name, rubric] as const))(
    'include %s, which uses only known keywords and shows the grader what it judges',
    (_, { prompt }) => {
      expect(findKeywords(prompt).map(({ material }) => material)).not.toContain(null);
      expect(showsNothing(prompt)).toBe(false);
    },
  );

  /** SHA-256 of the texts in FlexEval's repository at fe50bd6. */
  test.each([
    ['yeasayer_completion', '4201558dfcba1eaef3a87f0ac89670001b0010766558a39a0366b93dae4ee14e'],
    ['is_request_for_plot', '4e2b9a602fc74bad13868a60cc177e234af40a78288a1782abbe464da6ad6e6f'],
    [
      'is_student_acting_as_tutor',
      'bdfa4952d5b5b55dba755c2f447ec8ea3c6a86a4106a912c235481e232bacfd2',
    ],
    [
      'is_pedagogically_appropriate_plot',
      '911c7cdf3eea55ae1044f0e89fb6210aa26810cc9d176a217e852a802d2f1e77',
    ],
  ])("include %s with FlexEval's text, unchanged", (name, digest) => {
    const { prompt = '' } = builtInRubrics.get(name) ?? {};
    expect(createHash('sha256').update(prompt).digest('hex')).toBe(digest);
  });

  test.each([
    ['src/metrics/flexeval/LICENSE', 'Digital Harbor Foundation'],
    ['src/features/conversations/code-chat-eval/LICENSE', 'Anton Masalovich'],
  ])('have their licence %s in the folder and in the bundles', (path, owner) => {
    expect(readFileSync(path, 'utf8')).toContain(`Copyright (c) 2024 ${owner}`);
    expect(readFileSync('scripts/build.ts', 'utf8')).toContain(path);
  });
});
