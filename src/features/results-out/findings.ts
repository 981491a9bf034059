import { sha256 } from '../../app/session/cached-complete.ts';
import { SETTINGS_FILE } from '../../config/file-names.ts';
import type { Result } from '../../kernel/result/result.ts';
import { annotations } from '../../report/annotations.ts';
import { addressPath } from '../../report/sections/document.ts';
import type { Reports } from '../../report/sections/feature-report.ts';
import { jsonFile } from './formats.ts';

type LineFinding = ReturnType<typeof annotations>[number];

const UNPLACED = { file: SETTINGS_FILE, line: 1 };

/** Findings at lines, as reports for code reviewers show them. */
function findingsOf(given: Result, reports: Reports): LineFinding[] {
  const problems = given.problems.map(({ place, message }) => ({
    place: place ?? UNPLACED,
    message,
  }));
  const result = { ...given, problems };
  const files = [
    ...problems.map(({ place }) => place.file),
    ...result.suites.flatMap(({ path, references }) => [
      path,
      ...references.map(({ file }) => file),
    ]),
  ];
  const shown = [...new Set(files)].map((path) => ({
    path,
    basePath: path,
    lines: [{ start: 1, end: 1 }],
    deleted: false,
  }));
  return annotations(result, shown, reports, result.source?.directory);
}

const SARIF_LEVELS = { failure: 'error', warning: 'warning', notice: 'note' } as const;

/** https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
export function renderSarif(result: Result, reports: Reports): string {
  const results = findingsOf(result, reports).map((finding) => ({
    ruleId: 'evaldiff',
    level: SARIF_LEVELS[finding.level],
    message: { text: `${finding.title}\n${finding.message}` },
    partialFingerprints: { evaldiff: findingId(finding) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: addressPath('', finding.path) },
          region: { startLine: finding.startLine, endLine: finding.endLine },
        },
      },
    ],
  }));
  const driver = { name: 'evaldiff', rules: [{ id: 'evaldiff' }] };
  return jsonFile({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, results }],
  });
}

const SEVERITIES = { failure: 'major', warning: 'minor', notice: 'info' } as const;

/** https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format */
export function renderCodeQuality(result: Result, reports: Reports): string {
  const issues = findingsOf(result, reports).map((finding) => ({
    description: `${finding.title}: ${finding.message}`,
    check_name: 'evaldiff',
    fingerprint: findingId(finding),
    severity: SEVERITIES[finding.level],
    location: { path: finding.path, lines: { begin: finding.startLine } },
  }));
  return jsonFile(issues);
}

/** The same in the next run, although figures in the message change. */
function findingId({ path, startLine, title }: LineFinding): string {
  return sha256(JSON.stringify([path, startLine, title]));
}
