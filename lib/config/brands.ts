// Pictures of brands in the configuration file. A path relative to the file is replaced by the picture. An export
// contains small pictures as text.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { FaultText } from '#lib/kit/fault.ts';
import { drawLogo } from '#lib/pictures/draw.ts';
import {
  type BrandValues,
  hashOfLogo,
  logoAsData,
  logoFault,
  logoPath,
  MAX_LOGO_BYTES,
  sentLogo,
} from '#lib/registry/brand.ts';
import { type Logo, logos } from '#lib/store/logos.ts';
import type { Db } from '#lib/store/prisma.ts';
import type { FileFinding } from './checks.ts';
import type { ConfigurationFile } from './schema.ts';

type Raw = Record<string, unknown>;
type Branded = { brand: BrandValues | null };

/**
 * A function that reads a file by its path relative to the configuration file; null: the configuration is not a
 * file.
 */
export type ReadBeside = ((beside: string) => Buffer) | null;

export const besideFile =
  (file: string): ReadBeside =>
  (beside) => {
    const at = path.join(path.dirname(file), beside);
    const { size } = statSync(at);
    if (size > MAX_LOGO_BYTES)
      throw new Error(`the picture has ${size} bytes, and the limit is ${MAX_LOGO_BYTES}`);
    return readFileSync(at);
  };

const isObject = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** True if the value is a path: neither a data: URI nor the address of a stored logo. */
const isPath = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !/^data:/i.test(value) && hashOfLogo(value) === null;
const staysBeside = (value: string) =>
  !path.isAbsolute(value) && !path.win32.isAbsolute(value) && !value.split(/[\\/]/).includes('..');

/** Replaces the paths in the document by pictures, and reports pictures that cannot be read. */
export function readPictures(document: unknown, read: ReadBeside): FileFinding[] {
  const findings: FileFinding[] = [];
  if (!isObject(document)) return findings;
  for (const section of ['apis', 'clients']) {
    const items = Array.isArray(document[section]) ? document[section] : [];
    for (const [index, item] of items.entries()) {
      const brand = isObject(item) && item['brand'];
      if (!isObject(brand) || !isPath(brand['logo'])) continue;
      const picture = pictureAt(brand['logo'], read);
      if (typeof picture === 'string') {
        findings.push({ path: [section, index, 'brand', 'logo'], message: picture });
        brand['logo'] = null;
      } else brand['logo'] = picture.data;
    }
  }
  return findings;
}

function pictureAt(filePath: string, read: ReadBeside): { data: string } | string {
  if (read === null) return 'must be a data: URI, because the configuration was not read from a file';
  if (!staysBeside(filePath)) return 'must be the path of a file in the folder of this file, or below it';
  let bytes: Buffer;
  try {
    bytes = read(filePath);
  } catch (error) {
    return `${filePath} cannot be read: ${error instanceof Error ? error.message : error}`;
  }
  const fault = logoFault(bytes);
  // the declared type does not matter, because the format is read from the bytes
  return fault === null
    ? { data: logoAsData('image/png', bytes) }
    : `the picture ${filePath} ${fault.message}`;
}

/**
 * A picture from the file. `logo`: the picture as converted for pages; `null`: a logo with this `hash` is already
 * stored.
 */
export type FileLogo = { sent: Buffer; hash: string; logo: Logo | null };

/**
 * Replaces pictures by their addresses, converts pictures that are not stored yet, and reports failures. It runs
 * before the registry lock, because converting is slow.
 */
export async function drawLogos({
  apis,
  clients,
}: ConfigurationFile): Promise<{ pictures: FileLogo[]; findings: FileFinding[] }> {
  const all = Object.entries({ apis, clients }).flatMap(([section, items]) =>
    items.flatMap(({ values: { brand } }, index) => {
      const sent = brand?.logo == null ? null : sentLogo(brand.logo);
      const source = sent && createHash('sha256').update(sent).digest('hex');
      return brand && sent && source ? [{ at: [section, index, 'brand', 'logo'], brand, sent, source }] : [];
    }),
  );
  const sources = await logos.selectSources(all.map(({ source }) => source));
  const pictures = new Map<string, FileLogo>();
  const findings: FileFinding[] = [];
  for (const { at, brand, sent, source } of all) {
    const cachedLogo = pictures.get(source) ?? sources.get(source);
    const drawnLogo =
      typeof cachedLogo === 'string'
        ? { sent, hash: cachedLogo, logo: null }
        : (cachedLogo ?? (await drawFileLogo(sent)));
    if ('fault' in drawnLogo) findings.push({ path: at, message: `the picture ${drawnLogo.fault.message}` });
    else {
      pictures.set(source, drawnLogo);
      brand.logo = logoPath(drawnLogo.hash);
    }
  }
  return { pictures: [...pictures.values()], findings };
}

async function drawFileLogo(sent: Buffer): Promise<FileLogo | { fault: FaultText }> {
  const logo = await drawLogo(sent);
  return 'fault' in logo ? logo : { sent, hash: logo.hash, logo };
}

/**
 * Stores new pictures, and locks stored pictures until the transaction ends, because they could be deleted in the
 * meantime.
 */
export async function keepLogos(db: Db, pictures: readonly FileLogo[]): Promise<void> {
  for (const { sent, hash, logo } of pictures) {
    if (logo) await logos.keep(db, logo);
    else if (!(await logos.hold(db, hash))) {
      const again = await drawLogo(sent);
      if (!('fault' in again)) await logos.keep(db, again);
    }
  }
}

/**
 * Maximum size of a picture that an export contains. Other pictures appear as addresses that only this
 * database knows.
 */
const SMALL_BYTES = 16_384;
const MOST = 1_000;

export type BrandInFile = (of: Branded) => Raw | null;

export async function brandsInFile(all: readonly Branded[]): Promise<BrandInFile> {
  const hashes = all.flatMap(({ brand }) => (brand?.logo && hashOfLogo(brand.logo)) || []);
  const small = await logos.selectSmall([...new Set(hashes)].slice(0, MOST), SMALL_BYTES);
  const data = new Map(small.map((logo) => [logo.hash, logoAsData('image/webp', logo.large)]));
  let left = MOST;
  return ({ brand }) => {
    if (brand === null) return null;
    const text = left > 0 ? data.get((brand.logo && hashOfLogo(brand.logo)) ?? '') : undefined;
    if (text !== undefined) left -= 1;
    const entries = Object.entries({ ...brand, logo: text ?? brand.logo });
    return Object.fromEntries(entries.filter(([, value]) => value !== null));
  };
}
