import { describe, expect, it } from '@jest/globals';
import { alertSink, alertSinks } from './alert-formatters';

const text = 'prod *1* : changes in *app*';

describe('§14.2 the request of each sink', () => {
  it.each([
    ['slack', 'application/json', { attachments: [{ author_name: 'Reloader', color: 'good', text }] }],
    ['teams', 'application/json', { text }],
    ['gchat', 'application/json', { text }],
  ])('%s', (name, contentType, body) => {
    const post = alertSinks[name]!.post(text);
    expect(post.contentType).toBe(contentType);
    expect(JSON.parse(post.body.toString())).toEqual(body);
  });

  it.each(['raw', 'webhook'])('%s is plain text without any asterisk', (name) => {
    const post = alertSinks[name]!.post(text);
    expect(post).toEqual({ contentType: 'text/plain', body: Buffer.from('prod 1 : changes in app') });
  });

  it('sends characters of all languages as UTF-8', () => {
    for (const sink of Object.values(alertSinks))
      expect(sink.post('größe 😀').body.toString('utf8')).toContain('größe 😀');
  });
});

describe('the name of a stranger', () => {
  const all = Object.keys(alertSinks);
  const escaped = (name: string, foreign: string): string => alertSinks[name]!.escape(foreign);

  it.each(all)('stays as it is for %s where it is a usual one', (name) => {
    for (const usual of [
      'alice',
      'alice@example.com',
      'system:serviceaccount:shop:ci',
      'DB_PASSWORD',
      '_example',
      'größe 設定',
      'www.conf',
      'awww.a.example',
      'ConfigMap app: content changed (keys: a.json, b-c) by alice (kubectl-edit). Deployment restarted (env-vars, 1)',
    ]) {
      expect(escaped(name, usual)).toBe(usual);
    }
  });

  it.each<[string, string, string]>([
    ['slack', '<!channel>', '&lt;!channel&gt;'],
    ['slack', '<@U1|x>', '&lt;＠U1|x&gt;'],
    ['slack', '<https://a.example|sign in>', '&lt;https：//a.example|sign in&gt;'],
    ['slack', '&lt;!here&gt;', '&amp;lt;!here&amp;gt;'],
    ['slack', '*b* ~s~ `c`', '＊b＊ ～s～ ｀c｀'],
    ['slack', '_i_ __b__ a_b', '_i＿ __b＿＿ a_b'],
    ['slack', '[sign in](https://a.example)', '［sign in］(https：//a.example)'],
    ['teams', '<at>everyone</at>', '&lt;at&gt;everyone&lt;/at&gt;'],
    ['teams', '<a href="https://a.example">x</a>', '&lt;a href="https：//a.example"&gt;x&lt;/a&gt;'],
    ['teams', '[sign in](https://a.example)', String.raw`\[sign in\](https：//a.example)`],
    ['teams', String.raw`\[a\](b)`, String.raw`\\\[a\\\](b)`],
    ['teams', '**b** ~~s~~ `c` |', String.raw`\*\*b\*\* \~\~s\~\~ \`c\` \|`],
    ['gchat', '<users/all>', '＜users/all＞'],
    ['gchat', '<https://a.example|sign in>', '＜https：//a.example｜sign in＞'],
    ['gchat', '*b* ~s~ `c`', '＊b＊ ～s～ ｀c｀'],
    ['gchat', '_i_ a_b', '_i＿ a_b'],
    ['teams', '_i_ __b__', '_i＿ __b＿＿'],
    ['raw', '<!channel>', '＜!channel＞'],
    ['raw', '[sign in](https://a.example)', '［sign in］(https：//a.example)'],
    ['webhook', '<@everyone>', '＜＠everyone＞'],
  ])('cannot make %s act: %s', (name, foreign, shown) => {
    expect(escaped(name, foreign)).toBe(shown);
  });

  it.each(all)('calls no channel and is no link for %s, wherever it stands', (name) => {
    for (const word of ['channel', 'here', 'everyone', 'all']) {
      expect(escaped(name, `@${word}`)).toBe(`＠${word}`);
      expect(escaped(name, `x @${word} (@${word})`)).toBe(`x ＠${word} (＠${word})`);
      // Mattermost splits names at these characters before it looks for mentions.
      for (const before of ['-', '.', '_', '+', 'a.', 'a-', 'a_', 'e\u0301'])
        expect(escaped(name, `${before}@${word}`)).not.toContain('@');
    }
    expect(escaped(name, 'see https://a.example')).toBe('see https：//a.example');
    for (const www of ['www', 'WWW', 'www2'])
      expect(escaped(name, `see ${www}.a.example/b (${www}.a.example)`)).toBe(
        `see ${www}．a.example/b (${www}．a.example)`,
      );
  });
});

describe('alertSink', () => {
  it.each(['pager', '', 'Slack', 'toString', '__proto__'])('knows no sink %j', (name) => {
    expect(alertSink(name)).toBeUndefined();
  });
});
