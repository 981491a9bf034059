/** Unlike `localeCompare`, does not depend on the machine's locale. */
export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
