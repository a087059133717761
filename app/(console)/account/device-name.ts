import { type Words, wordsOf } from '#lib/language/words.ts';

const BROWSERS: [RegExp, string][] = [
  [/Edg(?:e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\/|Chromium\//, 'Chrome'],
  [/Safari\//, 'Safari'],
  [/^curl\//, 'curl'],
];
const SYSTEMS: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'Mac'],
  [/CrOS/, 'Chromebook'],
  [/Linux|X11/, 'Linux'],
];

type Says = Pick<Words, 't'>['t'];

/**
 * Names the browser and system, for example `Chrome on Linux`: enough for users to recognise their own browser. The
 * user agent is not used for security.
 */
export function deviceOf(userAgent: string | null, t: Says = wordsOf('en').t): string {
  if (!userAgent) return t('my.unknown_device');
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser && system) return t('my.on_device', { browser, system });
  return browser ?? system ?? t('my.unknown_device');
}
