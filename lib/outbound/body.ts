// Reads an answer's body, decoded, up to a limit: a small answer that unpacks to a large one is a large one.
import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { OutboundFailed } from './failed.ts';

const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

export async function readBody(incoming: IncomingMessage, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const status = incoming.statusCode ?? 0;
  if (status >= 300 && status < 400 && status !== 304) throw new OutboundFailed('redirect');
  const encoding = (incoming.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity') return collect(incoming, limit);
  const decoder = DECODERS[encoding]?.();
  if (!decoder) throw new OutboundFailed('bad-answer');
  // a compressor never needs this much more than what it packs
  let received = 0;
  incoming.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > limit + 1_024) decoder.destroy(new OutboundFailed('too-large'));
  });
  incoming.on('error', (error) => decoder.destroy(error));
  incoming.on('close', () => {
    if (!incoming.complete) decoder.destroy(new OutboundFailed('unreachable'));
  });
  try {
    return await collect(incoming.pipe(decoder), limit);
  } finally {
    decoder.destroy();
  }
}

async function collect(stream: Readable, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new OutboundFailed('too-large');
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
