// Writes a Debian package (deb(5)): an ar archive that contains the version of the format, the control data for dpkg,
// and the files.
import { closeSync, createWriteStream, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, gzipSync } from 'node:zlib';
import { type Entry, tarOf } from '../image/tar.ts';

const HEADER = 60;
/** Position of the OS byte in the gzip header; the value 255 means unknown. */
const SYSTEM_BYTE = 9;
const SYSTEM = Buffer.from([255]);

/**
 * Writes the package atomically. `control`, `files`: paths from the top of each archive. `time`: the time of every
 * entry, in seconds. `level`: compression level.
 */
export async function writeDeb(
  file: string,
  {
    control,
    files,
    time,
    level = 9,
  }: { control: Iterable<Entry>; files: Iterable<Entry>; time: number; level?: number },
): Promise<void> {
  const unfinished = `${file}.part`;
  try {
    const first = gzipSync(Buffer.concat([...tarOf(dotPaths(control), time, 'gnu')]), { level: 9 });
    first[SYSTEM_BYTE] = 255;
    const head = Buffer.concat([
      Buffer.from('!<arch>\n'),
      ...member('debian-binary', Buffer.from('2.0\n'), time),
      ...member('control.tar.gz', first, time),
    ]);
    const writing = createWriteStream(unfinished);
    writing.write(Buffer.concat([head, Buffer.alloc(HEADER)]));
    // compression uses zlib, whose output depends on its version, so the version of Node is locked
    await pipeline(Readable.from(tarOf(dotPaths(files), time, 'gnu')), createGzip({ level }), writing);
    const start = head.length + HEADER;
    const size = statSync(unfinished).size - start;
    const handle = openSync(unfinished, 'r+');
    writeSync(handle, header('data.tar.gz', size, time), 0, HEADER, head.length);
    writeSync(handle, SYSTEM, 0, 1, start + SYSTEM_BYTE);
    if (size % 2 === 1) writeSync(handle, '\n', start + size);
    closeSync(handle);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Paths that start with `./`, as dpkg writes them. */
const dotPaths = (entries: Iterable<Entry>): Entry[] =>
  Array.from(entries, (entry) => ({ ...entry, path: `./${entry.path}` }));

function member(name: string, data: Buffer, time: number): Buffer[] {
  return [header(name, data.length, time), data, Buffer.from(data.length % 2 === 1 ? '\n' : '')];
}

function header(name: string, size: number, time: number): Buffer {
  const fields: [value: string, width: number][] = [
    [name, 16],
    [String(time), 12],
    ['0', 6],
    ['0', 6],
    ['100644', 8],
    [String(size), 10],
  ];
  return Buffer.from(`${fields.map(([value, width]) => value.padEnd(width)).join('')}\`\n`);
}
