import type { Result } from '../../result/result.ts';
import { NO_LINKS, type Links } from './document.ts';

/** Where the lines of head's files are shown, if the result knows it; nothing else is linked. */
export function placeLinks({ source, head }: Pick<Result, 'source' | 'head'>): Links {
  if (source === undefined) return NO_LINKS;
  const { url, directory } = source;
  const root = `${url}/blob/${head.sha}`;
  return {
    ...NO_LINKS,
    place: (file, line) => {
      const path = [...directory.split('/'), ...file.split('/')].filter(
        (part) => part !== '' && part !== '.',
      );
      const at = [root, ...path.map(encodeURIComponent)].join('/');
      return line > 0 ? `${at}#L${String(line)}` : at;
    },
  };
}
