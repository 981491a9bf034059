import type { Result } from '../../result/result.ts';
import { NO_LINKS, type Links } from './document.ts';

/** Where the lines of files are shown, if the result knows it; nothing else is linked. */
export function placeLinks({
  source,
  base,
  head,
}: Pick<Result, 'source' | 'base' | 'head'>): Links {
  if (source === undefined) return NO_LINKS;
  const { url, directory } = source;
  return {
    ...NO_LINKS,
    place: (file, line, side) => {
      const { sha } = side === 'base' ? (base ?? head) : head;
      const path = [...directory.split('/'), ...file.split('/')].filter(
        (part) => part !== '' && part !== '.',
      );
      const at = [`${url}/blob/${sha}`, ...path.map(encodeURIComponent)].join('/');
      return line > 0 ? `${at}#L${String(line)}` : at;
    },
  };
}
