import { agentsFeature } from '../../../../src/features/agents/index.ts';
import { commandIn } from '../../../stand-ins/command-line.ts';
import { temporaryFolder } from '../../../stand-ins/repository.ts';

describe('evaldiff demo agents', () => {
  test('prints why the demo cannot run on this machine', async () => {
    const { demo } = agentsFeature;
    if (demo === undefined) throw new Error('the feature has no demo');
    const refusal = () => Promise.resolve('This system is not Linux.');
    const features = [{ ...agentsFeature, demo: { ...demo, refusal } }];
    const { code, out } = await commandIn(temporaryFolder('demo'), ['demo', 'agents'], {
      features,
    });
    expect([code, out]).toEqual([
      2,
      'The demo cannot run on this machine. This system is not Linux.\n',
    ]);
  });
});
