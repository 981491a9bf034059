import { codeQualityOf, sarifOf } from '../../../../src/features/publish/findings.ts';
import { loadReports } from '../../../../src/report/sections/feature-report.ts';
import { FEATURES } from '../../../stand-ins/features.ts';
import { hostile, regression } from '../../report/results.ts';

interface Sarif {
  version: string;
  runs: {
    results: {
      ruleId: string;
      level: string;
      message: { text: string };
      partialFingerprints: Record<string, string>;
      locations: {
        physicalLocation: {
          artifactLocation: { uri: string };
          region: { startLine: number; endLine: number };
        };
      }[];
    }[];
  }[];
}

interface Issue {
  description: string;
  fingerprint: string;
  severity: string;
  location: { path: string; lines: { begin: number } };
}

describe('findings for code reviews', () => {
  test('are the same in SARIF and in Code Quality, with file, line and a lasting id', async () => {
    const reports = await loadReports(FEATURES);
    const sarif = sarifOf(regression(), reports) as Sarif;
    const quality = codeQualityOf(regression(), reports) as Issue[];
    const results = sarif.runs[0]?.results ?? [];
    expect(sarif.version).toBe('2.1.0');
    expect(results.length).toBeGreaterThan(1);
    expect(new Set(results.map(({ level }) => level))).toContain('error');
    expect(new Set(quality.map(({ severity }) => severity))).toContain('major');
    expect(
      results.map(({ locations: [at], partialFingerprints }) => [
        at?.physicalLocation.artifactLocation.uri,
        at?.physicalLocation.region.startLine,
        partialFingerprints['evaldiff'],
      ]),
    ).toEqual(
      quality.map(({ location, fingerprint }) => [
        location.path,
        location.lines.begin,
        fingerprint,
      ]),
    );
    expect(new Set(quality.map(({ fingerprint }) => fingerprint)).size).toBe(quality.length);
  });

  test('contain no control characters of hostile answers', async () => {
    const text = JSON.stringify(sarifOf(hostile(), await loadReports(FEATURES)));
    expect(text).not.toMatch(/\\u001b|\\u202e|\u202e/);
  });
});
