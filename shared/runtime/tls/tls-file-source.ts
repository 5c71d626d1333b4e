import type { Clock } from '../clock';
import { FileSource } from './file-source';
import type { Logger } from '../log/logger';
import { MaterialSlot } from './material-slot';
import type { TlsMaterial } from './tls-material';
import { tlsMaterialKind } from './tls-material-kind';

export interface TlsFileSourceOptions {
  /** The directory with `tls.crt`, `tls.key` and `ca.crt`: the keys of a cert-manager Secret. */
  readonly directory: string;
  readonly readFile: (path: string) => Promise<Buffer>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** TLS material from a mounted Secret: read periodically, and used when the three files fit together. */
export class TlsFileSource extends FileSource<TlsMaterial> {
  constructor({ directory, readFile, clock, logger }: TlsFileSourceOptions) {
    const read = async (name: string) => (await readFile(`${directory}/${name}`)).toString('utf8');
    super(clock, new MaterialSlot(logger.child({ directory }), tlsMaterialKind), async () => {
      // Read in sequence: if several files are missing, the same one is named each time. Otherwise each read would log
      // another warning.
      const cert = await read('tls.crt');
      const key = await read('tls.key');
      return { cert, key, ca: await read('ca.crt') };
    });
  }
}
