import { createProgram } from '../../src/app/commands/program.ts';
import { FEATURES } from '../../src/features.ts';
import { commandIn, withoutKeys } from '../stand-ins/command-line.ts';
import { ROOT } from './source-graph.ts';

const helpOf = async (...args: string[]) => (await commandIn(ROOT, args, withoutKeys())).out;

const terminal = { ...withoutKeys(), cwd: ROOT, isTerminal: false, width: 80, features: FEATURES };
const { commands } = await createProgram(
  { ...terminal, out: () => undefined, err: () => undefined },
  () => undefined,
);

test('the help lists the commands in four groups and at most 45 lines of 80 columns', async () => {
  const help = await helpOf('--help');
  expect([...help.matchAll(/^([A-Z].*):$/gm)].map(([, heading]) => heading)).toEqual([
    ...['Options', 'Start', 'Test', 'Look at results', 'Manage'],
  ]);
  expect([...help.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name).sort()).toEqual(
    [...commands.map((command) => command.name()), 'help'].sort(),
  );
  const lines = help.trimEnd().split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.length).toBeLessThanOrEqual(45);
});

const isShown = ({ hidden }: { hidden: boolean }) => !hidden;

test.each(commands.map((command) => [command.name(), command] as const))(
  'the help of %s has one example and at most 30 lines, and names every option',
  async (name, { options }) => {
    const [help, all] = [await helpOf(name, '--help'), await helpOf(name, '--help', 'all')];
    expect(help.match(/^Examples?: .*$/gm)).toEqual([
      expect.stringMatching(new RegExp(`^Example: evaldiff ${name}\\b`)),
    ]);
    expect(help.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
    for (const { flags, long } of options.filter(isShown)) {
      expect(help).toMatch(new RegExp(`${long ?? flags}\\b`));
      expect(all).toContain(`\n  ${flags}`);
    }
  },
);

test('an option of two commands has one name, and a name has one kind of value', () => {
  const found = commands.flatMap(({ options }) => options.filter(isShown));
  const several = (key: 'description' | 'long') =>
    [...Map.groupBy(found, (option) => option[key])].flatMap(([of, group]) =>
      new Set(group.map(({ flags }) => flags)).size > 1 ? [of] : [],
    );
  expect(several('description')).toEqual([]);
  // `init` gets evaldiff from there, `show` and `grow` a result, `migrate` a model. `publish` writes
  // to a service.
  expect(several('long')).toEqual(['--from', '--to']);
});
