/**
 * Seconds of processor time that this thread spends on `work`. Other programs that keep the machine
 * busy do not add to it, as they do to the time on a clock.
 */
export async function processorSeconds(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1e6;
}
