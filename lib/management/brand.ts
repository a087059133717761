// The picture of a brand goes with its object: it is kept in the transaction that begins to refer to it, and goes with the last one
// that does. So nobody fills the table with more than they own.
import { type BrandValues, hashOfLogo, logoAsData, readLogo, splitBrand } from '#lib/registry/index.ts';
import { type Db, logos } from '#lib/store/index.ts';
import { faulty } from './refused.ts';

type Branded = { brand: BrandValues | null };
const hashIn = ({ brand }: Branded) => (brand?.logo == null ? null : hashOfLogo(brand.logo));

/** Some of the brand, the logo as its bytes; what is left out stays, and null is none any more. */
export type BrandPart = {
  brandPart?: { logo?: Buffer | null; accent?: string | null; accent_dark?: string | null } | undefined;
};

/** The change with its part in the brand that the object has; Refused where the logo is no picture that may be served. */
export function withBrandPart<Of extends object>(before: Branded, { brandPart, ...change }: Of & BrandPart) {
  if (brandPart === undefined) return change;
  const { logo, ...colours } = brandPart;
  const sent = logo === undefined ? {} : { logo: logo && checkedLogo(logo) };
  return { ...change, brand: { ...before.brand, ...colours, ...sent } };
}

function checkedLogo(bytes: Buffer): string {
  const read = readLogo(bytes);
  if (typeof read === 'string') throw faulty([{ field: 'logo', message: `the picture ${read}` }]);
  return logoAsData(read);
}

/** The object as it is stored, its picture with it. `before`: what is there; null: it is new. */
export async function withKeptLogo<Of extends Branded>(
  db: Db,
  given: Of,
  before: Branded | null,
): Promise<Of> {
  const { brand, picture } = splitBrand(given.brand);
  const after = { ...given, brand };
  const hash = hashIn(after);
  if (picture) await logos.keep(db, picture);
  else if (hash !== null && hash !== (before && hashIn(before)) && !(await logos.use(db, hash)))
    throw faulty([
      { field: 'brand.logo', message: 'brand.logo is no picture that is stored here: send the picture' },
    ]);
  return after;
}

/** After `before` was changed into this, or deleted (null). */
export async function releaseLogo(db: Db, before: Branded, after: Branded | null): Promise<void> {
  const hash = hashIn(before);
  if (hash !== null && hash !== (after && hashIn(after))) await logos.release(db, hash);
}
