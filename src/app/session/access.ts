import { ofModel, secretsIn } from '../../edges/providers/address.ts';
import type { JobIdentity } from '../../edges/providers/auth.ts';
import type { ProviderOptions } from '../../edges/providers/index.ts';
import { problem } from '../../errors.ts';
import type { Endpoint } from '../../types/endpoints.ts';
import type { Problem } from '../../types/plain.ts';
import type { VendorName } from '../../types/vendors/names.ts';
import {
  credentialVariables,
  factsOf,
  perVendor,
  vendorNames,
  type VendorIdentity,
} from '../../types/vendors.ts';

export type Access = Pick<ProviderOptions, 'keys' | 'endpoints' | 'proxy' | 'identities' | 'cloud'>;

export type TestOverrides = Partial<Pick<ProviderOptions, 'vendorUrls' | 'clock'>>;

export function accessFrom(
  given: {
    keys: Access['keys'];
    identities?: ReadonlyMap<VendorName, VendorIdentity>;
    endpoints: readonly Endpoint[];
    proxy: string | null;
  },
  env: NodeJS.ProcessEnv,
  requestIdentity: JobIdentity['request'] = null,
): Access {
  const identities = given.identities ?? new Map<VendorName, VendorIdentity>();
  const fromEnv = (name: string) => env[name]?.trim() || null;
  return {
    keys: perVendor((vendor) =>
      identities.has(vendor) ? null : (given.keys[vendor] ?? fromEnv(factsOf(vendor).keyVariable)),
    ),
    identities: new Map(
      [...identities].map(([vendor, identity]) => [
        vendor,
        { ...identity, request: requestIdentity },
      ]),
    ),
    endpoints: new Map(
      given.endpoints.map(({ name, keyEnv, headers, ...facts }) => [
        name,
        {
          ...facts,
          keyEnv,
          key: keyEnv === null ? null : fromEnv(keyEnv),
          headers: headers.map((header) => ({ ...header, value: fromEnv(header.env) })),
        },
      ]),
    ),
    proxy: given.proxy === null ? null : new URL(given.proxy),
    cloud: Object.fromEntries(CLOUD_VARIABLES.map((name) => [name, fromEnv(name)])),
  };
}

const CLOUD_VARIABLES = vendorNames().flatMap((vendor) => {
  const parts = Object.values(factsOf(vendor).cloud?.parts ?? {});
  return [...credentialVariables(vendor), ...parts.flatMap(({ variables }) => variables)];
});

/** The runner's variables with which a job requests an identity token. */
const IDENTITY_VARIABLES = ['ACTIONS_ID_TOKEN_REQUEST_TOKEN', 'ACTIONS_ID_TOKEN_REQUEST_URL'];

export function identityValues(env: NodeJS.ProcessEnv): string[] {
  return IDENTITY_VARIABLES.flatMap((name) => env[name]?.trim() || []);
}

export function mayRequestIdentity(env: NodeJS.ProcessEnv): boolean {
  return identityValues(env).length === IDENTITY_VARIABLES.length;
}

/** The rest of the address also occurs in ordinary text. */
export function identitySecrets(env: NodeJS.ProcessEnv): string[] {
  return identityValues(env).map((value) => URL.parse(value)?.pathname ?? value);
}

/** Ordinary values, which are not secret unless they look like a key. */
const ORDINARY =
  /^(?:true|false|null|none|yes|off|debug|info|warn(?:ing)?|error|test|production|staging|development|localhost|\/[\w./:-]*)$/i;

/** A key in base64 may begin with a slash, like a path. */
const KEY_LIKE = /(?=\w*\d)(?=\w*[a-z])(?=\w*[A-Z])\w{16,}/;

export function codeSecrets(names: readonly string[], env: NodeJS.ProcessEnv): string[] {
  return names
    .map((name) => env[name]?.trim() ?? '')
    .filter((value) => value !== '' && (!ORDINARY.test(value) || KEY_LIKE.test(value)));
}

/** Of clouds, whose variables programs also use, only the key. */
export function refuseModelKeys(
  option: 'code-env' | '--code-env',
  names: readonly string[],
  access: Access,
  env: NodeJS.ProcessEnv,
): Problem[] {
  const secrets = secretsIn({ ...access, cloud: {} });
  const variables = new Set([
    ...vendorNames().map((vendor) => factsOf(vendor).keyVariable),
    ...[...access.endpoints.values()].flatMap(({ keyEnv, headers = [] }) => [
      ...(keyEnv === null || keyEnv === undefined ? [] : [keyEnv]),
      ...headers.map((header) => header.env),
    ]),
  ]);
  const rights = identityValues(env);
  // Windows ignores the case of names.
  const isRight = (name: string) =>
    IDENTITY_VARIABLES.includes(name.toUpperCase()) || rights.includes(env[name]?.trim() ?? '');
  const identity = names
    .filter(isRight)
    .map((name) =>
      problem(
        null,
        `${option}: remove ${name}; code could request the job's identity tokens with it`,
      ),
    );
  const keys = names
    .filter((name) => variables.has(name) || secrets.includes(env[name]?.trim() ?? ''))
    .map((name) => problem(null, `${option}: ${ofModel(name)}`));
  return [...identity, ...keys];
}

export function withoutSecrets(
  env: NodeJS.ProcessEnv,
  secrets: readonly string[],
): NodeJS.ProcessEnv {
  return withoutValues(env, () => secrets);
}

/** Without the keys of models. Of clouds, code keeps the variables that `codeEnv` names. */
export function withoutKeys(
  env: NodeJS.ProcessEnv,
  access: Access,
  codeEnv: readonly string[],
): NodeJS.ProcessEnv {
  const all = secretsIn(access);
  const ofModels = secretsIn({ ...access, cloud: {} });
  return withoutValues(env, (name) => (codeEnv.includes(name) ? ofModels : all));
}

function withoutValues(
  env: NodeJS.ProcessEnv,
  secretsFor: (name: string) => readonly string[],
): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name, value = '']) => !secretsFor(name).includes(value.trim())),
  );
}
