import { resolve } from 'node:path';
import {
  inTurns,
  linesOf,
  runGit,
  withSettings,
  type GitResult,
  type GitPlace,
} from './command.ts';
import { isObjectId } from './objects.ts';

export type Remote = ReturnType<typeof openRemote>;

interface FetchOptions {
  /** `tree:0`: only commits. Default: also their trees, but not the contents of files. */
  filter?: 'tree:0' | 'blob:none';
  depth?: readonly string[];
  /** If true, does not tell the server which commits exist locally. */
  alone?: boolean;
}

type GitSettings = readonly (readonly [key: string, value: string])[];

export interface RemoteAddress {
  url: string;
  settings: GitSettings;
  advice: string;
  /** Why there is no remote. */
  missing?: string;
  /** Asks the server. Null: it does not know. */
  mergeBase?(base: string, head: string): Promise<string | null>;
}

const REMOTE_NAME = 'evaldiff';

const FETCH = [
  'fetch',
  '--quiet',
  '--no-tags',
  '--no-write-fetch-head',
  '--no-recurse-submodules',
  '--no-auto-maintenance',
  '--no-prune',
  '--upload-pack=git-upload-pack',
];

const LISTING = ['ls-remote', '--quiet', '--upload-pack=git-upload-pack'];

/**
 * Only fetches see the remote as a promisor (git's source of missing objects), so a read never uses
 * the network.
 */
export function openRemote(
  store: GitPlace,
  { url, settings, advice, missing, mergeBase = () => Promise.resolve(null) }: RemoteAddress,
  environment: NodeJS.ProcessEnv,
  networkTimeoutMs: number,
) {
  const place: GitPlace = {
    ...store,
    environment: withSettings(environment, [
      [`remote.${REMOTE_NAME}.url`, url],
      [`remote.${REMOTE_NAME}.promisor`, 'true'],
      [`remote.${REMOTE_NAME}.partialclonefilter`, 'tree:0'],
      ...settings,
    ]),
  };
  // Concurrent fetches would conflict over git's lock on the shallow boundary.
  const inTurn = inTurns();
  // The result of the first command that timed out. Later commands return it and do not run.
  let silence: GitResult | null =
    missing === undefined ? null : { code: 128, output: Buffer.of(), stderr: missing };
  const ask = async (
    at: GitPlace,
    command: readonly string[],
    input?: Uint8Array,
  ): Promise<GitResult> => {
    if (silence !== null) return silence;
    const answer = await runGit(at, command, { networkTimeoutMs, ...(input && { input }) });
    if (answer.timedOut === true) silence = answer;
    return answer;
  };
  let tips: Promise<Map<string, string> | null> | null = null;
  return {
    isThere: missing === undefined,
    advice,
    mergeBase,
    /**
     * Runs one fetch at a time. Passes ids through stdin, so that git cannot read them as options.
     */
    fetch(
      ids: readonly string[],
      { filter = 'blob:none', depth = [], alone = false }: FetchOptions = {},
    ): Promise<GitResult> {
      const at = alone
        ? { ...place, settings: [...place.settings, 'fetch.negotiationAlgorithm=noop'] }
        : place;
      const command = [...FETCH, ...depth, `--filter=${filter}`, '--stdin'];
      return inTurn(() =>
        ask(at, [...command, '--end-of-options', REMOTE_NAME], Buffer.from(`${ids.join('\n')}\n`)),
      );
    },
    list: async (patterns: readonly string[]) =>
      refsIn(await ask(place, [...LISTING, '--end-of-options', REMOTE_NAME, ...patterns])),
    tips: () =>
      (tips ??= ask(place, [...LISTING, '--heads', '--tags', REMOTE_NAME]).then((answer) => {
        const listed = refsIn(answer);
        // A tag's commit follows the tag, with `^{}`.
        return (
          listed && new Map([...listed].map(([name, id]) => [name.replace(/\^\{\}$/, ''), id]))
        );
      })),
  };
}

function refsIn({ code, output }: GitResult): Map<string, string> | null {
  if (code !== 0) return null;
  const rows = linesOf(output).map((row) => row.split('\t'));
  return new Map(
    rows.flatMap(([id, name]) =>
      id !== undefined && name !== undefined && isObjectId(id) ? [[name, id]] : [],
    ),
  );
}

/** Never puts the token into arguments or files. */
export function serverAddress(server: string, repository: string, token: string): RemoteAddress {
  const origin = server.replace(/\/+$/, '');
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  return {
    url: `${origin}/${repository}`,
    advice: 'If the repository is private, the job needs the permission contents: read.',
    settings: [
      ['credential.helper', ''],
      ['http.followRedirects', 'false'],
      ...(token === ''
        ? []
        : [[`http.${origin}/.extraheader`, `AUTHORIZATION: basic ${basic}`] as const]),
    ],
  };
}

export function adviceOn(why: string, access: string): string {
  if (/not our ref|find remote ref/i.test(why))
    return 'No branch or tag of the remote contains it, for example after a force push: name another commit.';
  return /\b40[134]\b|authenticat|could not read|not found|access/i.test(why) ? access : '';
}

export const REMOTE_SETTINGS =
  /^(?:url\..*\.insteadof|http\..*|protocol\.version|remote\..*\.(?:url|proxy|proxyauthmethod))$/i;

export function configuredAddress(settings: GitSettings, root: string): RemoteAddress | null {
  const urls = new Map<string, string>();
  for (const [key, value] of settings) {
    const name = /^remote\.(.+)\.url$/i.exec(key)?.[1];
    if (name !== undefined && !urls.has(name)) urls.set(name, value);
  }
  const name = urls.has('origin') ? 'origin' : [...urls.keys()].sort()[0];
  const url = name === undefined ? undefined : urls.get(name);
  if (name === undefined || url === undefined) return null;
  const own = `remote.${name}.`;
  const isPath = !/^[^/]*:/.test(url) || /^[A-Za-z]:[\\/]/.test(url);
  return {
    url: isPath ? resolve(root, url) : url,
    advice: '',
    settings: settings.flatMap(([key, value]) => {
      if (!key.startsWith('remote.')) return [[key, value] as const];
      const rest = key.slice(own.length);
      return key.startsWith(own) && rest !== 'url'
        ? [[`remote.${REMOTE_NAME}.${rest}`, value] as const]
        : [];
    }),
  };
}
