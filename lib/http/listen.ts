// Listens at the configured address. A failure is explained in one line.

import type { Server } from 'node:net';
import { ownValue } from '#lib/kit/wire.ts';

export async function listenAt(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    const why: Record<string, string> = {
      EADDRINUSE: `port ${port} is taken; set PORT to another one`,
      EACCES: `port ${port} is not for this user; set PORT to another one`,
      ENOTFOUND: `HOST ${host} is not an address`,
      EADDRNOTAVAIL: `HOST ${host} is not an address of this machine`,
    };
    throw new Error(ownValue(why, error.code ?? '') ?? error.message, { cause: error });
  });
}
