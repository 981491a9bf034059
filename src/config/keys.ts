import { problem } from '../errors.ts';
import { didYouMean } from '../text/suggest.ts';
import type { Problem } from '../types/plain.ts';
import type { Federation } from '../types/vendors/facts.ts';
import type { VendorName } from '../types/vendors/names.ts';
import {
  factsOf,
  isVendor,
  keyInputWords,
  perVendor,
  vendorNames,
  type VendorIdentity,
  type VendorKeys,
} from '../types/vendors.ts';

const IDENTITY_ID = /^[\w.:/@-]{1,500}$/;

/**
 * Reads lines of the form `vendor=KEY` or `vendor=oidc:ID …`. Error messages quote only names,
 * because the rest of a line may contain a key.
 */
export function readKeys(
  lines: readonly string[],
  input: (name: string) => string,
): { keys: VendorKeys; identities: Map<VendorName, VendorIdentity>; problems: Problem[] } {
  const values = new Map<VendorName, string>();
  const identities = new Map<VendorName, VendorIdentity>();
  const problems: Problem[] = [];
  const ownInput = (vendor: VendorName) => input(factsOf(vendor).keyInput ?? '');
  const refuse = (message: string) => void problems.push(problem(null, `keys: ${message}`));
  for (const line of lines.filter((each) => !each.startsWith('#'))) {
    const [, vendor = '', value = ''] = /^([a-z]{1,20})\s*=\s*(.*)$/i.exec(line) ?? [];
    if (vendor === '') refuse('a line must be vendor=KEY or vendor=oidc:ID');
    else if (!isVendor(vendor))
      refuse(`"${vendor}" is not a vendor${didYouMean(vendor, vendorNames())}`);
    else if (values.has(vendor)) refuse(`"${vendor}" is set twice`);
    else if (ownInput(vendor) !== '')
      refuse(`"${vendor}" is also set by ${keyInputWords(vendor)}; remove one of them`);
    else {
      values.set(vendor, value);
      const identity = value.startsWith('oidc:') ? readIdentity(vendor, value.slice(5)) : null;
      if (typeof identity === 'string') refuse(`"${vendor}" ${identity}`);
      else if (identity !== null) identities.set(vendor, identity);
    }
  }
  const keys = perVendor((vendor) => ownInput(vendor) || values.get(vendor) || null);
  return { keys, identities, problems };
}

function readIdentity(vendor: VendorName, text: string): VendorIdentity | string {
  const { federation, label } = factsOf(vendor);
  if (federation === undefined)
    return `must be a key, because evaldiff cannot prove the job's identity to ${label}`;
  const [id = '', ...words] = text.split(/\s+/);
  const given = words.map(
    (word) => [word.split('=')[0] ?? '', word.replace(/^[^=]*=/, '')] as const,
  );
  const options = Object.fromEntries(given);
  const { required, optional } = federation;
  const other = ['audience', ...optional];
  const fits =
    required.every((name) => Object.hasOwn(options, name)) &&
    given.every(([name]) => required.includes(name) || other.includes(name)) &&
    [id, ...Object.values(options)].every((value) => IDENTITY_ID.test(value));
  return fits
    ? { id, audience: options['audience'] ?? federation.audience.replace('{id}', id), options }
    : `must be ${lineForm(vendor, federation)}, optionally with ${other.join('=, ')}=`;
}

/** The shortest line, with `id` for each id. */
export function lineForm(vendor: VendorName, { required }: Federation, id = 'ID'): string {
  return [`${vendor}=oidc:${id}`, ...required.map((name) => `${name}=${id}`)].join(' ');
}
