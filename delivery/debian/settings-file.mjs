// Parses a settings file in the format of systemd's EnvironmentFile (systemd.exec(5)). A comment must be on a
// separate line. A quoted value can contain line breaks. A backslash joins two lines.

const LINE = /(?:\\[\s\S]|'[^']*(?:'|$)|"(?:\\[\s\S]|[^"\\])*(?:"|$)|[^\n\\'"])+/g;
const PART = /'([^']*)(?:'|$)|"((?:\\[\s\S]|[^"\\])*)(?:"|$)|\\([\s\S])|([^\\'"]+)/g;

/** Returns pairs of name and value, in the order of the file. */
export function settingsIn(text) {
  const lines = text.replace(/^[^\S\n]*[#;](?:\\\n|[^\n])*$/gm, '').match(LINE) ?? [];
  return lines.flatMap((line) => {
    const [, name, value] = /^\s*([A-Za-z_]\w*)[^\S\n]*=[^\S\n]*([\s\S]*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, unquoted(value)]];
  });
}

function unquoted(written) {
  const parts = [...written.trimEnd().matchAll(PART)];
  return parts
    .map(([, single, double, escaped, plain]) => {
      if (double !== undefined)
        return double.replace(/\\(\n|[\s\S])/g, (whole, next) =>
          '"\\`$'.includes(next) ? next : next === '\n' ? '' : whole,
        );
      if (escaped !== undefined) return escaped === '\n' ? '' : escaped;
      return single ?? plain;
    })
    .join('');
}
