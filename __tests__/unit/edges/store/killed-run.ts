/**
 * A process that a test kills. It makes model calls one after another and prints each answer it
 * received.
 */
import { openStore } from '../../../../src/edges/store/index.ts';
import { asks, keyOf, ok } from './setting.ts';

const [file = '', count = '0'] = process.argv.slice(2);
const store = openStore({
  file,
  maxBytes: 1e9,
  now: Date.now,
  access: 'read-write',
  secret: null,
  notice: (line) => process.stdout.write(`notice ${line}\n`),
});
/** Waits until the line is written: a queued line would be lost with the process. */
const say = (line: string): Promise<void> =>
  new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve()));
const complete = store.wrap(async ({ messages }) => {
  await say(`paid ${messages[0]?.content ?? ''}`);
  return ok(`re ${messages[0]?.content ?? ''}`);
}, keyOf);
for (let index = 0; index < Number(count); index++) {
  await complete(asks(String(index)));
  await say(`back ${index}`);
}
// Stay alive until the parent kills this process. The store is deliberately not closed.
setInterval(() => undefined, 1000);
