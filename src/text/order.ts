/** Does not depend on the machine's locale, unlike `localeCompare`. */
export function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
