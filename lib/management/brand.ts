// The brand of an API or a client, as it is set. Logos are reference-counted: a logo is stored in the transaction that
// first refers to it, and deleted with the last reference, so that no owner stores more than they use.
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
import { faultAt, faulty, Refused } from './refused.ts';

type Branded = { brand: BrandValues | null };
const hashIn = ({ brand }: Branded) => (brand?.logo == null ? null : hashOfLogo(brand.logo));

/** Some of the brand, the logo as its bytes; what is left out stays, and null is none any more. */
export type BrandPart = {
  brandPart?: { logo?: Buffer | null; accent?: string | null; accent_dark?: string | null } | undefined;
};

/** How the caller named the logo. */
export const logoField = ({ brandPart }: BrandPart) => (brandPart ? 'logo' : 'brand.logo');

/** The change with its part in the brand that the object has; Refused where it has no bytes, or too many. */
export function withBrandPart<Of extends object>(before: Branded, { brandPart, ...change }: Of & BrandPart) {
  if (brandPart === undefined) return change;
  const { logo, ...colours } = brandPart;
  const sent = logo === undefined ? {} : { logo: logo && checkedLogo(logo) };
  return { ...change, brand: { ...before.brand, ...colours, ...sent } };
}

function checkedLogo(bytes: Buffer): string {
  const fault = logoFault(bytes);
  if (fault !== null) throw faulty([faultAt('logo', 'logo.wrong', { why: fault })]);
  // of which kind it is, its bytes say
  return logoAsData('image/png', bytes);
}

/**
 * The object as it is stored, its picture with it. `before`: what is there; null: it is new. Refused where the logo
 * cannot be drawn: `field` is how the caller named it.
 */
export async function withKeptLogo<Of extends Branded>(
  db: Db,
  given: Of,
  before: Branded | null,
  field: 'logo' | 'brand.logo' = 'brand.logo',
): Promise<Of> {
  const { brand } = given;
  const sent = brand?.logo == null ? null : sentLogo(brand.logo);
  if (brand && sent) return { ...given, brand: { ...brand, logo: await keptLogo(db, sent, field) } };
  const hash = hashIn(given);
  if (hash !== null && hash !== (before && hashIn(before)) && !(await logos.hold(db, hash)))
    throw faulty([faultAt('brand.logo', 'logo.not_stored')]);
  return given;
}

/** The address of the picture, which is drawn where it is not there. */
async function keptLogo(db: Db, sent: Buffer, field: string): Promise<string> {
  const source = createHash('sha256').update(sent).digest('hex');
  const known = await logos.holdSource(db, source);
  if (known !== null) return logoPath(known);
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
  if (typeof drawn === 'string') throw faulty([faultAt(field, 'logo.wrong', { why: drawn })]);
  await logos.keep(db, drawn);
  return logoPath(drawn.hash);
}

/** After `before` was changed into this, or deleted (null). */
export async function releaseLogo(db: Db, before: Branded, after: Branded | null): Promise<void> {
  const hash = hashIn(before);
  if (hash !== null && hash !== (after && hashIn(after))) await logos.release(db, hash);
}
