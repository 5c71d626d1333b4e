import { describe, expect, it } from '@jest/globals';
import { isOtherThanText } from './other-than-text';

/** As kubectl 1.36 reads each. */
describe('without quotes, kubectl', () => {
  it.each([
    ...['y', 'N', 'yes', 'Yes', 'YES', 'no', 'on', 'ON', 'Off', 'true', 'FALSE'],
    ...[
      '1_000',
      '+1_0',
      '1__0',
      '0_',
      '1_',
      '12_3.5',
      '1_0e2',
      '1._5',
      '017',
      '0x1_f',
      '0x_1',
      '0X1F',
      '0b11',
      '-0b11',
      '0B1',
      '0o17',
    ],
  ])('takes %j for a boolean or a number', (text) => {
    expect(isOtherThanText(text)).toBe(true);
  });

  it.each([
    ...[
      '',
      'oFF',
      'yEs',
      'yes ',
      'text',
      '_1',
      '._5',
      '.e1',
      '=',
      '1:20',
      '2001-01-01',
      '2001-01-01T00:00:00Z',
      'infinity',
    ],
    ...['0x1p4', '0x', '0b2', '1.2.3', '10.0.0.1', '1Gi', '-', '+', '1e', 'a_1', `0x${'f'.repeat(20)}`],
  ])('takes %j for text', (text) => {
    expect(isOtherThanText(text)).toBe(false);
  });
});
