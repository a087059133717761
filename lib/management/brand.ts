// Brand settings of an API or client. Logos are reference-counted: the transaction that adds the first reference
// stores the logo, and the transaction that removes the last reference deletes it.
import { createHash } from 'node:crypto';
import { DrawingBusy, drawLogo } from '#lib/pictures/draw.ts';
import {
  type BrandValues,
  hashOfLogo,
  logoAsData,
  logoFault,
  logoPath,
  sentLogo,
} from '#lib/registry/brand.ts';
import { logos } from '#lib/store/logos.ts';
import type { Db } from '#lib/store/prisma.ts';
import { faultAt, faulty, Refused, wrongAt } from './refused.ts';

type Branded = { brand: BrandValues | null };
const hashIn = ({ brand }: Branded) => (brand?.logo == null ? null : hashOfLogo(brand.logo));

/** Parts of a brand, with the bytes of the logo. Missing members stay unchanged; `null` removes a value. */
export type BrandPart = {
  brandPart?: { logo?: Buffer | null; accent?: string | null; accent_dark?: string | null } | undefined;
};

/** Field name of the logo for errors, as the caller sent it: `logo` or `brand.logo`. */
export const logoField = ({ brandPart }: BrandPart) => (brandPart ? 'logo' : 'brand.logo');

/** Merges parts of a brand into the stored brand. Throws `Refused` if the logo is empty or too large. */
export function withBrandPart<Of extends object>(before: Branded, { brandPart, ...change }: Of & BrandPart) {
  if (brandPart === undefined) return change;
  const { logo, ...colours } = brandPart;
  const sent = logo === undefined ? {} : { logo: logo && checkedLogo(logo) };
  return { ...change, brand: { ...before.brand, ...colours, ...sent } };
}

function checkedLogo(bytes: Buffer): string {
  const fault = logoFault(bytes);
  if (fault !== null) throw faulty([wrongAt('logo', 'logo.wrong', fault)]);
  // the declared type does not matter, because the format is read from the bytes
  return logoAsData('image/png', bytes);
}

/**
 * Returns the object to store and saves its logo. `before` null: the object is new. `field`: name of the logo in
 * errors. Throws `Refused` if drawing fails.
 */
export async function withKeptLogo<Of extends Branded>(
  db: Db,
  values: Of,
  before: Branded | null,
  field: 'logo' | 'brand.logo' = 'brand.logo',
): Promise<Of> {
  const { brand } = values;
  const sent = brand?.logo == null ? null : sentLogo(brand.logo);
  if (brand && sent) return { ...values, brand: { ...brand, logo: await keptLogo(db, sent, field) } };
  const hash = hashIn(values);
  if (hash !== null && hash !== (before && hashIn(before)) && !(await logos.hold(db, hash)))
    throw faulty([faultAt('brand.logo', 'logo.not_stored')]);
  return values;
}

/** Returns the address of the logo. Draws the logo if it is not stored yet. */
async function keptLogo(db: Db, sent: Buffer, field: string): Promise<string> {
  const source = createHash('sha256').update(sent).digest('hex');
  const storedHash = await logos.holdSource(db, source);
  if (storedHash !== null) return logoPath(storedHash);
  const drawn = await drawLogo(sent).catch((error: unknown) => {
    if (!(error instanceof DrawingBusy)) throw error;
    throw new Refused(
      'logo.waits',
      {},
      {
        retryAfterSeconds: 5,
      },
    );
  });
  if ('fault' in drawn) throw faulty([wrongAt(field, 'logo.wrong', drawn.fault)]);
  await logos.keep(db, drawn);
  return logoPath(drawn.hash);
}

/** Releases a logo that is no longer used. To be called after `before` was changed to `after` or deleted (`null`). */
export async function releaseLogo(db: Db, before: Branded, after: Branded | null): Promise<void> {
  const hash = hashIn(before);
  if (hash !== null && hash !== (after && hashIn(after))) await logos.release(db, hash);
}
