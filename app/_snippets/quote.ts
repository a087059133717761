// Quotes values that others chose, as each language does: a quote in an address must not end the string.

/** JavaScript, in the quotes of the code around it. */
export const js = (value: string): string =>
  `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** Python, Go and YAML read a text as JSON writes it. */
export const quoted = (value: string): string => JSON.stringify(value);

/** PHP, in single quotes, where only they and backslashes are escaped. */
export const php = (value: string): string => `'${value.replaceAll(/['\\]/g, '\\$&')}'`;

/** POSIX shell: in single quotes, which take everything literally; bare where no quotes are needed. */
export const sh = (value: string): string =>
  /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;

/** A value in a query, within the double quotes of a shell, where an interactive one reads `!` too. */
export const inUrl = (value: string): string => encodeURIComponent(value).replaceAll('!', '%21');
