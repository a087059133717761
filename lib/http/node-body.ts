// A request's body from a socket: at most 64 KiB are kept. The rest of a larger body is read and thrown away, up to 1 MiB, so
// that the answer reaches a client that is still sending; beyond that the connection is closed.
import type { IncomingMessage } from 'node:http';
import { BODY_LIMIT_BYTES, GIVE_UP_BYTES } from './message.ts';
import { UnreadableParams } from './params.ts';

export function readNodeBody(incoming: IncomingMessage): Promise<Uint8Array | 'too-large'> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= BODY_LIMIT_BYTES) chunks.push(chunk);
      else if (size > GIVE_UP_BYTES) {
        resolve('too-large');
        incoming.pause();
      }
    });
    incoming.on('end', () => {
      if (size > BODY_LIMIT_BYTES) resolve('too-large');
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    // the client has gone
    incoming.on('error', () => reject(new UnreadableParams('the body broke off')));
  });
}
