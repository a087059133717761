// Limits of drawing, and its results. The service and the drawing process import this file.

/** Sizes of the stored pictures in pixels. Pages show them with 44 CSS pixels, on screens of up to fourfold density. */
export const SIDES = { small: 64, large: 192 } as const;

/** Maximum width and height of PNG, JPEG, WebP and GIF. An SVG is drawn at the size of the output. */
export const MAX_SIDE = 2_000;

/**
 * Limits per picture. They are checked every 4 ms, so the actual use can be higher: at most 64 MB with the pictures
 * in scripts/bench/pictures.ts.
 */
export const BUDGET = { cpuMs: 200, bytes: 48_000_000 } as const;

/** `svg`: true if the picture may be an SVG. */
export type Job = { bytes: Uint8Array; svg: boolean };

/** `reason`: the error text of the decoder; empty: unknown. `gone`: the process ended without a result. */
export type PictureFault =
  | { fault: 'slow' | 'large' | 'moves' | 'empty' | 'format' | 'sizeless' | 'gone' }
  | { fault: 'sides'; width: number; height: number }
  | { fault: 'broken'; reason: string };

/** `over`: the process must end immediately. */
export type Outcome =
  | (PictureFault & { over?: true })
  | { format: string; small: Uint8Array; large: Uint8Array };
