import { createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { ListenError, listenOn } from './listen';

const address = { host: '127.0.0.1', port: 0 };

it('says which flag chooses another address', async () => {
  const first = createServer();
  const port = await listenOn(first, address, '--listen');
  const second = listenOn(createServer(), { ...address, port }, '--listen');
  await expect(second).rejects.toThrow(ListenError);
  await expect(second).rejects.toThrow(
    'another process uses this port: stop it, or choose another address with --listen',
  );
  first.close();
});

it('outlives a connection that the system could not accept', async () => {
  const server = createServer();
  await listenOn(server, address, '--listen');
  expect(server.emit('error', new Error('accept ENOBUFS'))).toBe(true);
  expect(server.listening).toBe(true);
  server.close();
});
