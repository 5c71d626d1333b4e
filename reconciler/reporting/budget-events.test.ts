import { beforeEach, expect, it } from '@jest/globals';
import { BudgetEvents } from './budget-events';

const web = { kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'u' } as const;
let sent: string[];
let events: BudgetEvents;

beforeEach(() => {
  sent = [];
  events = new BudgetEvents(({ name }, message) => void sent.push(`${name}: ${message}`));
});

it('budget Events are sent at once by the leading replica', () => {
  events.lead(true);
  events.owe('web', web, 'too large');
  expect(sent).toEqual(['web: too large']);
  events.lead(true);
  expect(sent).toHaveLength(1);
});

it('budget Events are sent when a replica becomes leader, for the state at that time', () => {
  events.owe('web', web, 'too large');
  events.owe('web', web, 'larger still');
  events.owe('api', { ...web, name: 'api' }, 'too large');
  events.owe('api', { ...web, name: 'api' }, '');
  events.owe('gone', { ...web, name: 'gone' }, 'too large');
  events.forget('gone');
  expect(sent).toEqual([]);
  events.lead(true);
  expect(sent).toEqual(['web: larger still']);
});

it('budget Events are left to the next leader once a replica no longer leads', () => {
  events.lead(true);
  events.lead(false);
  events.owe('web', web, 'too large');
  expect(sent).toEqual([]);
});
