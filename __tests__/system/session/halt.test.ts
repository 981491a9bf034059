import { EventEmitter } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { createHalting } from '../../../src/session/progress.ts';

class Signals extends EventEmitter {
  exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
}

function watched(timeoutMs: number | null = null) {
  const signals = new Signals();
  const lines: string[] = [];
  const halting = createHalting({
    timeoutMs,
    process: signals,
    log: (line) => {
      lines.push(line);
    },
  });
  return { signals, lines, halting };
}

describe('a run that is told to end', () => {
  test('ends its calls with the reason, once, and says that it reports', () => {
    const { signals, lines, halting } = watched();
    expect(halting.halted()).toBeNull();
    signals.emit('SIGINT', 'SIGINT');
    expect(halting.signal.aborted).toBe(true);
    expect(halting.halted()).toEqual({ title: 'Interrupted', why: 'SIGINT came' });
    expect(lines).toEqual([
      'SIGINT: no further call is made; what there is will be reported. Once more ends at once.',
    ]);
    halting.release();
  });

  test('ends at once by the same signal again, and goes on reporting through the other one, which a runner sends later', () => {
    const { signals, halting } = watched();
    signals.emit('SIGINT', 'SIGINT');
    signals.emit('SIGTERM', 'SIGTERM');
    expect(signals.exits).toEqual([]);
    signals.emit('SIGINT', 'SIGINT');
    expect(signals.exits).toEqual([130]);
    halting.release();
  });

  test('listens no longer once it is released', () => {
    const { signals, halting } = watched(1e6);
    halting.release();
    expect([signals.listenerCount('SIGINT'), signals.listenerCount('SIGTERM')]).toEqual([0, 0]);
  });

  test('ends when its time is up', async () => {
    const { halting } = watched(1);
    // The timer does not keep a program alive by itself.
    const alive = setInterval(() => undefined, 1000);
    await new Promise((resolve) => {
      halting.signal.addEventListener('abort', resolve);
    });
    clearInterval(alive);
    expect(halting.halted()).toEqual({
      title: 'Time is up',
      why: expect.stringMatching(/^the run took longer than .* \(timeout\)$/),
    });
    halting.release();
  });
});
