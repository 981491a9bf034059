const MAX_LINKS = 40;

/**
 * Where a path leads after all links, also those in the middle of it. Null: out of the workspace,
 * or in a circle. `linkAt` returns the target of a link.
 */
export function followLinks(path: string, linkAt: (path: string) => string | null): string | null {
  const open = path.split('/');
  const reached: string[] = [];
  let links = 0;
  for (let step = open.shift(); step !== undefined; step = open.shift()) {
    if (step === '' || step === '.') continue;
    if (step === '..') {
      if (reached.pop() === undefined) return null;
      continue;
    }
    const target = linkAt([...reached, step].join('/'));
    if (target === null) {
      reached.push(step);
      continue;
    }
    links += 1;
    if (links > MAX_LINKS || target === '' || /^\/|\0/.test(target)) return null;
    open.unshift(...target.split('/'));
  }
  return reached.join('/');
}
