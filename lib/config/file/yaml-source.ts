// The YAML of the configuration file (YAML 1.2, JSON included): one document of values, or every reason why it is not.
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, type Pair, parseDocument } from 'yaml';
import { ownValue } from '#lib/kit/own-value.ts';
import type { FileFinding, PathPart } from './raw.ts';

type YamlFault = { message: string; line: number | null };
type Read = { document: Document; lines: LineCounter; raw: unknown };

const WORDS: Record<string, string> = {
  MULTIPLE_DOCS: 'more than one document',
  TAB_AS_INDENT: 'a tab indents this line: use spaces',
};

export function readYaml(source: string): Read | { faults: YamlFault[] } {
  const lines = new LineCounter();
  const document = parseDocument(source, {
    lineCounter: lines,
    prettyErrors: false,
    // 1 and "1" are one key of what is read
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
          message: `is read as YAML 1.2: leave out the line %YAML ${version}; there no and off are texts, and 010 is ten`,
          line: 1,
        },
      ],
    };
  // an empty file by accident must not remove everything
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null))
    return { faults: [{ message: 'the file is empty; {} names nothing', line: null }] };
  try {
    return { document, lines, raw: document.toJS({ maxAliasCount: 100 }) };
  } catch (error) {
    return { faults: [{ message: `not readable as YAML: ${(error as Error).message}`, line: null }] };
  }
}

/** Where the file merges by `<<`, which YAML 1.2 does not know. */
export function mergeKeys(document: Document): FileFinding[] {
  const found: FileFinding[] = [];
  const walk = (node: unknown, path: PathPart[]): void => {
    if (isSeq(node)) for (const [index, item] of node.items.entries()) walk(item, [...path, index]);
    if (!isMap(node)) return;
    for (const pair of node.items) {
      const key = keyOf(pair);
      if (key === '<<' && isScalar(pair.key) && pair.key.type === 'PLAIN')
        found.push({
          path: [...path, key],
          message: 'merge keys are not read (YAML 1.2 has none): write the keys out; an alias *name is read',
        });
      walk(pair.value, [...path, key]);
    }
  };
  walk(document.contents, []);
  return found;
}

export function keyOf(pair: Pair): string {
  return isNode(pair.key) ? String(pair.key.toJSON()) : String(pair.key);
}
