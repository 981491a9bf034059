/** The oldest Node that runs evaldiff, as `engines` in package.json says. */
const OLDEST = [24, 2] as const;

/**
 * Why this Node cannot run evaldiff, or null. Said before anything else: an older one would end in
 * silence, or in a stack trace.
 */
export function tooOld(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return null;
  return `evaldiff needs Node ${OLDEST.join('.')} or newer, and this is Node ${version}. Nothing was judged. Install a newer Node, or run it through the scripts of its package.json, which bring their own.`;
}
