import { expect, it } from '@jest/globals';
import { freePorts } from './ports';

it('finds other ports each time, also if no server listens yet on those found before', async () => {
  const found = (await Promise.all([freePorts(40), freePorts(40), freePorts(40)])).flat();
  expect(new Set([...found, ...(await freePorts(40))]).size).toBe(160);
});
