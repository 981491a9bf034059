import { withOverride } from '../../../../src/app/action/job.ts';
import { noiseTitle } from '../../../../src/features/noise/report.ts';
import { renderGithub } from '../../../stand-ins/github-markdown.ts';
import { hostileTexts } from '../../../stand-ins/hostile-text.ts';
import {
  renderComment,
  renderSummary,
  renderHtml,
  viewIn,
  headline,
  renderTerminal,
} from '../../../stand-ins/reports.ts';
import { green, neutral, regression, resultOf } from '../../report/results.ts';
import { measured, renderNoise, renderNoiseSummary } from './measurement.ts';

const MARKER = '<!-- evaldiff comment evaldiff -->';
const comment = (result: Parameters<typeof renderComment>[0]) =>
  renderGithub(renderComment(result, { marker: MARKER }).slice(MARKER.length)).text;

describe('noise report', () => {
  test('begins with the rate of false alarms, its interval and the allowed rate', () => {
    expect(noiseTitle(measured())).toBe(
      'Measured noise: 3 of 100 comparisons of base with itself red (95 % interval 1.0 to 8.5 %)',
    );
    const text = renderGithub(renderNoiseSummary(measured())).text.replaceAll('\u00a0', ' ');
    expect(text).toMatch(
      /^Measured noise: 3 of 100 [^]*, which agrees with the 5\.0 % that the gate allows; more comparisons give a more precise rate\./,
    );
    expect(text).toContain(
      '2 comparisons could not be judged · 40 of 100 were inconclusive · adaptive tries · 6,800 model calls · $4.20',
    );
  });

  test('shows the file and line of each notice', () => {
    const noise = measured({
      notices: [
        {
          kind: 'import',
          message: 'could be read too, and is not',
          place: { file: 'evals/evals.json', line: 3 },
        },
        { kind: 'settings', message: 'all of it', place: null },
      ],
    });
    expect(renderNoise(noise, { width: 200, colour: false })).toContain(
      '- evals/evals.json:3: could be read too, and is not\n- all of it\n',
    );
  });

  test('says whether there are more false alarms than the allowed rate', () => {
    expect(
      renderNoise(measured({ red: 30, low: 0.22, high: 0.4 }), { width: 200, colour: false }),
    ).toContain(
      'more than the 5.0 % that the gate allows: answers change over time, or tries are not independent.',
    );
    expect(
      renderNoise(measured({ red: 0, low: 0, high: 0.037 }), { width: 200, colour: false }),
    ).toContain('at most the 5.0 % that the gate allows.');
  });

  test('explains why nothing was measured', () => {
    const problems = [{ place: { file: 'evaldiff.yaml', line: 3 }, message: 'unknown key "gaet"' }];
    expect(
      renderNoise(
        measured({
          runs: 0,
          red: 0,
          low: 0,
          high: 1,
          unjudged: 0,
          neutral: 0,
          problems,
        }),
        { width: 100, colour: false },
      ),
    ).toMatch(
      /^Noise was not measured: 1 problem to fix\.[^]*- evaldiff\.yaml:3: unknown key "gaet"/,
    );
    expect(noiseTitle(measured({ runs: 0, unjudged: 5 }))).toBe(
      'Noise was not measured: no comparison could be judged',
    );
  });

  test('fits the size limit of a summary, and escapes file names', () => {
    const notice = (message: string, file: string) =>
      ({ kind: 'settings', message, place: { file, line: 1 } }) as const;
    const many = Array.from({ length: 3000 }, (_, index) => notice(`r${index}`, 'x'.repeat(300)));
    expect(
      new TextEncoder().encode(renderNoiseSummary(measured({ notices: many }), 20_000)).length,
    ).toBeLessThanOrEqual(20_000);
    for (const text of Object.values(hostileTexts)) {
      const named = measured({ notices: [notice(text, text)] });
      const { html } = renderGithub(renderNoiseSummary(named));
      expect(html).not.toMatch(/<(?:script|img|a |iframe|svg)/i);
      for (const line of renderNoise(named, { width: 100, colour: false }).split('\n'))
        expect(line).not.toMatch(/^::|##\[/);
    }
  });
});

describe('reports on a pull request', () => {
  const noise = { red: 3, runs: 100, low: 0.0103, high: 0.0845, measured_at: '2026-03-04' };

  test('show the last noise measurement', async () => {
    const result = { ...green(), noise };
    for (const text of [
      comment(result),
      renderTerminal(result, { width: 300, colour: false }),
      await renderHtml(result),
      renderSummary(result),
    ]) {
      expect(text).toContain(
        'False alarms: 3 of 100 comparisons of base with itself red (1.0 to 8.5 %, 2026-03-04)',
      );
    }
  });

  test('do not mention noise without a measurement', () => {
    expect(comment(green())).not.toContain('False alarms');
  });
});

test('a flaky reference is shown with its pass rate over all tries so far', () => {
  const result = green();
  result.suites[0]!.references[3]!.history = { passes: 34, tries: 60, low: 0.441, high: 0.684 };
  expect(comment(result)).toContain('flaky; passed 34 of 60 tries so far on base (44.1 to 68.4 %)');
});

describe('overridden verdict', () => {
  const override = {
    label: 'evaldiff-accept',
    by: 'ada (admin)',
    reason: 'shorter answers are wanted',
  };

  test('is shown in every report, with the reason for the override', async () => {
    const result = withOverride(regression(), override);
    expect(headline(result)).toMatchObject({ sign: '✗', outcome: 'Regressed, overridden' });
    for (const text of [
      comment(result),
      renderTerminal(result, { width: 300, colour: false }),
      renderSummary(result),
    ]) {
      expect(text).toContain('Regressed, overridden');
      expect(text).toContain(
        'Not red, because ada (admin) overrides the gate with the label "evaldiff-accept": shorter answers are wanted',
      );
    }
    expect(JSON.stringify(viewIn(await renderHtml(result)).blocks.top)).toContain(
      'shorter answers are wanted',
    );
  });

  test('is called overridden even if the run failed without a regressed suite', () => {
    const result = withOverride(
      resultOf({
        ...neutral(),
        outcome: undefined,
        conclusion: 'failure',
        reasons: [{ code: 'below-floor', suite: 'capitals', rate: 0.7, floor: 0.8 }],
      }),
      override,
    );
    const { outcome, note } = headline(result);
    expect(outcome).toBe('Failed, overridden');
    expect(note).toEqual(['capitals: pass rate 70 % is below min_pass_rate 80 %', '.']);
    expect(comment(result)).toContain('shorter answers are wanted');
  });

  test('escapes markup in the label and the reason', () => {
    for (const reason of Object.values(hostileTexts)) {
      const { html } = renderGithub(
        renderComment(withOverride(regression(), { label: reason, by: reason, reason }), {
          marker: MARKER,
        }).slice(MARKER.length),
      );
      expect(html).not.toMatch(/<(?:script|img|iframe|svg)/i);
    }
  });
});
