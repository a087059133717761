// A strict check of HTML that Gatehouse writes: every element is closed at its nesting level, every attribute is
// quoted, and no part runs code or loads a resource.
const VOID = ['meta', 'br'];
const TAG = /^<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+="[^"<>]*")*)\s*>/;

/** Returns the faults of the HTML; empty: valid. */
export function faultsOfHtml(html: string): string[] {
  const faults: string[] = [];
  const open: string[] = [];
  let rest = html.replace(/^<!doctype html>\n/, '');
  if (rest === html) faults.push('no doctype');
  for (let at = rest.indexOf('<'); at >= 0; at = rest.indexOf('<')) {
    if (/[>"]/.test(rest.slice(0, at))) faults.push(`not escaped: ${rest.slice(0, at).trim()}`);
    rest = rest.slice(at);
    const tag = TAG.exec(rest);
    if (!tag) return [...faults, `no tag: ${rest.slice(0, 80)}`];
    const [whole, end, name = '', attributes = ''] = tag;
    if (['script', 'img', 'link', 'iframe', 'form', 'style', 'table'].includes(name)) faults.push(whole);
    if (/\s(?:on\w+|src|srcset)="/.test(attributes) || /url\(/.test(attributes)) faults.push(whole);
    if (end === '/') {
      const opened = open.pop();
      if (opened !== name) faults.push(`</${name}> closes <${opened}>`);
    } else if (!VOID.includes(name)) open.push(name);
    rest = rest.slice(whole.length);
  }
  return [...faults, ...open.map((name) => `<${name}> is not closed`)];
}
