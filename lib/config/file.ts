// Reads the configuration file as YAML (JSON is YAML too). Returns checked values, or every fault with its path and
// line.
import {
  type Document,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
} from 'yaml';
import type { z } from 'zod';
import { methodKind } from '#lib/catalogue/methods/questions.ts';
import { findUnstorable } from '#lib/kit/text.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { inEnglish } from '#lib/language/words.ts';
import { issueInWords } from '#lib/registry/definition.ts';
import { type ReadBeside, readPictures } from './brands.ts';
import { crossCheck, type Environment, type FileFinding, type PathPart, shortSecrets } from './checks.ts';
import { type ConfigurationFile, fileSchema, meantKey } from './schema.ts';

// Parses the YAML of the configuration file (YAML 1.2, JSON included). Returns the values of one document, or every
// fault.

type YamlFault = { message: string; line: number | null };
type Read = { document: Document; lines: LineCounter; raw: unknown };

const WORDS: Record<string, string> = {
  MULTIPLE_DOCS: 'contains more than one document',
  TAB_AS_INDENT: 'a tab indents this line: use spaces',
};

function readYaml(source: string): Read | { faults: YamlFault[] } {
  const lines = new LineCounter();
  const document = parseDocument(source, {
    lineCounter: lines,
    prettyErrors: false,
    // the keys 1 and "1" would become the same key
    uniqueKeys: (a, b) => isScalar(a) && isScalar(b) && String(a.value) === String(b.value),
  });
  const unknownTags = document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED');
  const problems = [...document.errors, ...unknownTags];
  if (problems.length > 0)
    return {
      faults: problems.map(({ code, message, pos }) => ({
        message: `not readable as YAML: ${ownValue(WORDS, code) ?? message.split('\n')[0]}`,
        line: lines.linePos(pos[0]).line,
      })),
    };
  const { version, explicit } = document.directives?.yaml ?? {};
  if (explicit && version !== '1.2')
    return {
      faults: [
        {
          message: `is read as YAML 1.2: remove the line %YAML ${version}. In YAML 1.2, no and off are strings, and 010 is ten`,
          line: 1,
        },
      ],
    };
  // a file that is empty by mistake must not remove everything
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null))
    return { faults: [{ message: 'the file is empty: write {} for an empty configuration', line: null }] };
  try {
    return { document, lines, raw: document.toJS({ maxAliasCount: 100 }) };
  } catch (error) {
    return { faults: [{ message: `not readable as YAML: ${(error as Error).message}`, line: null }] };
  }
}

/** Finds merge keys (`<<`), which YAML 1.2 does not support. */
function mergeKeys(document: Document): FileFinding[] {
  const findings: FileFinding[] = [];
  const walk = (node: unknown, path: PathPart[]): void => {
    if (isSeq(node)) for (const [index, item] of node.items.entries()) walk(item, [...path, index]);
    if (!isMap(node)) return;
    for (const pair of node.items) {
      const key = keyOf(pair);
      if (key === '<<' && isScalar(pair.key) && pair.key.type === 'PLAIN')
        findings.push({
          path: [...path, key],
          message:
            'merge keys are not supported (YAML 1.2 has none): write the keys out, or use an alias *name',
        });
      walk(pair.value, [...path, key]);
    }
  };
  walk(document.contents, []);
  return findings;
}

function keyOf(pair: Pair): string {
  return isNode(pair.key) ? String(pair.key.toJSON()) : String(pair.key);
}

export type FileFault = { path: string; message: string; line: number | null };

/** Thrown if the file cannot be applied. The message lists all faults, one a line. */
export class ConfigurationFault extends Error {
  override name = 'ConfigurationFault';
  faults: FileFault[];
  constructor(faults: FileFault[]) {
    super(faults.map(describeFault).join('\n'));
    this.faults = faults;
  }
}

export function describeFault(fault: FileFault): string {
  const place = fault.line === null ? '' : ` (line ${fault.line})`;
  return `${fault.path === '' ? '' : `${fault.path}: `}${fault.message}${place}`;
}

/** `warnings`: values that are accepted but should be corrected. */
type ReadResult =
  | {
      file: ConfigurationFile;
      warnings: FileFault[];
      /** adds the line number to a fault that is found later */
      placed: (finding: FileFinding) => FileFault;
    }
  | {
      faults: FileFault[];
      /** the parsed values for further checks, if only rules across several fields failed */
      readable?: { file: ConfigurationFile; placed: (finding: FileFinding) => FileFault };
    };

type ReadOptions = {
  /** host name of the service, if it is known */
  host?: string | null;
  readBeside?: ReadBeside;
  /** a password with fewer characters causes a warning */
  leastPassword?: number;
};

export function readConfiguration(
  source: string,
  env: Environment,
  { host = null, readBeside = null, leastPassword = 8 }: ReadOptions = {},
): ReadResult {
  const yaml = readYaml(source);
  if ('faults' in yaml) return { faults: yaml.faults.map((fault) => ({ path: '', ...fault })) };
  const { document, lines, raw } = yaml;
  const locateFault = ({ path, message }: FileFinding): FileFault => ({
    path: pathText(path),
    message,
    line: lineOf(document, lines, path),
  });
  const merges = mergeKeys(document);
  if (merges.length > 0) return { faults: merges.map(locateFault) };
  const unstorable = findUnstorable(raw);
  if (unstorable)
    return { faults: [locateFault({ path: [...(unstorable.path ?? [])], message: unstorable.message })] };
  const pictures = readPictures(raw, readBeside);
  const parseResult = fileSchema.safeParse(raw, { reportInput: true });
  const findings = [
    ...pictures,
    ...(parseResult.success ? [] : parseResult.error.issues.flatMap(findingsOf)),
    ...crossCheck(raw, env, host),
  ];
  if (parseResult.success && findings.length === 0)
    return {
      file: parseResult.data,
      warnings: [...shortSecrets(raw, env, leastPassword), ...remarksOn(parseResult.data)].map(locateFault),
      placed: locateFault,
    };
  return {
    faults: sortedOnce(findings.map(locateFault)),
    ...(parseResult.success && { readable: { file: parseResult.data, placed: locateFault } }),
  };
}

/** Remarks about keys of sign-in methods, from the kinds of these methods. */
const remarksOn = ({ auth_methods }: ConfigurationFile): FileFinding[] =>
  auth_methods.flatMap((method, at) =>
    (methodKind(method.type).remarks?.(method) ?? []).flatMap(({ key, found, change }) => {
      if (key === undefined) return [];
      const message = [found, ...(change ? [change] : [])].map(inEnglish).join(' ');
      return [{ path: ['auth_methods', at, key], message }];
    }),
  );

function findingsOf(issue: z.core.$ZodIssue): FileFinding[] {
  const path = issue.path as PathPart[];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `is not a key of this file${meantKey(path, key)}`,
    }));
  }
  return [{ path, message: `${issueInWords(issue)}${quoteHint(issue)}` }];
}

/**
 * Returns the hint to quote a value: YAML reads digits, `true` and similar text as a number or boolean, so
 * digits or zeros may be lost.
 */
function quoteHint(issue: z.core.$ZodIssue): string {
  const asText =
    (issue.code === 'invalid_type' && issue.expected === 'string') ||
    (issue.code === 'invalid_value' && issue.values.some((value) => typeof value === 'string')) ||
    issue.code === 'invalid_union';
  return asText && ['number', 'bigint', 'boolean'].includes(typeof issue.input) ? ': put it in quotes' : '';
}

/** The path as text: `apis[1].access_token_ttl`. */
function pathText(path: PathPart[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join('');
}

/** Line of the key or item at the path, or of its nearest parent that exists. */
function lineOf(document: Document, lines: LineCounter, path: PathPart[]): number | null {
  let node: unknown = document.contents;
  let offset: number | undefined = isNode(node) ? node.range?.[0] : undefined;
  for (const part of path) {
    if (!isCollection(node)) break;
    if (isMap(node)) {
      const pair = node.items.find((item) => keyOf(item) === String(part));
      if (!pair) break;
      offset = isNode(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
      node = pair.value;
    } else {
      node = node.get(part, true);
      if (isNode(node) && node.range) offset = node.range[0];
    }
  }
  return offset === undefined ? null : lines.linePos(offset).line;
}

/** Sorts faults in the order of the file. Of several faults with the same path and message, keeps one. */
export function sortedOnce(faults: FileFault[]): FileFault[] {
  const unique = [...new Map(faults.map((fault) => [describeFault(fault), fault])).values()];
  return unique.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}
