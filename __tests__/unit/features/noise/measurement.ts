import { measurementMarkdown, noiseForm } from '../../../../src/features/noise/report.ts';
import type { NoiseResult } from '../../../../src/features/noise/result.ts';
import { renderBlocks, type TerminalOptions } from '../../../../src/report/terminal.ts';
import { gate } from '../../app/run/builders.ts';

/** A measurement of 100 comparisons, three of them red. */
export function measured(changes: Partial<NoiseResult> = {}): NoiseResult {
  return {
    noise_version: 1,
    head: { sha: '9e8d7c6b5a49382716055443322110ffeeddccbb' },
    red: 3,
    runs: 100,
    low: 0.0103,
    high: 0.0845,
    measured_at: '2026-03-04',
    unjudged: 2,
    neutral: 40,
    gate: { ...gate(), tolerance: 0.05 },
    n_tries: 'adaptive',
    notices: [],
    problems: [],
    usage: { calls: 6800, reused: 0, input_tokens: 0, output_tokens: 0, cost_usd: 4.2 },
    ...changes,
  };
}

export function renderNoise(noise: NoiseResult, options: TerminalOptions): string {
  return `${renderBlocks(noiseForm.blocks(noise, 50), options)}\n`;
}

export function renderNoiseSummary(noise: NoiseResult, limit = 1_000_000): string {
  return measurementMarkdown(noiseForm, noise, limit);
}
