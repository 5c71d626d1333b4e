import { describe, expect, it } from '@jest/globals';
import { alertSink, alertSinks } from './sinks';

const text = 'prod *1* : changes in *app*';

describe('§14.2 the request of each sink', () => {
  it.each([
    ['slack', 'application/json', { attachments: [{ author_name: 'Reloader', color: 'good', text }] }],
    ['teams', 'application/json', { text }],
    ['gchat', 'application/json', { text }],
  ])('%s', (name, contentType, body) => {
    const post = alertSinks[name]!(text);
    expect(post.contentType).toBe(contentType);
    expect(JSON.parse(post.body.toString())).toEqual(body);
  });

  it.each(['raw', 'webhook'])('%s is plain text without any asterisk', (name) => {
    const post = alertSinks[name]!(text);
    expect(post).toEqual({ contentType: 'text/plain', body: Buffer.from('prod 1 : changes in app') });
  });

  it('sends characters of all languages as UTF-8', () => {
    for (const sink of Object.values(alertSinks)) expect(sink('größe 😀').body.toString('utf8')).toContain('größe 😀');
  });

  it.each(['pager', '', 'Slack', 'toString', '__proto__'])('knows no sink %j', (name) => {
    expect(alertSink(name)).toBeUndefined();
  });
});
