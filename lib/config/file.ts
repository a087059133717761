// Reads the configuration file: YAML (JSON is YAML too) → checked values, or every fault with its path and line.
import { type Document, isCollection, isMap, isNode, LineCounter, type Pair, parseDocument } from 'yaml';
import type { z } from 'zod';
import { findUnstorable } from '#lib/kit/index.ts';
import { issueInWords } from '#lib/registry/index.ts';
import { type ReadBeside, readPictures } from './brands.ts';
import { crossCheck, type Environment, type FileFinding, type PathPart } from './cross-checks.ts';
import { type ConfigurationFile, fileSchema } from './schema.ts';

export type FileFault = { path: string; message: string; line: number | null };

/** The file cannot be applied. The message lists all faults, one a line. */
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

export type ReadResult = { file: ConfigurationFile } | { faults: FileFault[] };

export function readConfiguration(
  source: string,
  env: Environment,
  host: string | null = null,
  readBeside: ReadBeside = null,
): ReadResult {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  if (document.errors.length > 0) {
    const faults = document.errors.map((error) => ({
      path: '',
      message: `not readable as YAML: ${error.code === 'MULTIPLE_DOCS' ? 'more than one document' : error.message.split('\n')[0]}`,
      line: lines.linePos(error.pos[0]).line,
    }));
    return { faults };
  }
  // an empty file by accident must not remove everything
  if (document.contents === null) {
    return { faults: [{ path: '', message: 'the file is empty; {} names nothing', line: null }] };
  }
  let raw: unknown;
  try {
    raw = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    return {
      faults: [{ path: '', message: `not readable as YAML: ${(error as Error).message}`, line: null }],
    };
  }
  const unstorable = findUnstorable(raw);
  if (unstorable) {
    const path = [...(unstorable.path ?? [])];
    return {
      faults: [{ path: pathText(path), message: unstorable.message, line: lineOf(document, lines, path) }],
    };
  }
  const pictures = readPictures(raw, readBeside);
  const parsed = fileSchema.safeParse(raw, { reportInput: true });
  const findings = [
    ...pictures,
    ...(parsed.success ? [] : parsed.error.issues.flatMap(findingsOf)),
    ...crossCheck(raw, env, host),
  ];
  if (parsed.success && findings.length === 0) return { file: parsed.data };
  const faults = findings.map((finding) => ({
    path: pathText(finding.path),
    message: finding.message,
    line: lineOf(document, lines, finding.path),
  }));
  return { faults: sortedOnce(faults) };
}

function findingsOf(issue: z.core.$ZodIssue): FileFinding[] {
  const path = issue.path as PathPart[];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: 'is not a key of this file' }));
  }
  return [{ path, message: issueInWords(issue) }];
}

/** apis[1].access_token_ttl */
function pathText(path: PathPart[]): string {
  return path
    .map((part, at) => (typeof part === 'number' ? `[${part}]` : at === 0 ? part : `.${part}`))
    .join('');
}

/** The line of the key or item that the path names, or of the nearest thing around it that the file holds. */
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

function keyOf(pair: Pair): string {
  return isNode(pair.key) ? String(pair.key.toJSON()) : String(pair.key);
}

/** In the file's order, and one fault a path and message. */
function sortedOnce(faults: FileFault[]): FileFault[] {
  const unique = [...new Map(faults.map((fault) => [describeFault(fault), fault])).values()];
  return unique.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}
