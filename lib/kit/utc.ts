/** `2026-11-27 22:10 UTC`: a time in a sentence, to the minute. */
export const utcMinute = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
