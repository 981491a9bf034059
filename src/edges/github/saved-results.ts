import { constants } from 'node:buffer';
import { inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { userError } from '../../errors.ts';
import { address, type Environment } from './event.ts';

const Pull = z.object({ head: z.object({ sha: z.string() }) });
const Check = z.object({ head_sha: z.string() });
const Runs = z.object({ workflow_runs: z.array(z.object({ id: z.number() })) });
const Artifacts = z.object({
  artifacts: z.array(z.object({ id: z.number(), name: z.string(), expired: z.boolean() })),
});

const GITHUB = 'https://github.com';

/** Addresses of a pull request, a workflow run and a check run. */
const PAGE =
  /^\/([\w.-]+\/[\w.-]+)\/(?:pull\/(\d+)(?:\/.*)?|actions\/runs\/(\d+)(?:\/.*)?|runs\/(\d+))\/?$/;

/**
 * The text of each `result.json` of the newest workflow run that saved one, for a page on GitHub.
 *
 * @throws UserError if there is none, or GitHub refuses the token.
 */
export async function savedResults(
  page: string,
  env: Environment,
): Promise<{ file: string; text: string }[]> {
  const server = address(env, 'GITHUB_SERVER_URL') ?? GITHUB;
  const { origin, pathname } = new URL(page);
  const [, repository, pull, run, check] = PAGE.exec(pathname) ?? [];
  if (origin !== server || repository === undefined)
    throw userError(page, `is not a pull request, check or workflow run of ${server}`);
  const token = env['GH_TOKEN'] ?? env['GITHUB_TOKEN'] ?? '';
  if (token === '')
    throw userError(page, 'needs a token: export GH_TOKEN="$(gh auth token)", then run again');
  const usual = server === GITHUB ? 'https://api.github.com' : `${server}/api/v3`;
  const api = address(env, 'GITHUB_API_URL') ?? usual;
  const get = async (path: string): Promise<Response> => {
    const answer = await fetch(`${api}/repos/${repository}/${path}`, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json' },
    }).catch(() => null);
    if (answer?.ok === true) return answer;
    const why = answer === null ? 'cannot be reached' : `answers ${answer.status}`;
    throw userError(page, `GitHub ${why}. The token must be able to read its actions`);
  };
  const read = async <T>(type: z.ZodType<T>, path: string): Promise<T> =>
    type.parse(await (await get(path)).json());
  const commit =
    pull === undefined
      ? check && (await read(Check, `check-runs/${check}`)).head_sha
      : (await read(Pull, `pulls/${pull}`)).head.sha;
  const runs =
    commit === undefined
      ? [{ id: run }]
      : (await read(Runs, `actions/runs?head_sha=${commit}&per_page=100`)).workflow_runs;
  for (const { id } of runs) {
    const { artifacts } = await read(Artifacts, `actions/runs/${id ?? ''}/artifacts?per_page=100`);
    const found = artifacts.filter(
      ({ name, expired }) => !expired && /^evaldiff-result(?:-|$)/.test(name),
    );
    if (found.length === 0) continue;
    const load = async (of: (typeof found)[number]) => ({
      file: `${of.name}/result.json`,
      text: unzipped(page, await (await get(`actions/artifacts/${of.id}/zip`)).arrayBuffer()),
    });
    return Promise.all(found.map(load));
  }
  throw userError(page, 'has no result of evaldiff; GitHub keeps results for 30 days');
}

const [END, END_BYTES] = [0x06054b50, 22];

/** The text of the only file in a ZIP archive. */
function unzipped(page: string, archive: ArrayBuffer): string {
  const zip = Buffer.from(archive);
  try {
    let end = zip.length - END_BYTES;
    while (zip.readUInt32LE(end) !== END) end -= 1;
    const entry = zip.readUInt32LE(end + 16);
    const local = zip.readUInt32LE(entry + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const packed = zip.subarray(start, start + zip.readUInt32LE(entry + 20));
    const isStored = zip.readUInt16LE(entry + 10) === 0;
    const limits = { maxOutputLength: constants.MAX_STRING_LENGTH };
    return (isStored ? packed : inflateRawSync(packed, limits)).toString('utf8');
  } catch {
    throw userError(page, 'has an artifact that is not a readable archive');
  }
}
