import type http from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { afterEach } from '@jest/globals';
import type { ProviderOptions } from '../../../../src/edges/providers/index.ts';
import type { VendorName } from '../../../../src/types/vendors.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { setUp, type Setting } from '../../../unit/edges/providers/providers-setting.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Runs after the test, the last one given first. */
export const afterThisTest = (close: () => unknown): unknown => open.push(close);

/** A vendor's stand-in and providers that ask it, closed after the test. */
export async function start(
  vendor: VendorName,
  answer: Script = () => ({}),
  overrides: Partial<ProviderOptions> = {},
): Promise<Setting> {
  const setting = await setUp(vendor, answer, overrides);
  afterThisTest(setting.close);
  return setting;
}

/** Listens on loopback until the test is over; its origin. */
export async function listen(server: Server): Promise<URL> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterThisTest(() => {
    server.close();
    if ('closeAllConnections' in server) (server as http.Server).closeAllConnections();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}
