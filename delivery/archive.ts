// A tar of a folder. Its bytes depend only on the files: entries are sorted by name, with one time and one owner. The
// format is POSIX ustar, with a pax record for a long name.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const BLOCK = 512;
/** timestamp of every entry, the same as npm uses; some readers treat zero as a missing time */
const TIME = Date.UTC(1985, 9, 26, 8, 15) / 1_000;

/** Returns the tar archive of a folder. `prefix`: the top folder inside the archive. */
export function archiveFolder(folder: string, prefix: string): Buffer {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => lstatSync(path.join(folder, file)).isFile())
    .sort();
  const parts = files.flatMap((file) => {
    const content = readFileSync(path.join(folder, file));
    const mode = isProgram(file, content) ? 0o755 : 0o644;
    return entry(`${prefix}/${file}`, content, mode);
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

const isProgram = (file: string, content: Buffer) =>
  file.startsWith('bin/') && content.subarray(0, 2).toString() === '#!';

function entry(name: string, content: Buffer, mode: number): Buffer[] {
  if (Buffer.byteLength(name) <= 100) return [header(name, content.length, mode, '0'), ...padBlock(content)];
  const record = Buffer.from(paxRecord(`path=${name}\n`));
  return [
    header('././@PaxHeader', record.length, 0o644, 'x'),
    ...padBlock(record),
    header(name.slice(-100), content.length, mode, '0'),
    ...padBlock(content),
  ];
}

/** A pax record. Its length includes the digits of the length itself. */
function paxRecord(text: string): string {
  const bytes = Buffer.byteLength(text) + 1;
  let length = bytes;
  while (bytes + String(length).length !== length) length = bytes + String(length).length;
  return `${length} ${text}`;
}

function header(name: string, size: number, mode: number, type: '0' | 'x'): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  block.write(name, 0, 'utf8');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(TIME, 136, 12);
  block.write('        ', 148, 'latin1');
  block.write(type, 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function padBlock(content: Buffer): Buffer[] {
  return [content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
}
