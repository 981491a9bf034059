import { problem } from '../errors.ts';
import { didYouMean } from '../text/suggest.ts';
import type { Problem } from '../types/plain.ts';
import type { Federation } from '../types/vendors/facts.ts';
import type { VendorName } from '../types/vendors/names.ts';
import { factsOf, isVendor, vendorNames, type VendorIdentity } from '../types/vendors.ts';

const ID = /^[\w.:/@-]{1,500}$/;

const IDENTITY = 'oidc:';

/**
 * Reads lines of the form `vendor=KEY` or `vendor=oidc:ID …`. Error messages quote only names,
 * because the rest of a line may contain a key.
 */
export function readKeys(lines: readonly string[]): {
  keys: Map<VendorName, string>;
  identities: Map<VendorName, VendorIdentity>;
  problems: Problem[];
} {
  const keys = new Map<VendorName, string>();
  const identities = new Map<VendorName, VendorIdentity>();
  const problems: Problem[] = [];
  const refuse = (message: string) => void problems.push(problem(null, `keys: ${message}`));
  for (const line of lines.filter((each) => !each.startsWith('#'))) {
    const [, vendor = '', value = ''] = /^([a-z]{1,20})\s*=\s*(.*)$/i.exec(line) ?? [];
    if (vendor === '') refuse('a line must be vendor=KEY or vendor=oidc:ID');
    else if (!isVendor(vendor))
      refuse(`"${vendor}" is not a vendor${didYouMean(vendor, vendorNames())}`);
    else if (keys.has(vendor) || identities.has(vendor)) refuse(`"${vendor}" is set twice`);
    else if (!value.startsWith(IDENTITY)) keys.set(vendor, value);
    else {
      const identity = readIdentity(vendor, value.slice(IDENTITY.length));
      if (typeof identity === 'string') refuse(`"${vendor}" ${identity}`);
      else identities.set(vendor, identity);
    }
  }
  return { keys, identities, problems };
}

function readIdentity(vendor: VendorName, text: string): VendorIdentity | string {
  const { federation, label } = factsOf(vendor);
  if (federation === undefined)
    return `cannot use oidc:, because evaldiff has no key exchange for ${label}; write its key`;
  const [id = '', ...words] = text.split(/\s+/);
  const { audience = federation.audience, ...options } = optionsIn(words);
  const form = lineForm(vendor, federation);
  const known = ['audience', ...Object.keys(federation.options)];
  const isComplete = Object.entries(federation.options).every(
    ([name, isRequired]) => !isRequired || Object.hasOwn(options, name),
  );
  const isKnown = Object.keys(options).every((name) => known.includes(name));
  const areIds = [id, audience, ...Object.values(options)].every((value) => ID.test(value));
  return isComplete && isKnown && areIds
    ? { id, audience, options }
    : `must be ${form}, optionally with ${known.filter((name) => federation.options[name] !== true).join('= or ')}=`;
}

function optionsIn(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    words.map((word): [string, string] => {
      const [name = ''] = word.split('=');
      return [name, word.slice(name.length + 1)];
    }),
  );
}

/** The shortest line, with `id` in place of each id. */
export function lineForm(vendor: VendorName, { options }: Federation, id = 'ID'): string {
  const needed = Object.keys(options).filter((name) => options[name] === true);
  return [`${vendor}=oidc:${id}`, ...needed.map((name) => `${name}=${id}`)].join(' ');
}
