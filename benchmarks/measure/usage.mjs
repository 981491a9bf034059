/**
 * Loaded into a measured process with `--import`. Writes its resource usage at exit. Plain
 * JavaScript, so that loading it costs nothing.
 */
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.BENCH_USAGE_FILE;
if (isMainThread && file !== undefined) {
  process.on('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    appendFileSync(
      file,
      `${JSON.stringify({ cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMb: (maxRSS * 1024) / 1e6 })}\n`,
    );
  });
}
