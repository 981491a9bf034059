/**
 * A run of its own, to be killed: asks for answers one after the other and says when each has come
 * back.
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
/** Waits until the line has left the process: one that is only queued would be lost with it. */
const say = (line: string): Promise<void> =>
  new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve()));
const complete = store.wrap(async ({ messages }) => {
  await say(`paid ${messages[0]?.content ?? ''}`);
  return ok(`re ${messages[0]?.content ?? ''}`);
}, keyOf);
for (let index = 0; index < Number(count); index++) {
  await complete(asks(String(index)));
  await say(`back ${String(index)}`);
}
// The end is the parent's: nothing is closed here.
setInterval(() => undefined, 1000);
