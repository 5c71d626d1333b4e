import { expect, it } from '@jest/globals';
import { readGateSettings } from '../gate-settings/gate-settings';
import { nearestFilter } from './nearest-filter';

function bearer(keys: string | undefined, on: 'workload' | 'source') {
  return { gates: readGateSettings(keys === undefined ? {} : { 'reroll.dev/keys': keys }, on).settings };
}

it.each([
  [undefined, undefined, undefined],
  ['a', undefined, 'a of the workload'],
  [undefined, 'b', 'b of the source'],
  ['a', 'b', 'a of the workload'],
  ['( )', 'b', undefined],
  ['a', '( )', 'a of the workload'],
  [undefined, '( )', undefined],
])('with %j on the workload and %j on the source, %s counts', (workload, source, told) => {
  const nearest = nearestFilter(bearer(workload, 'workload'), bearer(source, 'source'));
  expect(nearest && `${nearest.filter.text} of the ${nearest.on}`).toBe(told);
});
