// Which colours text and buttons can have on our pages: contrast by WCAG 2.2 (relative luminance), and the nearest
// lightness of the same hue that has enough of it (OKLCH).

/** The surfaces of public/gatehouse.css below links and buttons, and the texts on a button. */
const THEMES = {
  light: { surfaces: ['#f7f5f0', '#fffdf9', '#ffffff', '#f1eee6'], further: -1 },
  dark: { surfaces: ['#141613', '#1b1e1a', '#232722'], further: 1 },
} as const;
export type Theme = keyof typeof THEMES;
const INKS = ['#ffffff', '#0e1a15'] as const;

/** WCAG 2.2 §1.4.3, of text; §1.4.11 wants 3:1 of a button's edge, which is the same colour. */
export const LEAST_CONTRAST = 4.5;

/** `strong`: under the pointer. `ink`: what is written on the accent. */
export type AccentColours = { accent: string; strong: string; ink: string };
export type BrandColours = Readonly<Record<Theme, AccentColours>>;

/** How well this accent is read on the worst of the theme's surfaces. */
export function contrastOn(theme: Theme, colour: string): number {
  return Math.min(...THEMES[theme].surfaces.map((surface) => contrast(surface, colour)));
}

const isReadable = (theme: Theme, colour: string) => contrastOn(theme, colour) >= LEAST_CONTRAST;

/** The colour of this hue with enough contrast whose lightness is nearest; the colour itself where it has enough. */
export function nearestReadable(theme: Theme, colour: string): string {
  if (isReadable(theme, colour)) return colour;
  const from = toOklch(colour);
  // lightness is monotonous in contrast on the surfaces of one theme, so the border is found by halving
  let [bad, good] = [from.l, theme === 'light' ? 0 : 1];
  for (let step = 0; step < 20; step += 1) {
    const middle = (bad + good) / 2;
    if (isReadable(theme, fromOklch({ ...from, l: middle }))) good = middle;
    else bad = middle;
  }
  return fromOklch({ ...from, l: good });
}

/** The colours of a page whose brand was accepted: in the dark its own, or the nearest that can be read there. */
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

/** From 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

type Triple = [number, number, number];

const channels = (colour: string): Triple =>
  [1, 3, 5].map((at) => linear(Number.parseInt(colour.slice(at, at + 2), 16) / 255)) as Triple;

const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const encoded = (value: number) => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055);

function luminance(colour: string): number {
  const [red, green, blue] = channels(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

type Oklch = { l: number; c: number; h: number };

/** Björn Ottosson's OKLab, as CSS Color 4 §9.2 has it. */
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

/** Less chroma where a screen has no such colour. */
function fromOklch({ l, c, h }: Oklch): string {
  let [inside, outside] = [0, c];
  let found = linearOf({ l, c, h });
  if (!isOnScreen(found)) {
    found = linearOf({ l, c: 0, h });
    for (let step = 0; step < 16; step += 1) {
      const middle = (inside + outside) / 2;
      const tried = linearOf({ l, c: middle, h });
      if (isOnScreen(tried)) [inside, found] = [middle, tried];
      else outside = middle;
    }
  }
  const hex = (value: number) =>
    Math.round(encoded(Math.min(1, Math.max(0, value))) * 255)
      .toString(16)
      .padStart(2, '0');
  return `#${found.map(hex).join('')}`;
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
