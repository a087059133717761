// Pages are readable with every colour that an operator can choose.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { brand, brandColours, contrast, contrastOn, LEAST_CONTRAST, nearestReadable } from './brand.ts';

const colour = fc
  .tuple(...[0, 1, 2].map(() => fc.integer({ min: 0, max: 255 })))
  .map((parts) => `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`);

test('WCAG 2.2: the contrast ratio follows from relative luminance', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#ffffff', '#ffffff')).toBe(1);
  // the lightest grey with sufficient contrast on white
  expect(contrast('#767676', '#ffffff')).toBeCloseTo(4.54, 2);
  expect(contrast('#ff0000', '#ffffff')).toBeCloseTo(4.0, 1);
});

test('every colour is accepted unchanged, or rejected with an acceptable suggestion', () => {
  fc.assert(
    fc.property(colour, (accent) => {
      const taken = brand.safeParse({ accent });
      if (taken.success) {
        expect(contrastOn('light', accent)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
        return;
      }
      const named = /try (#[0-9a-f]{6})/.exec(taken.error.issues[0]?.message ?? '')?.[1];
      expect(brand.safeParse({ accent: named }).success).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test('an accepted brand colour is readable in both themes: as text, on hover, and under button labels', () => {
  fc.assert(
    fc.property(colour, colour, fc.boolean(), (light, dark, own) => {
      const accent = nearestReadable('light', light);
      const accentDark = own ? nearestReadable('dark', dark) : null;
      expect(brand.safeParse({ accent, accent_dark: accentDark }).success).toBe(true);
      const colours = brandColours({ accent, accentDark });
      expect(colours.light.accent).toBe(accent);
      if (accentDark) expect(colours.dark.accent).toBe(accentDark);
      for (const theme of ['light', 'dark'] as const) {
        const { accent: shown, strong, ink } = colours[theme];
        for (const one of [shown, strong]) {
          expect(one).toMatch(/^#[0-9a-f]{6}$/);
          expect(contrastOn(theme, one)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
          expect(contrast(ink, one)).toBeGreaterThanOrEqual(LEAST_CONTRAST);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

test('readable colours are unchanged, and corrected colours keep their hue', () => {
  expect(nearestReadable('light', '#1f5f4a')).toBe('#1f5f4a');
  const mended = nearestReadable('dark', '#1f5f4a');
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(mended.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ];
  expect(green).toBeGreaterThan(blue);
  expect(blue).toBeGreaterThan(red);
  expect(contrastOn('dark', mended)).toBeLessThan(LEAST_CONTRAST + 0.2);
});

test('the error about a colour names its contrast ratio and the nearest valid colour, and the dark colour is checked only if set', () => {
  const issues = (value: object) => brand.safeParse(value).error?.issues.map(({ message }) => message);
  expect(issues({ accent: '#e6b422' })).toEqual([
    expect.stringMatching(
      /^has a contrast of 1\.\d:1 on the page, but must have at least 4\.5:1: try #[0-9a-f]{6}$/,
    ),
  ]);
  expect(issues({ accent: '#1f5f4a', accent_dark: '#1f5f4a' })).toEqual([
    expect.stringMatching(
      /^has a contrast of \d\.\d:1 on the dark page, but must have at least 4\.5:1: try #[0-9a-f]{6}$/,
    ),
  ]);
  expect(issues({ accent: '#1f5f4a' })).toBeUndefined();
  expect(issues({ accent_dark: '#7cc7a8' })).toEqual([expect.stringContaining('requires accent')]);
  for (const accent of ['green', '#fff', '#12345g', 'rgb(0,0,0)', '#1f5f4a;}', 'url(x)', 7])
    expect(issues({ accent }), String(accent)).toHaveLength(1);
  expect(brand.parse({ accent: ' #1F5F4A ' })?.accent).toBe('#1f5f4a');
});
