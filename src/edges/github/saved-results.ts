import { constants } from 'node:buffer';
import { inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { errorMessage, userError } from '../../errors.ts';
import { address, type Environment } from './event.ts';
import { webRequest } from './web-request.ts';

const Reply = z
  .object({
    head: z.object({ sha: z.string() }),
    head_sha: z.string(),
    workflow_runs: z.array(z.object({ id: z.number() })),
    artifacts: z.array(z.object({ id: z.number(), name: z.string(), expired: z.boolean() })),
  })
  .partial();

const GITHUB = 'https://github.com';

/** Addresses of a pull request, a check run and a workflow run. */
const ADDRESS = /^\/([\w.-]+\/[\w.-]+)\/(pull|runs|actions\/runs)\/(\d+)(?:\/|$)/;

/** Where a page is, and how to read the API of its repository. */
function apiOf(page: string, env: Environment) {
  const server = address(env, 'GITHUB_SERVER_URL') ?? GITHUB;
  const { origin, pathname } = new URL(page);
  const [, repository, kind, id = ''] = ADDRESS.exec(pathname) ?? [];
  if (origin !== server || repository === undefined)
    throw userError(page, `is not a pull request, check or workflow run of ${server}`);
  const token = env['GH_TOKEN'] ?? env['GITHUB_TOKEN'] ?? '';
  if (token === '')
    throw userError(page, 'needs a token: export GH_TOKEN="$(gh auth token)", then run again');
  const usual = server === GITHUB ? 'https://api.github.com' : `${server}/api/v3`;
  const api = address(env, 'GITHUB_API_URL') ?? usual;
  const get = async (path: string): Promise<Buffer> => {
    const headers = { authorization: `Bearer ${token}` };
    const options = { headers, redirects: true };
    const url = `${api}/repos/${repository}/${path}`;
    const { status, bytes } = await webRequest(url, options).catch((error: unknown) => {
      // Addresses of archives contain a signature.
      const why = errorMessage(error).replaceAll(/\?\S*/g, '');
      throw userError(page, `GitHub cannot be reached (${why})`);
    });
    if (status === 200) return bytes;
    throw userError(page, `GitHub answers ${status}. The token must be able to read its actions`);
  };
  return { kind, id, get };
}

/**
 * The text of each `result.json` of the newest workflow run that saved one, for a page on GitHub.
 *
 * @throws UserError if there is none, or GitHub refuses the token.
 */
export async function savedResults(page: string, env: Environment): Promise<string[]> {
  const { kind, id, get } = apiOf(page, env);
  const read = async (path: string) => Reply.parse(JSON.parse((await get(path)).toString()));
  const runsOf = async (about: string) => {
    const { head, head_sha } = await read(about);
    return read(`actions/runs?head_sha=${head?.sha ?? head_sha ?? ''}&per_page=100`);
  };
  const { workflow_runs: runs = [] } =
    kind === 'actions/runs'
      ? { workflow_runs: [{ id }] }
      : await runsOf(`${kind === 'pull' ? 'pulls' : 'check-runs'}/${id}`);
  for (const run of runs) {
    const { artifacts = [] } = await read(`actions/runs/${run.id}/artifacts?per_page=100`);
    const texts = artifacts
      .filter(({ name, expired }) => !expired && /^evaldiff-result(?:-|$)/.test(name))
      .map(async (found) => {
        return unzipped(page, await get(`actions/artifacts/${found.id}/zip`));
      });
    if (texts.length > 0) return Promise.all(texts);
  }
  throw userError(page, 'has no result of evaldiff; GitHub keeps results for 30 days');
}

const [ZIP_END, END_BYTES] = [0x06054b50, 22];

/** The text of the only file in a ZIP archive, which is compressed. */
function unzipped(page: string, zip: Buffer): string {
  try {
    let end = zip.length - END_BYTES;
    while (zip.readUInt32LE(end) !== ZIP_END) end -= 1;
    const entry = zip.readUInt32LE(end + 16);
    const local = zip.readUInt32LE(entry + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const packed = zip.subarray(start, start + zip.readUInt32LE(entry + 20));
    return inflateRawSync(packed, { maxOutputLength: constants.MAX_STRING_LENGTH }).toString();
  } catch {
    throw userError(page, 'has an artifact that is not a readable archive');
  }
}
