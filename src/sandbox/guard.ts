/**
 * Any process of the same user can send SIGUSR1, at which Node opens its inspector on a local port
 * and gives up the memory with all keys. A listener takes that meaning away. Call it first in every
 * entry.
 */
export function guardProcess(): void {
  process.on('SIGUSR1', () => undefined);
}
