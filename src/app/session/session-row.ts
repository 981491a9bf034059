import type { Formats } from '../../config/formats.ts';
import type { SuiteKey } from '../../config/suite-key.ts';
import type { Activity } from '../../edges/providers/clock.ts';
import type { CallOptions } from '../../edges/providers/hosted-server.ts';
import type { OwnPrograms, RequestTransport } from '../../edges/providers/index.ts';
import type { Store } from '../../edges/store/index.ts';
import type { MetricDefinition } from '../../metrics/definition.ts';
import type { Ledger } from '../../money/ledger.ts';
import type { ReportRow } from '../../report/sections/feature-report.ts';
import type { Request } from '../../types/model.ts';
import type { SourceTree } from '../../types/repository.ts';
import type { Feature } from '../run/feature.ts';

/** What a feature adds to a session: file formats, metrics, programs. */
export interface SessionRow extends ReportRow {
  readonly suiteKey?: SuiteKey;
  readonly formats?: Formats;
  readonly transport?: (tools: {
    openStores(): Promise<readonly Store[]>;
    activity: Activity;
    turn(): Promise<void>;
    /** At most 64 hexadecimal digits. */
    requestKey(request: Request): string;
  }) => (options: CallOptions) => RequestTransport;
  readonly metrics?: () => Promise<readonly MetricDefinition[]>;
  readonly programs?: (tools: ProgramTools) => OwnPrograms;
}

export interface ProgramTools {
  openStores(): Promise<readonly Store[]>;
  treeOf(commit: string): SourceTree | null;
  trees: readonly SourceTree[];
  folder: string;
  hash(text: string): string;
  ledger(): Ledger;
}

export type SessionFeatures = readonly (Feature & SessionRow)[];

export function formatsOf(features: SessionFeatures): Formats {
  return Object.assign({}, ...features.map(({ formats }) => formats ?? {})) as Formats;
}

export function suiteKeysOf(features: SessionFeatures): SuiteKey[] {
  return features.flatMap(({ suiteKey }) => suiteKey ?? []);
}
