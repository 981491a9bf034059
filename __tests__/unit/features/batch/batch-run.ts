/** A sweep in its own process, which a test kills or stops while it waits for a batch. */
import { main } from '../../../../src/app/commands/program.ts';
import { clock } from '../../../stand-ins/clock.ts';
import { FEATURES } from '../../../stand-ins/features.ts';
import { vendorUrls } from '../../../stand-ins/models/server.ts';

const [url = '', ...argv] = process.argv.slice(2);
process.exitCode = await main(argv, {
  env: process.env,
  cwd: process.cwd(),
  isTerminal: false,
  width: 160,
  features: FEATURES,
  testOverrides: { clock, vendorUrls: vendorUrls({ url, openaiUrl: `${url}/v1` }) },
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
