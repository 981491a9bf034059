import { codeQualityOf, sarifOf } from '../../../../src/features/publish/findings.ts';
import { loadReports } from '../../../../src/report/sections/feature-report.ts';
import { FEATURES } from '../../../stand-ins/features.ts';
import { hostile, regression } from '../../report/results.ts';

interface Issue {
  fingerprint: string;
  location: { path: string; lines: { begin: number } };
}

describe('findings for code reviews', () => {
  test('are the same in SARIF and in Code Quality, with file, line and a lasting id', async () => {
    const reports = await loadReports(FEATURES);
    const quality = codeQualityOf(regression(), reports) as Issue[];
    expect(quality).toContainEqual(expect.objectContaining({ severity: 'major' }));
    expect(sarifOf(regression(), reports)).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          results: quality.map(({ location: { path, lines }, fingerprint }) => ({
            ruleId: 'evaldiff',
            partialFingerprints: { evaldiff: fingerprint },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: path },
                  region: { startLine: lines.begin },
                },
              },
            ],
          })),
        },
      ],
    });
  });

  test('contain no control characters of hostile answers', async () => {
    const text = JSON.stringify(sarifOf(hostile(), await loadReports(FEATURES)));
    expect(text).not.toMatch(/\\u001b|\\u202e|\u202e/);
  });
});
