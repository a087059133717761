// Content of a console page, parsed from its HTML: React writes the HTML, so every tag is closed and every quote is
// present.

/** Elements whose text users and operators typed, or programs read. */
const DATA = new Set(['bdi', 'code', 'kbd', 'pre', 'samp', 'svg', 'textarea']);
const UNSEEN = new Set(['script', 'style', 'template', 'noscript']);
const VOID = new Set(['area', 'base', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr']);
const SAID = ['aria-label', 'title', 'placeholder', 'alt'];

export type PageRead = {
  /** without data */
  texts: string[];
  /** including data */
  all: string[];
  links: string[];
  ids: Set<string>;
  /** text fields of GET forms that accept any text, including credentials */
  open: string[];
};

type Element = { name: string; isData: boolean; isUnseen: boolean };

const PART =
  /<!--.*?-->|<!doctype[^>]*>|<(script|style)\b[^>]*>.*?<\/\1>|<(\/?)([a-zA-Z][\w:-]*)((?:\s+[^\s=>/]+(?:="[^"]*")?)*)\s*(\/?)>|[^<]+/gis;
const ATTRIBUTE = /([^\s=]+)(?:="([^"]*)")?/g;

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const decoded = (text: string) =>
  text.replaceAll(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal) return String.fromCodePoint(Number(decimal));
    return NAMED[name] ?? whole;
  });

export function readPage(html: string): PageRead {
  const texts = new Set<string>();
  const all = new Set<string>();
  const read: Pick<PageRead, 'links' | 'ids' | 'open'> = { links: [], ids: new Set(), open: [] };
  const stack: Element[] = [];
  let isGet = false;
  const keep = (text: string, { isData, isUnseen }: Pick<Element, 'isData' | 'isUnseen'>) => {
    const line = decoded(text).replaceAll(/\s+/g, ' ').trim();
    if (line === '' || isUnseen) return;
    all.add(line);
    if (!isData) texts.add(line);
  };
  const top = () => stack.at(-1) ?? { name: '', isData: false, isUnseen: false };
  for (const [part, raw, end, tag = '', attributes = '', closed] of html.matchAll(PART)) {
    if (raw !== undefined || part.startsWith('<!')) continue;
    if (!part.startsWith('<')) {
      keep(part, top());
      continue;
    }
    const name = tag.toLowerCase();
    if (end) {
      while (stack.length > 0 && stack.pop()?.name !== name);
      continue;
    }
    const has = new Map<string, string>();
    for (const [, key = '', value = ''] of attributes.matchAll(ATTRIBUTE))
      has.set(key.toLowerCase(), decoded(value));
    const isData =
      top().isData ||
      DATA.has(name) ||
      has.get('translate') === 'no' ||
      /\blanguages\b/.test(has.get('class') ?? '') ||
      (name !== 'html' && has.has('lang'));
    const element = { name, isData, isUnseen: top().isUnseen || UNSEEN.has(name) };
    for (const said of SAID) keep(has.get(said) ?? '', element);
    const id = has.get('id');
    if (id) read.ids.add(id);
    if (name === 'form') isGet = (has.get('method') ?? 'get').toLowerCase() === 'get';
    const link =
      name === 'a' || name === 'link'
        ? has.get('href')
        : name === 'form' && isGet
          ? has.get('action')
          : undefined;
    if (link) read.links.push(link);
    const isText = ['text', 'search', 'email', 'url', undefined].includes(has.get('type'));
    if (name === 'input' && isGet && isText && !has.has('pattern')) read.open.push(has.get('name') ?? '');
    if (!VOID.has(name) && closed !== '/') stack.push(element);
  }
  return { ...read, texts: [...texts], all: [...all] };
}
