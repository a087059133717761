// Pictures of brands in the configuration file: a path beside it becomes the picture, and in an export a small picture becomes text.
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import {
  type BrandValues,
  hashOfLogo,
  logoAsData,
  MAX_LOGO_BYTES,
  readLogo,
  splitBrand,
} from '#lib/registry/index.ts';
import { logos } from '#lib/store/index.ts';
import type { FileFinding } from './raw.ts';

type Raw = Record<string, unknown>;
type Branded = { brand: BrandValues | null };

/** Reads a file beside the configuration file, by its path from there; null: the configuration has no place. */
export type ReadBeside = ((beside: string) => Buffer) | null;

export const besideFile =
  (file: string): ReadBeside =>
  (beside) => {
    const at = path.join(path.dirname(file), beside);
    const { size } = statSync(at);
    if (size > MAX_LOGO_BYTES) throw new Error(`it has ${size} bytes: at most ${MAX_LOGO_BYTES} are taken`);
    return readFileSync(at);
  };

const isObject = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Neither a data: URI nor the address of a stored one. */
const isPath = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && !/^data:/i.test(value) && hashOfLogo(value) === null;
const staysBeside = (value: string) =>
  !path.isAbsolute(value) && !path.win32.isAbsolute(value) && !value.split(/[\\/]/).includes('..');

/** Puts the pictures into the document in the place of their paths, and says which of them cannot be. */
export function readPictures(document: unknown, read: ReadBeside): FileFinding[] {
  const findings: FileFinding[] = [];
  if (!isObject(document)) return findings;
  for (const section of ['apis', 'clients']) {
    const items = Array.isArray(document[section]) ? document[section] : [];
    for (const [index, item] of items.entries()) {
      const brand = isObject(item) && item['brand'];
      if (!isObject(brand) || !isPath(brand['logo'])) continue;
      const found = pictureAt(brand['logo'], read);
      if (typeof found === 'string') {
        findings.push({ path: [section, index, 'brand', 'logo'], message: found });
        brand['logo'] = null;
      } else brand['logo'] = found.data;
    }
  }
  return findings;
}

function pictureAt(given: string, read: ReadBeside): { data: string } | string {
  if (read === null)
    return 'must be a data: URI: this configuration comes from no file that a picture could stand beside';
  if (!staysBeside(given)) return 'must be the path of a file beside this one, or below it';
  let bytes: Buffer;
  try {
    bytes = read(given);
  } catch (error) {
    return `${given} cannot be read: ${error instanceof Error ? error.message : error}`;
  }
  const logo = readLogo(bytes);
  return typeof logo === 'string' ? `the picture ${given} ${logo}` : { data: logoAsData(logo) };
}

/** As it is stored, to compare it with what is. */
export const asStored = <Of extends Branded>(values: Of): Of => ({
  ...values,
  brand: splitBrand(values.brand).brand,
});

/** Larger ones, and more of them, are named by their address, which this database knows. */
const SMALL_BYTES = 16_384;
const MOST = 1_000;

export type BrandInFile = (of: Branded) => Raw | null;

export async function brandsInFile(all: readonly Branded[]): Promise<BrandInFile> {
  const hashes = all.flatMap(({ brand }) => (brand?.logo && hashOfLogo(brand.logo)) || []);
  const small = await logos.selectSmall([...new Set(hashes)].slice(0, MOST), SMALL_BYTES);
  const data = new Map(small.map((logo) => [logo.hash, logoAsData(logo)]));
  let left = MOST;
  return ({ brand }) => {
    if (brand === null) return null;
    const text = left > 0 ? data.get((brand.logo && hashOfLogo(brand.logo)) ?? '') : undefined;
    if (text !== undefined) left -= 1;
    const given = Object.entries({ ...brand, logo: text ?? brand.logo });
    return Object.fromEntries(given.filter(([, value]) => value !== null));
  };
}
