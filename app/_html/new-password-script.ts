/** Behind the field of a new password. The number changes with the file, so that no cache serves an old one. */
export const NEW_PASSWORD_SCRIPT = '/new-password.js?v=1';
