import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from './repository.ts';

/** A key and its certificate, both as PEM. */
export interface KeyPair {
  key: string;
  cert: string;
}

/** A self-signed certificate for `localhost`. */
export function selfSigned(): KeyPair {
  return made(temporaryFolder('certificate'), 'localhost', []);
}

/**
 * A certificate for `localhost`, with the file of the authority that signed it, which no system
 * trusts.
 */
export function ofOwnAuthority(): KeyPair & { authority: string } {
  return namedByOwnAuthority('localhost');
}

/** The same for other hosts. */
export function namedByOwnAuthority(...hosts: string[]): KeyPair & { authority: string } {
  const folder = temporaryFolder('authority');
  made(folder, 'authority', ['-addext', 'basicConstraints=critical,CA:TRUE']);
  const [authority, key] = ['authority.cert.pem', 'authority.key.pem'].map((name) =>
    join(folder, name),
  ) as [string, string];
  const signed = ['-CA', authority, '-CAkey', key, '-addext', 'basicConstraints=CA:FALSE'];
  return { ...made(folder, hosts[0] ?? '', signed, hosts), authority };
}

function made(
  folder: string,
  name: string,
  more: readonly string[],
  hosts: readonly string[] = [name],
): KeyPair {
  const [key, cert] = ['key', 'cert'].map((kind) => join(folder, `${name}.${kind}.pem`)) as [
    string,
    string,
  ];
  const subject = [
    '-subj',
    `/CN=${name}`,
    '-addext',
    `subjectAltName=${hosts.map((host) => `${isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`).join(',')}`,
  ];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  execFileSync(
    'openssl',
    ['req', '-x509', ...kind, ...subject, ...more, '-keyout', key, '-out', cert],
    { stdio: 'ignore' },
  );
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}
