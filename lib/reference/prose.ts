// Reads the text about each endpoint from docs/endpoints, one file per section. docs/endpoints/README.md describes
// the format. Each file is read once. The build includes the files (outputFileTracingIncludes in next.config.mjs).
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { lexer, type Token, type Tokens } from 'marked';
import { fill, templateOf } from '#lib/kit/fill.ts';
import { INTERFACE_VERSION } from '#lib/kit/version.ts';
import { type AnswerProse, exampleIssuer, type Prose, type Section } from './endpoint.ts';

/** Sections in the order of the documentation. */
const SECTIONS = [
  'authorize',
  'token',
  'devices',
  'openid-connect',
  'token-management',
  'discovery',
  'registration',
  'broker',
  'service',
];
const FOLDER = path.resolve('docs/endpoints');

export const readSections = (): Section[] =>
  SECTIONS.map((id) => sectionFrom(id, readFileSync(path.join(FOLDER, `${id}.md`), 'utf8')));

/** A heading, and everything before the next heading. */
type Part = { depth: number; heading: string; paragraphs: string[]; codes: Tokens.Code[] };

export function sectionFrom(id: string, text: string): Section {
  const fault = (what: string) => new Error(`docs/endpoints/${id}.md: ${what}`);
  const fillPlaces = (some: string) =>
    fill(
      templateOf(id, () => some),
      { interfaceVersion: INTERFACE_VERSION },
      { text: (value) => value },
    );
  const [first, ...parts] = partsOf(lexer(text), fault);
  const [intro, ...more] = first?.paragraphs ?? [];
  if (first?.depth !== 1 || intro === undefined || more.length > 0 || first.codes.length > 0)
    throw fault('begins with a title and one paragraph');
  const endpoints: (Omit<Prose, 'answers'> & { answers: AnswerProse[] })[] = [];
  for (const part of parts) {
    const within = (what: string) => fault(`"${part.heading}" ${what}`);
    const here = endpoints.at(-1);
    if (part.depth === 2) endpoints.push(endpointFrom(part, fillPlaces, within));
    else if (part.depth !== 3 || !here) throw within('is neither an endpoint nor an answer of one');
    else here.answers.push(...answersFrom(part, endpoints, fillPlaces, within));
  }
  return { id, title: first.heading, intro: fillPlaces(intro), endpoints };
}

function partsOf(tokens: Token[], fault: (what: string) => Error): Part[] {
  const parts: Part[] = [];
  for (const token of tokens) {
    const last = parts.at(-1);
    if (token.type === 'heading')
      parts.push({ depth: token.depth, heading: token.text, paragraphs: [], codes: [] });
    else if (token.type === 'paragraph' && last?.codes.length === 0)
      last.paragraphs.push(token.text.replaceAll(/\s+/g, ' '));
    else if (token.type === 'code' && last) last.codes.push(token as Tokens.Code);
    else if (token.type !== 'space') throw fault(`${token.raw.trim()} has no place there`);
  }
  return parts;
}

function endpointFrom(
  { heading, paragraphs, codes }: Part,
  filled: (text: string) => string,
  fault: (what: string) => Error,
) {
  const [address = '', description, ...more] = paragraphs;
  const [, id, method, pattern] = /^`([a-z][a-z0-9-]*)` `(GET|POST) (\/\S*)`$/.exec(address) ?? [];
  const [command, ...others] = codes;
  if (id === undefined || pattern === undefined) throw fault('needs a line with its id, method and path');
  if (description === undefined || more.length > 0) throw fault('needs one paragraph');
  if (command?.lang !== 'sh' || others.length > 0) throw fault('needs one command in sh');
  const template = templateOf(id, () => command.text);
  return {
    id,
    method: method as Prose['method'],
    pattern,
    summary: filled(heading),
    description: filled(description),
    answers: [],
    command: (addresses) =>
      fill(template, { ...addresses, issuer: exampleIssuer(addresses) }, { text: (value) => value }),
  } satisfies Prose;
}

function answersFrom(
  { heading, paragraphs, codes }: Part,
  endpoints: readonly Prose[],
  filled: (text: string) => string,
  fault: (what: string) => Error,
): readonly AnswerProse[] {
  const other = /^Answers of `([^`]+)`$/.exec(heading)?.[1];
  if (other !== undefined) {
    const answers = endpoints.find(({ id }, n) => id === other && n < endpoints.length - 1)?.answers;
    if (!answers || paragraphs.length > 0 || codes.length > 0) throw fault('names no endpoint above it');
    return answers;
  }
  const [, status, schema, mediaType] =
    /^([2-5]\d\d)(?: `(\w+)`(?: ([a-z]+\/[a-z]+))?)?$/.exec(heading) ?? [];
  const [description, to, ...more] = paragraphs;
  const [example, ...others] = codes;
  const location = /^Location: (.+)$/.exec(to ?? '')?.[1];
  if (status === undefined) throw fault('is not a status with the name of a schema');
  if (description === undefined || (to !== undefined && location === undefined) || more.length > 0)
    throw fault('needs one paragraph, and at most a Location');
  if (others.length > 0 || (example && example.lang !== 'text'))
    throw fault('has at most one example in text');
  return [
    {
      status,
      description: filled(description),
      ...(example && { example: filled(example.text) }),
      ...(schema !== undefined && { schema }),
      ...(mediaType !== undefined && { mediaType }),
      ...(location !== undefined && { location: filled(location) }),
    },
  ];
}
