import { EventEmitter } from 'node:events';
import { createHalting } from '../../../../src/app/session/progress.ts';
import { testClock } from '../../../unit/edges/providers/providers-setting.ts';

const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

class Signals extends EventEmitter {
  exits: number[] = [];
  exit(code: number) {
    this.exits.push(code);
  }
}

function watched(timeoutMs: number | null = null) {
  const signals = new Signals();
  const lines: string[] = [];
  const clock = testClock();
  const halting = createHalting({
    timeoutMs,
    clock,
    process: signals,
    log: (line) => lines.push(line),
  });
  return { signals, lines, clock, halting };
}

describe('a run', () => {
  test('cancels its calls once after a stop signal, keeps the reason and says that a report follows', () => {
    const { signals, lines, halting } = watched();
    expect(halting.halted()).toBeNull();
    signals.emit('SIGINT', 'SIGINT');
    expect(halting.signal.aborted).toBe(true);
    expect(halting.halted()).toEqual({
      code: 'interrupted',
      why: 'it was cancelled, or stopped by hand (SIGINT)',
    });
    expect(lines).toEqual([
      'SIGINT: no further calls; the run reports what it has. Press again to exit immediately.',
    ]);
    halting.release();
  });

  test('exits if the same signal arrives again, but not on a different signal', () => {
    const { signals, halting } = watched();
    signals.emit('SIGINT', 'SIGINT');
    signals.emit('SIGTERM', 'SIGTERM');
    expect(signals.exits).toEqual([]);
    signals.emit('SIGINT', 'SIGINT');
    expect(signals.exits).toEqual([130]);
    halting.release();
  });

  test('ignores signals after its end', () => {
    const { signals, halting } = watched(1e6);
    halting.release();
    expect([signals.listenerCount('SIGINT'), signals.listenerCount('SIGTERM')]).toEqual([0, 0]);
  });

  test('stops at its time limit, and leaves no timer running after its end', async () => {
    const [late, done] = [watched(60_000), watched(60_000)];
    done.halting.release();
    for (const { clock, halting } of [late, done]) {
      clock.expire(59_999);
      await turns();
      expect(halting.halted()).toBeNull();
      clock.expire(1);
      await turns();
    }
    expect(done.halting.halted()).toBeNull();
    const { halting } = late;
    expect(halting.halted()).toEqual({
      code: 'time',
      why: 'the run took longer than 1 minute (timeout)',
    });
    halting.release();
  });
});
