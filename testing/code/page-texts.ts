// The texts of pages that are keyed by their English sentence: which ones a file says, and which it forgot to.
import type { Node } from 'oxc-parser';
import { visitorKeys } from 'oxc-parser';
import type { Source } from './sources.ts';

/** `start` and `end`: where it is in the file. `kind`: text between tags, the value of an attribute, or a literal. */
export type PageText = {
  text: string;
  start: number;
  end: number;
  line: number;
  kind: 'between' | 'attribute' | 'literal';
  /** in a function, where the reader is known */
  inFunction: boolean;
  /** of a paragraph with other elements inside: it is half of a sentence */
  isPart: boolean;
};

/** These take English sentences, and give the reader's. */
const SAYING = new Set(['say', 'toSay', 'sayParts', 'titled']);
/** Attributes that people read. */
const READ = new Set([
  'label',
  'heading',
  'lead',
  'hint',
  'title',
  'submit',
  'note',
  'each',
  'alt',
  'aria-label',
  'summary',
  'text',
  'message',
  'caption',
  'others',
  'legend',
]);
/** Elements whose `name` people read. */
const NAMED = new Set(['Fact', 'Time']);
/** What is inside is code or another's text. */
const VERBATIM = new Set(['code', 'bdi', 'pre', 'kbd', 'Name', 'style', 'script']);
/** A literal that reads like a sentence or a heading. */
const PROSE =
  /^(?=.*\p{L}{2})(?:\p{Lu}[\p{L}’]*(?:[ ,].*)?[\p{L}.!?…:)’]|.*\p{Ll}{2,} .*\p{Ll}{2,} .*[.!?…:]|\p{Ll}+(?: [\p{L}’,-]+){2,}[.!?:]?)$/su;

type Found = { said: PageText[]; unsaid: PageText[] };

export function textsOfPage({ program, text: source }: Source): Found {
  const said: PageText[] = [];
  const unsaid: PageText[] = [];
  const lineOf = (at: number) => source.slice(0, at).split('\n').length;
  type Place = {
    inFunction: boolean;
    saying: boolean;
    verbatim: boolean;
    attribute: string | null;
    isPart: boolean;
  };

  const add = (text: string, node: Node, kind: PageText['kind'], place: Place) => {
    const one = {
      text,
      start: node.start,
      end: node.end,
      line: lineOf(node.start),
      kind,
      inFunction: place.inFunction,
      isPart: place.isPart,
    };
    if (place.saying) said.push(one);
    else if (!place.verbatim) unsaid.push(one);
  };

  const walk = (node: Node, place: Place): void => {
    let inside = place;
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportAllDeclaration':
      case 'TSTypeAliasDeclaration':
      case 'TSInterfaceDeclaration':
      case 'TSTypeAnnotation':
        return;
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        inside = { ...place, inFunction: true };
        break;
      case 'CallExpression': {
        const { callee } = node;
        const name =
          callee.type === 'Identifier'
            ? callee.name
            : callee.type === 'MemberExpression' && callee.property.type === 'Identifier'
              ? callee.property.name
              : '';
        if (SAYING.has(name)) {
          const [first, ...rest] = node.arguments;
          if (first) walk(first, { ...place, saying: true });
          for (const one of rest) walk(one, { ...place, saying: false });
          return;
        }
        if (name === 't' || name === 'parts') {
          for (const one of node.arguments.slice(1)) walk(one, place);
          return;
        }
        if (name === 'Error') return;
        break;
      }
      case 'NewExpression':
        if (node.callee.type === 'Identifier' && /Error$/.test(node.callee.name)) return;
        break;
      case 'JSXElement': {
        const { openingElement, children } = node;
        const tag = openingElement.name.type === 'JSXIdentifier' ? openingElement.name.name : '';
        for (const attribute of openingElement.attributes) {
          if (attribute.type === 'JSXSpreadAttribute') {
            walk(attribute.argument, { ...place, attribute: null });
            continue;
          }
          const name = attribute.name.type === 'JSXIdentifier' ? attribute.name.name : '';
          const isRead =
            (tag === 'Say' && name === 'text') || READ.has(name) || (name === 'name' && NAMED.has(tag));
          const { value } = attribute;
          if (value === null) continue;
          const within = {
            ...place,
            saying: tag === 'Say' && name === 'text',
            attribute: name,
            isPart: false,
          };
          if (value.type === 'Literal') {
            if (
              (isRead || (name === 'placeholder' && isProse(String(value.value), name))) &&
              typeof value.value === 'string' &&
              /\p{L}{2}/u.test(value.value) &&
              (tag !== 'Say' || name === 'text')
            )
              add(value.value, value, 'attribute', within);
          } else walk(value, within);
        }
        const verbatim = place.verbatim || VERBATIM.has(tag);
        const words = children.filter((child) => child.type === 'JSXText' && /\p{L}{2}/u.test(child.value));
        const others = children.filter(
          (child) =>
            child.type !== 'JSXText' &&
            !(
              child.type === 'JSXExpressionContainer' &&
              child.expression.type === 'Literal' &&
              child.expression.value === ' '
            ),
        );
        const isPart = words.length > 0 && others.length > 0;
        for (const child of children) {
          if (child.type === 'JSXText') {
            const text = child.value.replace(/\s+/g, ' ').trim();
            if (/\p{L}{2}/u.test(text)) add(text, child, 'between', { ...place, verbatim, isPart });
          } else walk(child, { ...place, verbatim, isPart, attribute: null });
        }
        return;
      }
      case 'JSXFragment': {
        const words = node.children.filter(
          (child) => child.type === 'JSXText' && /\p{L}{2}/u.test(child.value),
        );
        const isPart = words.length > 0 && node.children.some((child) => child.type !== 'JSXText');
        for (const child of node.children) {
          if (child.type === 'JSXText') {
            const text = child.value.replace(/\s+/g, ' ').trim();
            if (/\p{L}{2}/u.test(text)) add(text, child, 'between', { ...place, isPart });
          } else walk(child, { ...place, isPart });
        }
        return;
      }
      case 'Property': {
        // a key is no text
        walk(node.value, place);
        return;
      }
      case 'Literal':
        if (typeof node.value === 'string' && (place.saying || isProse(node.value, place.attribute)))
          add(node.value, node, 'literal', place);
        return;
      case 'TemplateLiteral': {
        const text = node.quasis.map(({ value }) => value.cooked ?? '').join('{}');
        if (place.saying || isProse(text, place.attribute)) add(text, node, 'literal', place);
        for (const one of node.expressions) walk(one, { ...place, saying: false });
        return;
      }
      case 'BinaryExpression':
        if (node.operator !== '+') {
          // compared, not shown
          return;
        }
        break;
      default:
    }
    for (const key of visitorKeys[node.type] ?? []) {
      const child = (node as unknown as Record<string, Node | Node[] | null>)[key];
      for (const one of Array.isArray(child) ? child : [child]) if (one) walk(one, inside);
    }
  };
  walk(program as unknown as Node, {
    inFunction: false,
    saying: false,
    verbatim: false,
    attribute: null,
    isPart: false,
  });
  return { said, unsaid };
}

const NOT_READ = new Set([
  'className',
  'href',
  'action',
  'id',
  'key',
  'type',
  'name',
  'value',
  'autoComplete',
  'cursorName',
  'path',
  'rel',
  'data-kinds',
]);

function isProse(text: string, attribute: string | null): boolean {
  if (attribute !== null && NOT_READ.has(attribute)) return false;
  if (/^(?:https?:|\/|#|\.\/|use )/.test(text)) return false;
  return PROSE.test(text.trim()) && !/^[A-Z_-]{4,}$/.test(text);
}
