// Archives in POSIX format (ustar, with pax records for long names). Reads the archives in Debian packages, and
// writes the same bytes for the same entries on every machine.

/**
 * A file, folder or link of an archive. `path`: without a slash at either end. `mode`: the permissions. Every entry
 * belongs to root.
 */
export type Entry =
  | { path: string; kind: 'folder'; mode: number }
  | { path: string; kind: 'file'; mode: number; data: Buffer }
  | { path: string; kind: 'link'; target: string };

const BLOCK = 512;
const KINDS = { file: '0', link: '2', folder: '5' } as const;

/** How long names are encoded: POSIX pax, or GNU, which is the only format that dpkg reads. */
type LongNames = 'pax' | 'gnu';

/**
 * Writes an archive. Entries are sorted by name, and each folder that an entry needs is added. `time`: the time of
 * every entry, in seconds.
 */
export function* tarOf(
  entries: Iterable<Entry>,
  time: number,
  longNames: LongNames = 'pax',
): Generator<Buffer> {
  for (const entry of sortEntries(withFolders(entries))) {
    const data = entry.kind === 'file' ? entry.data : Buffer.alloc(0);
    yield* headersOf(entry, { size: data.length, time, longNames });
    yield data;
    yield padding(data.length);
  }
  yield Buffer.alloc(2 * BLOCK);
}

function sortEntries(entries: Iterable<Entry>): Entry[] {
  return [...entries].sort((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
}

/** Adds missing folders. If two entries have the same path, the last entry is used. */
function withFolders(entries: Iterable<Entry>): Iterable<Entry> {
  const all = new Map<string, Entry>();
  for (const entry of entries) all.set(entry.path, entry);
  for (const { path } of [...all.values()]) {
    const parts = path.split('/');
    for (let length = 1; length < parts.length; length += 1) {
      const folder = parts.slice(0, length).join('/');
      if (!all.has(folder)) all.set(folder, { path: folder, kind: 'folder', mode: 0o755 });
    }
  }
  return all.values();
}

const padding = (length: number) => Buffer.alloc((BLOCK - (length % BLOCK)) % BLOCK);

/** Returns the header of an entry. If a value is too long for the header, a record with the value precedes it. */
function* headersOf(
  entry: Entry,
  { size, time, longNames }: { size: number; time: number; longNames: LongNames },
): Generator<Buffer> {
  const name = entry.kind === 'folder' ? `${entry.path}/` : entry.path;
  const target = entry.kind === 'link' ? entry.target : '';
  const before: [name: string, type: string, text: string][] =
    longNames === 'pax'
      ? [
          [
            'pax',
            'x',
            `${fits(name) ? '' : record(`path=${name}`)}${fits(target) ? '' : record(`linkpath=${target}`)}`,
          ],
        ]
      : [
          ['././@LongLink', 'K', fits(target) ? '' : `${target}\0`],
          ['././@LongLink', 'L', fits(name) ? '' : `${name}\0`],
        ];
  for (const [place, type, written] of before) {
    const text = Buffer.from(written);
    if (text.length === 0) continue;
    yield header({ name: place, target: '', mode: 0o644, type, size: text.length, time });
    yield text;
    yield padding(text.length);
  }
  const mode = entry.kind === 'link' ? 0o777 : entry.mode;
  yield header({ name, target, mode, type: KINDS[entry.kind], size, time });
}

const fits = (text: string) => Buffer.byteLength(text) <= 100;

/** Returns a record `LENGTH TEXT\n`, whose length includes the digits of the length itself. */
function record(text: string): string {
  const rest = Buffer.byteLength(text) + 2;
  let length = rest + String(rest).length;
  if (rest + String(length).length !== length) length = rest + String(length).length;
  return `${length} ${text}\n`;
}

type Header = { name: string; target: string; mode: number; type: string; size: number; time: number };

function header({ name, target, mode, type, size, time }: Header): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, width: number) =>
    block.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at);
  Buffer.from(name).copy(block, 0, 0, 100);
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(time, 136, 12);
  block.write(type, 156);
  Buffer.from(target).copy(block, 157, 0, 100);
  block.write('ustar\x0000', 257);
  octal(0, 329, 8);
  octal(0, 337, 8);
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/**
 * Returns the files, folders and symbolic links of an archive. A hard link becomes a file with the content of its
 * target.
 */
export function entriesOf(archive: Buffer): Entry[] {
  const entries: Entry[] = [];
  const files = new Map<string, Buffer>();
  let long: { path?: string; linkpath?: string } = {};
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0; ) {
    const block = archive.subarray(at, at + BLOCK);
    const size = Number.parseInt(textIn(block, 124, 12), 8) || 0;
    const data = archive.subarray(at + BLOCK, at + BLOCK + size);
    at += BLOCK + size + padding(size).length;
    const type = textIn(block, 156, 1) || '0';
    if (type === 'L' || type === 'K') {
      long[type === 'L' ? 'path' : 'linkpath'] = textIn(data, 0, size);
      continue;
    }
    if (type === 'x') {
      long = { ...long, ...recordsIn(data.toString()) };
      continue;
    }
    const prefix = textIn(block, 257, 5) === 'ustar' ? textIn(block, 345, 155) : '';
    const name = long.path ?? (prefix ? `${prefix}/${textIn(block, 0, 100)}` : textIn(block, 0, 100));
    const target = long.linkpath ?? textIn(block, 157, 100);
    const path = plain(name);
    const mode = Number.parseInt(textIn(block, 100, 8), 8) & 0o7777;
    long = {};
    if (path === '') continue;
    if (type === '0') {
      files.set(path, data);
      entries.push({ path, kind: 'file', mode, data });
    } else if (type === '1') {
      entries.push({ path, kind: 'file', mode, data: files.get(plain(target)) ?? Buffer.alloc(0) });
    } else if (type === '2') entries.push({ path, kind: 'link', target });
    else if (type === '5') entries.push({ path, kind: 'folder', mode });
  }
  return entries;
}

const plain = (name: string) => name.replace(/^(?:\.?\/)+/, '').replace(/\/+$/, '');

function textIn(bytes: Buffer, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.subarray(0, end === -1 ? field.length : end).toString();
}

function recordsIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/\d+ (path|linkpath)=(.*)\n/g)].map(([, key = '', value = '']) => [key, value]),
  );
}
