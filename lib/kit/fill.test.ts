import { expect, test } from 'vitest';
import { type FillValues, fill, templateOf } from './fill.ts';

const QUOTES = { text: (value: string) => JSON.stringify(value), plain: (value: string) => value };
const filled = (text: string, values: FillValues = {}, files: Record<string, string> = {}) =>
  fill(
    templateOf('page.txt', (name) => (name === 'page.txt' ? text : (files[name] ?? ''))),
    values,
    QUOTES,
  );

test('placeholders of a template become quoted or plain values, and lists are joined by commas', () => {
  const values = { name: 'a "b"', scopes: ['x', 'y"'] };
  expect(filled('{{name}} {{name:plain}}', values)).toBe('"a \\"b\\"" a "b"');
  expect(filled('[{{scopes:list}}] {{scopes:json}}', values)).toBe('["x", "y\\""] ["x","y\\""]');
});

test('values that contain braces stay unchanged in a filled template', () => {
  const value = '{{other}} {{#on}} $& $1';
  expect(filled('{{name:plain}}', { name: value, other: 'secret', on: true })).toBe(value);
});

test('template sections depend on booleans, texts and lists, and the lines that mark a section disappear', () => {
  const text = 'a\n  {{#on}}\nb\n  {{/on}}\n{{^on}}\nc\n{{/on}}\nd{{#on}}, e{{/on}}\n';
  expect(filled(text, { on: true })).toBe('a\nb\nd, e\n');
  expect(filled(text, { on: '' })).toBe('a\nc\nd\n');
  expect(filled(text, { on: [] })).toBe('a\nc\nd\n');
  expect(filled('{{#on}}\n- {{item}}\n{{/on}}\n', { on: ['x', 'y'] })).toBe('- "x"\n- "y"\n');
});

test('an included file gets the indentation of the line that includes it', () => {
  expect(filled('{\n  {{>part}};\n}\n', { name: 'x' }, { part: 'a(\n  {{name}}\n)\n' })).toBe(
    '{\n  a(\n    "x"\n  );\n}\n',
  );
  expect(() => templateOf('a', () => '{{>a}}')).toThrow('a includes itself');
});

test('braces followed by a space remain code in a filled template', () => {
  expect(filled('<p>{{ name }}</p>')).toBe('<p>{{ name }}</p>');
});

test.each([
  ['a name without a value', '{{nmae}}', 'page.txt: no value for nmae'],
  ['a name in a section that is left out', '{{#off}}{{nmae}}{{/off}}', 'no value for nmae'],
  ['the name of a section', '{{#onn}}{{/onn}}', 'no value for onn'],
  ['a name of the prototype', '{{constructor}}', 'cannot be written'],
  ['an unknown way to write', '{{name:loud}}', '{{name:loud}} cannot be written'],
  ['a way of the prototype', '{{name:valueOf}}', 'cannot be written'],
  ['a boolean as a text', '{{off}}', '{{off:text}} cannot be written'],
  ['a list as a text', '{{scopes}}', '{{scopes:text}} cannot be written'],
  ['a text as a list', '{{name:list}}', '{{name:list}} cannot be written'],
  ['an item outside of a list', '{{item}}', '{{item:text}} cannot be written'],
  ['a section without its end', '{{#off}}', '{{#off}} is not closed'],
  ['an end without its section', '{{/off}}', '{{/off}} closes no section'],
  ['crossed sections', '{{#off}}{{#name}}{{/off}}{{/name}}', '{{/off}} closes no section'],
  ['a name with a typo in its form', '{{cli-ent}}', '{{cli-ent}} is not a place'],
])('the template is rejected: %s', (_, text, message) => {
  expect(() => filled(text, { name: 'x', off: false, scopes: ['x'] })).toThrow(message);
});
