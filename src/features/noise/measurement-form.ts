import type { Result } from '../../kernel/result/result.ts';
import type { Block } from '../../report/sections/document.ts';
import type { NoiseResult } from './result.ts';

export interface MeasurementForm<T> {
  title(measured: T): string;
  /** `rows`: maximum rows per list. */
  blocks(measured: T, rows: number): Block[];
}

export type MeasuredCommit = Pick<Result, 'notices' | 'problems'> & Pick<NoiseResult, 'usage'>;
