// Page texts keyed by English sentence: translated texts of a file, and forgotten ones.
import type { Node } from 'oxc-parser';
import { visitorKeys } from 'oxc-parser';
import { isProse } from './prose.ts';
import type { Source } from './sources.ts';

/** `start` and `end`: position in the file. `kind`: text between tags, attribute value or literal. */
export type PageText = {
  text: string;
  start: number;
  end: number;
  line: number;
  kind: 'between' | 'attribute' | 'literal';
  /** inside a function, where the reader's language is available */
  inFunction: boolean;
  /** the text is an incomplete sentence, because its paragraph contains other elements */
  isPart: boolean;
};

/** Names of functions that translate English sentences. */
const SAYING = new Set(['say', 'toSay', 'sayParts', 'pageTitle', 'english']);
/** Functions that compare or search a text. */
const COMPARING = new Set(['startsWith', 'endsWith', 'includes', 'has']);
/** Types of nodes whose children are displayed. */
const PASSED_ON = new Set([
  ...['JSXExpressionContainer', 'ConditionalExpression', 'LogicalExpression', 'ParenthesizedExpression'],
  ...['Literal', 'TemplateLiteral'],
]);
/** Attributes whose values users read. */
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
/** Elements whose attribute `name` users read. */
const NAMED = new Set(['Fact', 'Time']);
/** Elements that contain code, or text of another author. */
const VERBATIM = new Set(['code', 'bdi', 'pre', 'kbd', 'Name', 'style', 'script']);
type Found = { said: PageText[]; unsaid: PageText[] };

/** Finds the texts of a page. `saying`: functions that receive page texts. */
export function textsOfPage({ program, text: source }: Source, saying: ReadonlySet<string> = SAYING): Found {
  const said: PageText[] = [];
  const unsaid: PageText[] = [];
  const lineOf = (at: number) => source.slice(0, at).split('\n').length;
  type Place = {
    inFunction: boolean;
    saying: boolean;
    verbatim: boolean;
    attribute: string | null;
    isPart: boolean;
    /** the result is displayed, so even a single word is text */
    shown?: boolean;
  };

  const add = (text: string, node: Node, kind: PageText['kind'], place: Place) => {
    // skipped, because the text is an HTTP request
    if (/^(?:GET|POST) /.test(text)) return;
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

  const isText = (text: string, { saying, shown, attribute }: Place) =>
    saying || isProse(text, attribute) || (shown === true && /\p{L}{2}/u.test(text));

  const walk = (node: Node, place: Place): void => {
    let inside = PASSED_ON.has(node.type) ? place : { ...place, shown: false };
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
        if (saying.has(name)) {
          const [first, ...rest] = node.arguments;
          if (first) walk(first, { ...place, saying: true });
          for (const one of rest) walk(one, { ...place, saying: false });
          return;
        }
        if (name === 't' || name === 'parts') {
          for (const one of node.arguments.slice(1)) walk(one, place);
          return;
        }
        if (name === 'Error' || COMPARING.has(name) || isLogged(callee)) return;
        break;
      }
      case 'NewExpression':
        if (node.callee.type === 'Identifier' && /(?:Error|UnreadableParams)$/.test(node.callee.name)) return;
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
              /^(?!\.\w+$).*\p{L}{2}/su.test(value.value) &&
              (tag !== 'Say' || name === 'text')
            )
              add(value.value, value, 'attribute', within);
          } else walk(value, { ...within, shown: isRead });
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
          } else
            walk(child, {
              ...{ ...place, verbatim, isPart, attribute: null },
              shown: child.type === 'JSXExpressionContainer',
            });
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
          } else walk(child, { ...place, isPart, shown: child.type === 'JSXExpressionContainer' });
        }
        return;
      }
      case 'Property': {
        // skipped, because a key is not displayed
        walk(node.value, place);
        return;
      }
      case 'Literal':
        if (typeof node.value === 'string' && isText(node.value, place))
          add(node.value, node, 'literal', place);
        return;
      case 'TemplateLiteral': {
        const text = node.quasis.map(({ value }) => value.cooked ?? '').join('{}');
        if (isText(text, place)) add(text, node, 'literal', place);
        for (const one of node.expressions) walk(one, { ...place, saying: false });
        return;
      }
      case 'ConditionalExpression':
        // the condition itself is not displayed
        walk(node.test, { ...place, shown: false });
        walk(node.consequent, place);
        walk(node.alternate, place);
        return;
      case 'LogicalExpression':
        walk(node.left, node.operator === '&&' ? { ...place, shown: false } : place);
        walk(node.right, place);
        return;
      case 'BinaryExpression':
        if (node.operator !== '+') {
          // skipped, because the text is only compared
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

/** `log().info(…)` */
const isLogged = (callee: Node) =>
  callee.type === 'MemberExpression' &&
  callee.object.type === 'CallExpression' &&
  callee.object.callee.type === 'Identifier' &&
  callee.object.callee.name === 'log';
