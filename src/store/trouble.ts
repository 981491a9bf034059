/**
 * Why a file cannot be used: `damaged` is no database any more, `foreign` is somebody else's,
 * `absent` is not there, `busy` is held by another process.
 */
export type StoreTrouble = 'damaged' | 'newer' | 'foreign' | 'absent' | 'busy' | 'unavailable';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly trouble: StoreTrouble;

  constructor(trouble: StoreTrouble, message: string) {
    super(message);
    this.trouble = trouble;
  }
}

/** SQLite's results for a file that is none any more: SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED = new Set([11, 26]);
/** SQLITE_BUSY. */
const BUSY = 5;

/** What `work` gives, with whatever it throws as a {@link StoreError}. */
export function told<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const message = String(member(error, 'message') ?? error);
    // The upper bits only say more about the same result.
    const result = Number(member(error, 'errcode')) & 0xff;
    const damaged =
      DAMAGED.has(result) ||
      message.startsWith('no such table') ||
      message.startsWith('no such column');
    throw new StoreError(damaged ? 'damaged' : result === BUSY ? 'busy' : 'unavailable', message);
  }
}

/** A member of something thrown. */
export function member(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null && name in error
    ? (error as Record<string, unknown>)[name]
    : undefined;
}
