/** Behind the buttons that copy. The number changes with the file, so that no cache serves an old one. */
export const COPY_SCRIPT = '/copy.js?v=4';
