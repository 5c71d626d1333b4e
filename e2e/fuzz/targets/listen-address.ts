import { promise, type Target } from '../target';
import { formatListenAddress, parseListenAddress } from '../../../shared/runtime/http/listen-address';

/** The address on which a server is to listen. */
export const target: Target = {
  seeds: [':9090', '127.0.0.1:0', '[fe80::1%eth0]:80', 'localhost:65536'],
  run: (input) => {
    const address = parseListenAddress(input.toString('utf8'));
    if (!address) return;
    const again = parseListenAddress(formatListenAddress(address));
    promise(JSON.stringify(again) === JSON.stringify(address), 'an address is read as it was written');
  },
};
