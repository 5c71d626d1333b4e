import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { CutProxy } from './cut-proxy';

it('passes on what is said, until it is told to cut', async () => {
  const echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
  await once(echo, 'listening');
  const proxy = await CutProxy.start(`https://127.0.0.1:${(echo.address() as AddressInfo).port}`);
  const open = async () => {
    const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1').setEncoding('utf8');
    socket.write('hello');
    expect(await once(socket, 'data')).toEqual(['hello']);
    return socket;
  };
  const first = await open();
  const ended = new Promise((resolve) => first.on('error', () => undefined).once('close', resolve));
  proxy.cut();
  await ended;
  const second = await open();
  second.on('error', () => undefined).destroy();
  proxy.close();
  await new Promise((resolve) => echo.close(resolve));
});
