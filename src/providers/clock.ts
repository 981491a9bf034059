/** Time as the providers see it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Ends after `ms`, or earlier (by resolving or rejecting) when the signal fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** Sleeps without ever rejecting; the caller looks at the signal. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch {
    // An aborted sleep is over, like any other.
  }
}

/** Calls `expired` after `ms` unless the returned function is called first. */
export function deadline(clock: Clock, ms: number, expired: () => void): () => void {
  const controller = new AbortController();
  void pause(clock, ms, controller.signal).then(() => { if (!controller.signal.aborted) expired(); });
  return () => controller.abort();
}
