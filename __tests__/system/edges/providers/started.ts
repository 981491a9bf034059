import type http from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { ProviderOptions } from '../../../../src/edges/providers/index.ts';
import type { VendorName } from '../../../../src/types/vendors/names.ts';
import { afterThisTest, untilTestEnds } from '../../../stand-ins/after-test.ts';
import type { Script } from '../../../stand-ins/models/server.ts';
import { setUp, type Setting } from '../../../unit/edges/providers/providers-setting.ts';

/** Starts a vendor's stand-in and providers for it, and closes both after the test. */
export async function start(
  vendor: VendorName,
  answer: Script = () => ({}),
  overrides: Partial<ProviderOptions> = {},
): Promise<Setting> {
  return untilTestEnds(setUp(vendor, answer, overrides));
}

/** Listens on loopback until the test ends; returns the origin. */
export async function listen(server: Server): Promise<URL> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterThisTest(() => {
    server.close();
    if ('closeAllConnections' in server) (server as http.Server).closeAllConnections();
  });
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}
