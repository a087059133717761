// Limits and results of drawing. Both processes import this file.

/** Sizes of the stored pictures in pixels. Pages show 44, on screens with up to four times the density. */
export const SIDES = { small: 64, large: 192 } as const;

/** Limit for PNG, JPEG, WebP and GIF; an SVG is drawn at the output size. */
export const MAX_SIDE = 2_000;

/**
 * Limits per picture. They are checked every 4 ms, so actual use can be higher: at most 64 MB with the pictures of
 * scripts/bench/pictures.ts.
 */
export const BUDGET = { cpuMs: 200, bytes: 48_000_000 } as const;

/** `svg`: whether it may be one. */
export type Job = { bytes: Uint8Array; svg: boolean };

/** `fault`: the error, as text after `the picture`. `over`: the process must end now. */
export type Outcome =
  | { fault: string; over?: true }
  | { format: string; small: Uint8Array; large: Uint8Array };
