// Brand of an API or client: logo and colours. Each value has a fixed format and is never CSS or an address, so it
// cannot inject content into a page.
import { z } from 'zod';
import { type FaultText, fault } from '#lib/kit/fault.ts';

// Computes the colours of text and buttons on a page: contrast according to WCAG 2.2 (relative luminance), and the
// nearest lightness of the same hue with enough contrast (OKLCH).

/** The background colours in public/gatehouse.css behind links and buttons, and the colours of text on a button. */
const THEMES = {
  light: { surfaces: ['#f7f5f0', '#fffdf9', '#ffffff', '#f1eee6'], further: -1 },
  dark: { surfaces: ['#141613', '#1b1e1a', '#232722'], further: 1 },
} as const;
export type Theme = keyof typeof THEMES;
const INKS = ['#ffffff', '#0e1a15'] as const;

/**
 * The minimum for text in WCAG 2.2 §1.4.3. The edges of buttons have the same colour, for which §1.4.11 requires only
 * 3:1.
 */
export const LEAST_CONTRAST = 4.5;

/** `strong`: the colour on hover. `ink`: the colour of text on the accent colour. */
type AccentColours = { accent: string; strong: string; ink: string };
export type BrandColours = Readonly<Record<Theme, AccentColours>>;

/** Lowest contrast of a colour on any background of the theme. */
export function contrastOn(theme: Theme, colour: string): number {
  return Math.min(...THEMES[theme].surfaces.map((surface) => contrast(surface, colour)));
}

const isReadable = (theme: Theme, colour: string) => contrastOn(theme, colour) >= LEAST_CONTRAST;

/**
 * The colour with the nearest lightness of this hue that has enough contrast. A readable colour is returned
 * unchanged.
 */
export function nearestReadable(theme: Theme, colour: string): string {
  if (isReadable(theme, colour)) return colour;
  const from = toOklch(colour);
  // on the backgrounds of one theme, contrast changes monotonically with lightness, so bisection finds the limit
  let [bad, good] = [from.l, theme === 'light' ? 0 : 1];
  for (let step = 0; step < 20; step += 1) {
    const middle = (bad + good) / 2;
    if (isReadable(theme, fromOklch({ ...from, l: middle }))) good = middle;
    else bad = middle;
  }
  return fromOklch({ ...from, l: good });
}

/**
 * The colours of a page for an accepted brand. The dark theme uses the brand's dark colour or, if there is none, the
 * nearest readable colour.
 */
export function brandColours({
  accent,
  accentDark,
}: {
  accent: string;
  accentDark: string | null;
}): BrandColours {
  return {
    light: coloursOf('light', accent),
    dark: coloursOf('dark', nearestReadable('dark', accentDark ?? accent)),
  };
}

function coloursOf(theme: Theme, accent: string): AccentColours {
  const { l, c, h } = toOklch(accent);
  const further = Math.min(1, Math.max(0, l + 0.07 * THEMES[theme].further));
  const [white, black] = INKS;
  const ink = contrast(white, accent) >= contrast(black, accent) ? white : black;
  return { accent, strong: fromOklch({ l: further, c, h }), ink };
}

/** Contrast of two colours, from 1 to 21. */
export function contrast(firstColour: string, other: string): number {
  const [dark, light] = [luminance(firstColour), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

type Triple = [number, number, number];

const channels = (colour: string): Triple =>
  [1, 3, 5].map((at) => linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255)) as Triple;

const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const encodeChannel = (value: number) =>
  value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;

function luminance(colour: string): number {
  const [red, green, blue] = channels(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

type Oklch = { l: number; c: number; h: number };

/** Converts a colour to OKLab by Björn Ottosson, as defined in CSS Color 4 §9.2. */
function toOklch(colour: string): Oklch {
  const [red, green, blue] = channels(colour);
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  return {
    l: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    c: Math.hypot(a, b),
    h: Math.atan2(b, a),
  };
}

/** Reduces the chroma of a colour that a screen cannot show. */
function fromOklch({ l, c, h }: Oklch): string {
  let [inside, outside] = [0, c];
  let linearRgb = linearOf({ l, c, h });
  if (!isOnScreen(linearRgb)) {
    linearRgb = linearOf({ l, c: 0, h });
    for (let step = 0; step < 16; step += 1) {
      const middle = (inside + outside) / 2;
      const tried = linearOf({ l, c: middle, h });
      if (isOnScreen(tried)) [inside, linearRgb] = [middle, tried];
      else outside = middle;
    }
  }
  const hex = (value: number) =>
    Math.round(encodeChannel(Math.min(1, Math.max(0, value))) * 255)
      .toString(16)
      .padStart(2, '0');
  return `#${linearRgb.map(hex).join('')}`;
}

const isOnScreen = (values: Triple) => values.every((value) => value >= -0.0001 && value <= 1.0001);

function linearOf({ l, c, h }: Oklch): Triple {
  const [a, b] = [c * Math.cos(h), c * Math.sin(h)];
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
}

/** Maximum size of an uploaded picture in bytes; lib/pictures draws its content again. */
export const MAX_LOGO_BYTES = 524_288;

/** Address at which a logo is served; the content at an address never changes. */
const ADDRESS = /^\/logo\/([0-9a-f]{64})$/;
export const logoPath = (hash: string) => `/logo/${hash}`;

/** Hash of a stored logo; null: the address is not that of a logo. */
export const hashOfLogo = (address: string): string | null => ADDRESS.exec(address)?.[1] ?? null;

const DATA = /^data:image\/(?:png|jpeg|webp|gif|svg\+xml);base64,([A-Za-z0-9+/]+={0,2})$/;

export const logoAsData = (type: string, bytes: Buffer): string =>
  `data:${type};base64,${bytes.toString('base64')}`;

/** Fault of a picture's bytes before decoding, as text that follows `the picture`; null: none. */
export function logoFault(bytes: Buffer): FaultText | null {
  if (bytes.length === 0) return { message: 'is empty' };
  return bytes.length > MAX_LOGO_BYTES
    ? fault('has {size} bytes: the limit is {most}', { size: bytes.length, most: MAX_LOGO_BYTES })
    : null;
}

/** Decodes a data: URI; null: the value is something else, such as the address of a stored logo. */
export function sentLogo(value: string): Buffer | null {
  const base64 = value.length > MAX_LOGO_BYTES * 1.5 ? null : DATA.exec(value)?.[1];
  return base64 == null ? null : Buffer.from(base64, 'base64');
}

const logo = z.string().superRefine((value, context) => {
  const sent = sentLogo(value);
  const wrong =
    sent === null
      ? { message: 'is neither a data: URI of a picture in base64 nor the address of a stored picture' }
      : logoFault(sent);
  if (!ADDRESS.test(value) && wrong !== null) context.addIssue({ code: 'custom', ...wrong });
});
const COLOUR = /^#[0-9a-f]{6}$/;
const colour = z.string().trim().toLowerCase().regex(COLOUR, 'must be a colour as #rrggbb');
const orNothing = (value: z.ZodType<string, string>) =>
  z.union([z.literal('').transform(() => null), value.nullable()], 'must be a string').default(null);

function contrastFault(theme: Theme, accent: string | null): FaultText | null {
  // the check of the colour's format already reports this fault
  if (accent === null || !COLOUR.test(accent)) return null;
  const measuredContrast = contrastOn(theme, accent);
  if (measuredContrast >= LEAST_CONTRAST) return null;
  // always rounded down, so that the shown ratio never reaches the required minimum
  const ratio = (Math.floor(measuredContrast * 10) / 10).toFixed(1);
  const values = { ratio, least: LEAST_CONTRAST, proposed: nearestReadable(theme, accent) };
  return theme === 'light'
    ? fault(
        'has a contrast of {ratio}:1 on the page, but must have at least {least}:1: try {proposed}',
        values,
      )
    : fault(
        'has a contrast of {ratio}:1 on the dark page, but must have at least {least}:1: try {proposed}',
        values,
      );
}

/**
 * The format in the file and at the interface, and the format that is stored. In the database, `logo` is the address
 * of a stored logo.
 */
export const brand = z
  .strictObject({
    logo: orNothing(logo).describe(
      'A data: URI of a PNG, JPEG, WebP, GIF or SVG, or the address returned by a read',
    ),
    accent: orNothing(colour).describe('#rrggbb, with a contrast of at least 4.5:1 on the page'),
    accent_dark: orNothing(colour).describe('the same for the dark page. Default: derived from accent'),
  })
  .superRefine(({ accent, accent_dark: dark }, context) => {
    const say = (field: string, wrong: FaultText | null) =>
      wrong !== null && context.addIssue({ code: 'custom', path: [field], ...wrong });
    say('accent', contrastFault('light', accent));
    say(
      'accent_dark',
      accent === null && dark !== null
        ? { message: 'requires accent, which is missing' }
        : contrastFault('dark', dark),
    );
  });
export type BrandValues = z.output<typeof brand>;

/** Schema that turns a brand without values into null. */
export const optionalBrand = brand
  .nullable()
  .transform((brandFields) =>
    brandFields && Object.values(brandFields).some((value) => value !== null) ? brandFields : null,
  )
  .default(null);

/** An API or client whose brand pages can show. */
export type Wearer = {
  origin: string | null;
  brand: BrandValues | null;
  subscriptions: readonly { apiId: string; state: string }[];
};

/**
 * True if users of this API see the brand and texts of the client. False for a client that a document describes,
 * because nobody reviewed its document.
 */
export function isShownAt(client: Omit<Wearer, 'brand'>, apiId: string): boolean {
  const approved = client.subscriptions.some(
    (subscription) => subscription.apiId === apiId && subscription.state === 'approved',
  );
  return approved && client.origin !== 'document';
}

/** The brand of the client that users of this API see. */
export const shownBrand = (client: Wearer, apiId: string): BrandValues | null =>
  isShownAt(client, apiId) ? client.brand : null;
