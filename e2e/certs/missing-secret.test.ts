import { expect, it } from '@jest/globals';
import { readinessChecks } from '../../certs/keeper';
import { keptSecretNames } from '../../certs/kept-secret';
import { CertsWorld } from './certs.fixture';

const minuteMs = 60_000;

it.each(keptSecretNames)(
  'without the Secret %s the log, /readyz and a metric name it and what restores it, the rest goes on, and it is filled when it is back',
  async (name) => {
    const world = new CertsWorld();
    world.register();
    await world.deleteSecret(name);
    const running = world.keeper();
    running.keeper.start();
    await world.clock.advance(5 * minuteMs);
    const told = new RegExp(`the Secret reroll/${name} is missing.*"helm upgrade".*"kubectl apply -f"`);
    const warnings = running.lines.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ fields }) => fields['error'])).toEqual([expect.stringMatching(told)]);
    const [check] = readinessChecks(running.keeper);
    expect(check?.check()).toEqual({ ok: false, message: expect.stringMatching(told) as unknown });
    for (const each of keptSecretNames) {
      const expected = `reroll_certificate_secret_missing{secret="${each}"} ${each === name ? '1' : '0'}`;
      expect(await running.registry.text()).toContain(expected);
    }
    expect(world.writes().filter((write) => !/^(update|patch) .* 200$/.test(write))).toEqual([]);
    const others = keptSecretNames.filter((each) => each !== name && each !== 'reroll-certs');
    for (const other of others) expect((await world.secret(other))['data']).toBeDefined();

    world.restoreSecret(name);
    await world.clock.advance(70_000);
    expect((await world.secret(name))['data']).toBeDefined();
    expect(running.lines.at(-1)?.message).toBe('certificates are maintained again');
    expect(check?.check()).toEqual({ ok: true, message: 'kept' });
    expect(await running.registry.text()).toContain(`reroll_certificate_secret_missing{secret="${name}"} 0`);
    const stopping = running.keeper.stop();
    await world.clock.settle();
    await stopping;
  },
);

it('a Secret that is deleted later does not make it unready: what there is goes on being used', async () => {
  const world = new CertsWorld();
  world.register();
  const { keeper } = world.keeper();
  await keeper.keep();
  await world.deleteSecret('reroll-ca');
  await expect(keeper.keep()).rejects.toThrow('the Secret reroll/reroll-ca is missing');
  const [check] = readinessChecks(keeper);
  expect(check?.check()).toEqual({ ok: true, message: expect.stringContaining('reroll-ca is missing') as unknown });
});
