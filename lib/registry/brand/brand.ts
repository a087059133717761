// The brand of an API or a client: a logo and colours. Values of a fixed form, never CSS or an address, so that nothing
// can be put into a page with them.
import { z } from 'zod';
import { contrastOn, LEAST_CONTRAST, nearestReadable, type Theme } from './brand-colours.ts';

/** Of a picture that is sent; what it shows is drawn again (lib/pictures). */
export const MAX_LOGO_BYTES = 524_288;

/** Where the service serves it, whose content never changes. */
const ADDRESS = /^\/logo\/([0-9a-f]{64})$/;
export const logoPath = (hash: string) => `/logo/${hash}`;

/** The hash of a stored logo; null: it is no address of one. */
export const hashOfLogo = (address: string): string | null => ADDRESS.exec(address)?.[1] ?? null;

const DATA = /^data:image\/(?:png|jpeg|webp|gif|svg\+xml);base64,([A-Za-z0-9+/]+={0,2})$/;

export const logoAsData = (type: string, bytes: Buffer): string =>
  `data:${type};base64,${bytes.toString('base64')}`;

/** What is wrong with the bytes of a picture before anything is decoded, after `the picture`; null: nothing. */
export function logoFault(bytes: Buffer): string | null {
  if (bytes.length === 0) return 'is empty';
  return bytes.length > MAX_LOGO_BYTES
    ? `has ${bytes.length} bytes: at most ${MAX_LOGO_BYTES} are taken`
    : null;
}

/** The picture in a data: URI; null: it is none, such as the address of a stored one. */
export function sentLogo(value: string): Buffer | null {
  const base64 = value.length > MAX_LOGO_BYTES * 1.5 ? null : DATA.exec(value)?.[1];
  return base64 == null ? null : Buffer.from(base64, 'base64');
}

const logo = z.string().superRefine((value, context) => {
  const sent = sentLogo(value);
  const fault =
    sent === null
      ? 'is neither a data: URI of a picture in base64 nor the address of one that is stored here'
      : logoFault(sent);
  if (!ADDRESS.test(value) && fault !== null) context.addIssue({ code: 'custom', message: fault });
});
const COLOUR = /^#[0-9a-f]{6}$/;
const colour = z.string().trim().toLowerCase().regex(COLOUR, 'must be a colour as #rrggbb');
const orNothing = (value: z.ZodType<string, string>) =>
  z.union([z.literal('').transform(() => null), value.nullable()], 'must be a string').default(null);

const PAGES = { light: 'the page', dark: 'the dark page' } as const;

function contrastFault(theme: Theme, given: string | null): string | null {
  // what is no colour has been said already
  if (given === null || !COLOUR.test(given)) return null;
  const found = contrastOn(theme, given);
  if (found >= LEAST_CONTRAST) return null;
  // never rounded up to what is needed
  const ratio = (Math.floor(found * 10) / 10).toFixed(1);
  return `has a contrast of ${ratio}:1 on ${PAGES[theme]}; it must be ${LEAST_CONTRAST}:1 or more: try ${nearestReadable(theme, given)}`;
}

/** As a file and the wire have it, and as it is stored: there `logo` is the address of a stored one. */
export const brand = z
  .strictObject({
    logo: orNothing(logo).describe(
      'A data: URI of a PNG, JPEG, WebP, GIF or SVG, or the address that reading gave',
    ),
    accent: orNothing(colour).describe('#rrggbb, with at least 4.5:1 on the page'),
    accent_dark: orNothing(colour).describe('the same on the dark page; left out: made from accent'),
  })
  .superRefine(({ accent, accent_dark: dark }, context) => {
    const say = (field: string, message: string | null) =>
      message !== null && context.addIssue({ code: 'custom', path: [field], message });
    say('accent', contrastFault('light', accent));
    say(
      'accent_dark',
      accent === null && dark !== null ? 'goes with accent, which is missing' : contrastFault('dark', dark),
    );
  });
export type BrandValues = z.output<typeof brand>;

/** With nothing in it, there is none. */
export const optionalBrand = brand
  .nullable()
  .transform((given) => (given && Object.values(given).some((value) => value !== null) ? given : null))
  .default(null);

/** Who may have a brand of its own on a page. */
export type Wearer = {
  origin: string | null;
  brand: BrandValues | null;
  subscriptions: readonly { apiId: string; state: string }[];
};

/**
 * Are people shown a client's brand and texts at this API? Not those of a client that only its document describes: no
 * one has reviewed it.
 */
export function isShownAt(client: Omit<Wearer, 'brand'>, apiId: string): boolean {
  const approved = client.subscriptions.some((one) => one.apiId === apiId && one.state === 'approved');
  return approved && client.origin !== 'document';
}

/** What people are shown of a client's brand at this API. */
export const shownBrand = (client: Wearer, apiId: string): BrandValues | null =>
  isShownAt(client, apiId) ? client.brand : null;
