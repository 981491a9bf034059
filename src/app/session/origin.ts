import { userError } from '../../errors.ts';

/** A copy of evaldiff on GitHub: its repository, `OWNER/REPO`, and a tag or full commit id. */
export interface Origin {
  repository: string;
  ref: string;
}

/** GitHub's rules for names. They are strict, because the names are written into a workflow. */
const ACCOUNT = /^[A-Za-z\d](?:[A-Za-z\d]|-(?=[A-Za-z\d])){0,38}$/;
const REPOSITORY = /^(?!\.{1,2}$|.*\.git$)[\w.-]{1,100}$/;
const REF = /^[A-Za-z\d](?:[\w-]|\.(?!\.|$|lock$)){0,99}$/;

export function isRepository(name: string): boolean {
  const [account = '', repository = '', ...more] = name.split('/');
  return ACCOUNT.test(account) && REPOSITORY.test(repository) && more.length === 0;
}

/** @throws UserError if `text` is not `OWNER/REPO@TAG`. */
export function readOrigin(text: string): Origin {
  const [repository = '', ref = ''] = text.split(/@(.*)/s);
  const problem = originProblem(repository, ref);
  if (problem === null) return { repository, ref };
  throw userError(
    null,
    `--from ${JSON.stringify(text.slice(0, 200))}: ${problem}; write OWNER/REPO@TAG, such as ` +
      'acme/evaldiff@v1.0.0, or a full commit id instead of the tag',
  );
}

function originProblem(repository: string, ref: string): string | null {
  if (/^\w+:|^[\w.-]+\.\w+\/.*\//.test(repository)) return 'this is an address';
  const [account = '', name = '', ...more] = repository.split('/');
  if (!ACCOUNT.test(account))
    return (
      `OWNER is ${JSON.stringify(account)}, which is not a name of a GitHub account (letters, ` +
      'digits and single hyphens, at most 39)'
    );
  if (!REPOSITORY.test(name) || more.length > 0)
    return (
      `REPO is ${JSON.stringify([name, ...more].join('/'))}, which is not a name of a repository ` +
      '(letters, digits, ".", "_" and "-", without .git, at most 100)'
    );
  if (ref === '') return 'the tag is missing';
  if (!REF.test(ref))
    return (
      `TAG is ${JSON.stringify(ref)}; a tag here has letters, digits, ".", "_" and "-", begins ` +
      'with a letter or digit, and has at most 100 characters'
    );
  return /^(?=.*[a-f])[\da-f]{7,39}$/i.test(ref)
    ? `TAG is ${JSON.stringify(ref)}, which looks like a shortened commit id: GitHub needs all 40 digits`
    : null;
}

/** The address that npm installs this copy from. It needs no build, because `dist/` is committed. */
export function archiveOf({ repository, ref }: Origin): string {
  return `https://github.com/${repository}/archive/${ref}.tar.gz`;
}

type SchemaKind = 'settings' | 'prompt' | 'tests' | 'attributes' | 'agents';

/** The first line of a written file, for editors; empty if no address has the schema. */
export function schemaLine(kind: SchemaKind, origin: Origin | null): string {
  if (origin === null) return '';
  const { repository, ref } = origin;
  return (
    '# yaml-language-server: ' +
    `$schema=https://raw.githubusercontent.com/${repository}/${ref}/schemas/${kind}.schema.json\n`
  );
}
