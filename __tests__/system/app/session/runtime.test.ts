import { readFileSync } from 'node:fs';
import { whyTooOld } from '../../../../src/app/session/runtime.ts';

test.each(['18.20.4', '20.20.2', '22.12.0', '21.7.3'])(
  'Node %s is rejected as too old',
  (version) => expect(whyTooOld(version)).toContain(`this is Node ${version}. Nothing was judged.`),
);

test.each(['22.13.0', '22.21.0', '24.0.0', '24.21.0', '25.0.0', '26.1.0-nightly'])(
  'Node %s runs evaldiff',
  (version) => expect(whyTooOld(version)).toBeNull(),
);

test('the oldest supported Node is the one in package.json', () => {
  const { engines } = JSON.parse(
    readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
  ) as { engines: { node: string } };
  const oldest = engines.node.replace('>=', '');
  expect(whyTooOld(`${oldest}.0`)).toBeNull();
  expect(
    whyTooOld(
      `${oldest
        .split('.')
        .map((part, at) => (at === 1 ? Number(part) - 1 : part))
        .join('.')}.0`,
    ),
  ).not.toBeNull();
});
