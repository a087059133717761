// A server that speaks LDAP, with faults that a test chooses.
import net from 'node:net';
import { type Listening, listen } from '#testing/net/listen.ts';

export const BIND = 0x60;
export const SEARCH = 0x63;
export const EXTENDED = 0x77;

/** Encodes a BER element: its tag, its length, its parts. */
export function ber(tag: number, ...parts: (Buffer | string | number[])[]): Buffer {
  const value = Buffer.concat(parts.map((part) => Buffer.from(part as Buffer)));
  const long = Buffer.alloc(5, 0x84);
  long.writeUInt32BE(value.length, 1);
  return Buffer.concat([Buffer.from([tag]), value.length < 128 ? Buffer.from([value.length]) : long, value]);
}

export const message = (id: number, operation: Buffer): Buffer => ber(0x30, [2, 1, id], operation);
/** Encodes an LDAP result. `tag`: type of the response. */
export const result = (tag: number, code: number, told = ''): Buffer =>
  ber(tag, [0x0a, 1, code], ber(4, ''), ber(4, told));
export const entry = (dn: string, attributes: Record<string, string> = {}): Buffer =>
  ber(
    0x64,
    ber(4, dn),
    ber(
      0x30,
      ...Object.entries(attributes).map(([name, value]) => ber(0x30, ber(4, name), ber(0x31, ber(4, value)))),
    ),
  );

export type LyingDirectory = Listening & { asked: number[] };

/**
 * Starts the server. `answer`: returns the response to a request; `null` closes the connection, and an empty
 * response sends nothing. `pieces`: number of bytes per write.
 */
export async function startLyingDirectory(
  answer: (operation: number, id: number, request: Buffer) => Buffer | null,
  pieces = Number.MAX_SAFE_INTEGER,
): Promise<LyingDirectory> {
  const asked: number[] = [];
  const open = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data: Buffer) => {
      const head = (data[1] ?? 0) < 0x80 ? 2 : 2 + ((data[1] ?? 0) & 0x7f);
      const [id, operation] = [data[head + 2] ?? 0, data[head + 3] ?? 0];
      // LDAP defines no response to an unbind request
      if (operation === 0x42) return;
      asked.push(operation);
      const given = answer(operation, id, data);
      if (given === null) socket.destroy();
      else
        for (let from = 0; from < given.length; from += pieces)
          socket.write(given.subarray(from, from + pieces));
    });
  });
  const listening = await listen(server);
  const close = () => {
    for (const socket of open) socket.destroy();
    return listening.close();
  };
  return { ...listening, close, asked };
}
