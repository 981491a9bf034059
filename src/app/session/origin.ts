import { userError } from '../../errors.ts';

/** A copy of evaldiff on GitHub: its repository, `OWNER/REPO`, and a tag or full commit id. */
export interface CopyOrigin {
  repository: string;
  ref: string;
}

/** GitHub's rules for names. They are strict, because the names are written into a workflow. */
const ACCOUNT = /^[A-Za-z\d](?:[A-Za-z\d]|-(?=[A-Za-z\d])){0,38}$/;
const REPOSITORY = /^(?!\.{1,2}$|.*\.git$)[\w.-]{1,100}$/;
const SHORT_COMMIT = /^(?=.*[a-f])[\da-f]{7,39}$/i;
const REF = /^[A-Za-z\d](?:[\w-]|\.(?!\.|$|lock$)){0,99}$/;

export function isRepository(name: string): boolean {
  const [account = '', repository = '', ...more] = name.split('/');
  return ACCOUNT.test(account) && REPOSITORY.test(repository) && more.length === 0;
}

/** @throws UserError if `text` is not `OWNER/REPO@TAG`. */
export function readOrigin(text: string): CopyOrigin {
  const [, repository = '', ref = ''] = /^([^@]*)@(.*)$/s.exec(text) ?? [];
  if (isRepository(repository) && REF.test(ref) && !SHORT_COMMIT.test(ref))
    return { repository, ref };
  throw userError(
    null,
    `--from: "${text.slice(0, 200)}" is not OWNER/REPO@TAG, a repository on GitHub and its tag or ` +
      'full commit id. Write it like your-account/evaldiff@v1.0.0',
  );
}

/** The address that npm installs this copy from. It needs no build, because `dist/` is committed. */
export function archiveOf({ repository, ref }: CopyOrigin): string {
  return `https://github.com/${repository}/archive/${ref}.tar.gz`;
}

type SchemaKind = 'settings' | 'prompt' | 'tests' | 'attributes' | 'agents';

/** The first line of a written file, for editors; empty if no address has the schema. */
export function schemaLine(kind: SchemaKind, origin: CopyOrigin | null): string {
  if (origin === null) return '';
  const { repository, ref } = origin;
  return (
    '# yaml-language-server: ' +
    `$schema=https://raw.githubusercontent.com/${repository}/${ref}/schemas/${kind}.schema.json\n`
  );
}
