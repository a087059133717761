// What drawing a picture may cost, and what comes of it. Both sides of the drawing process read this file.

/** Of the two pictures that are kept, in pixels: pages show 44, on screens with up to four times as many. */
export const SIDES = { small: 64, large: 192 } as const;

/** Of a PNG, JPEG, WebP or GIF; an SVG is drawn at our size, not at its own. */
export const MAX_SIDE = 2_000;

/**
 * For each picture. Checked every 4 ms while it is drawn, so that it takes some more: at most 64 MB with the pictures
 * of scripts/bench/pictures.ts.
 */
export const BUDGET = { cpuMs: 200, bytes: 48_000_000 } as const;

/** `svg`: whether it may be one. */
export type Job = { bytes: Uint8Array; svg: boolean };

/** `fault`: what is wrong, after `the picture`. `over`: the process ends now. */
export type Outcome =
  | { fault: string; over?: true }
  | { format: string; small: Uint8Array; large: Uint8Array };
