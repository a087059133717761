// One table lists the places that read each header, cookie, path, boundary and body of a request. This test fails for
// a new reader until the table contains it, with a hostile spelling (testing/data/readers.ts).
import { expect, test } from 'vitest';
import { isTest, type Source, sourceOf, sourcesIn, sourcesOf } from '#testing/code/sources.ts';
import { READERS, type Reader } from '#testing/data/readers.ts';

const ROWS: [string, Reader][] = Object.entries(READERS);

/** Code that handles requests. */
const served = [
  ...sourcesIn(
    ...['app', 'lib/http', 'lib/kit', 'lib/language', 'lib/observability', 'lib/oauth'],
    ...['lib/sessions', 'serve.ts', 'proxy.ts'],
  ),
  ...sourcesOf('management-api'),
].filter(({ file }) => !isTest(file));

/** Matches files that read headers of remote responses, or of Gatehouse's own responses. */
const NO_REQUEST = /^lib\/oauth\/client-(?:documents|logo)\.ts$/;
const OF_ANSWERS = new Set([
  'content-length',
  'dpop-nonce',
  'etag',
  'location',
  'strict-transport-security',
  'x-auth-act',
  'x-auth-claims',
  'x-auth-claims-omitted',
  'x-request-id',
]);

const READ = /\bheaders\??\.?(?:\[|get\(|has\()\s*['"]([\w-]+)['"]/gi;
const TAKEN_OUT = /\{([^{}]*)\}\s*=\s*(?:\w+\.)*headers\b/g;

/** The names of headers that a file reads. */
function headersReadIn({ text }: Pick<Source, 'text'>): string[] {
  const direct = [...text.matchAll(READ)].map(([, name = '']) => name);
  const taken = [...text.matchAll(TAKEN_OUT)].flatMap(([, names = '']) =>
    names.split(',').map((one) => one.split(':')[0]?.trim().replaceAll(/['"]/g, '') ?? ''),
  );
  return [...new Set([...direct, ...taken].map((name) => name.toLowerCase()))].filter((name) => name !== '');
}

test('only the files that the table of this test lists read request headers', () => {
  const faults = served
    .filter(({ file }) => !NO_REQUEST.test(file))
    .flatMap((source) =>
      headersReadIn(source).flatMap((name) => {
        const row = ROWS.find(([, { headers = [] }]) => headers.includes(name))?.[1];
        const isKnown = row
          ? row.carried === true || row.decides.includes(source.file)
          : OF_ANSWERS.has(name);
        return isKnown ? [] : [`${source.file} reads ${name}`];
      }),
    );
  expect(faults).toEqual([]);
});

const DECODES = /\bdecodeURI(?:Component)?\(/;
const TAKES_QUERY = /new URLSearchParams\((?:await |[\w.]*\b(?:query|search|body|text)\b)/;

/** Functions that parse text. For each, the rows of READERS: only the files in these rows may use it. */
const PARSERS: [RegExp, (keyof typeof READERS)[]][] = [
  [/\.split\('[;&]'\)/, ['cookies', 'the media type', 'parameters of a query or a form', 'the language']],
  [/\bformData\(\)/, ['the parts of a file’s form']],
  [DECODES, ['the path', 'parameters of a query or a form', 'credentials']],
  [TAKES_QUERY, ['parameters of a query or a form']],
  [/\brawHeaders\b|\brawPacket\b/, ['the length of a body', 'cookies']],
];
/**
 * Files that may break one rule, because they parse a text that Gatehouse created: a sealed interaction or the
 * address of a page.
 */
const OWN_TEXT: Readonly<Record<string, RegExp>> = {
  'lib/oauth/authorize/interaction.ts': TAKES_QUERY,
  'lib/oauth/pages/continue.ts': TAKES_QUERY,
  'app/(console)/_kit/dispatch.ts': TAKES_QUERY,
  'app/(console)/_kit/refused-page.ts': DECODES,
  'app/(console)/developer/playground/attempt.ts': TAKES_QUERY,
};

test('every parser of a query, body, path or list has a row in the table of this test', () => {
  const faults = PARSERS.flatMap(([parser, rows]) => {
    const may = new Set(rows.flatMap((row): readonly string[] => READERS[row].decides));
    return served
      .filter(({ file, text }) => parser.test(text) && OWN_TEXT[file] !== parser && !may.has(file))
      .map(({ file }) => `${file}: ${parser}`);
  });
  expect(faults).toEqual([]);
  const needless = Object.entries(OWN_TEXT).filter(
    ([name, parser]) => !served.some(({ file, text }) => file === name && parser.test(text)),
  );
  expect(needless).toEqual([]);
});

test('every file in the table of this test exists and serves requests', () => {
  const files = new Set(served.map(({ file }) => file));
  expect(ROWS.flatMap(([, { decides }]) => decides).filter((file) => !files.has(file))).toEqual([]);
});

test('the rule about request headers detects each way to read a header', () => {
  const text = `const { origin, 'sec-fetch-site': site } = request.headers; headers['Cookie']; request.headers.get('host');
    headers?.['x-a']; plain.headers.has("via");`;
  expect(headersReadIn(sourceOf('x.ts', text)).sort()).toEqual(
    ['cookie', 'host', 'origin', 'sec-fetch-site', 'via', 'x-a'].sort(),
  );
});
