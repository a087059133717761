// Highlighted code: the same text, coloured by spans.
import { createElement, Fragment } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { highlight } from './highlight.tsx';

const htmlOf = (code: string, language?: string) =>
  renderToString(createElement(Fragment, null, highlight(code, language)));

test.each([
  [
    'a: "b" # c',
    'yml',
    '<span class="code-name">a:</span> <span class="code-string">&quot;b&quot;</span> <span class="code-comment"># c</span>',
  ],
  ['process.env.A < 1 // x', 'mjs', 'process.env.A &lt; 1 <span class="code-comment">// x</span>'],
  ['<b>', 'html', '&lt;<span class="code-name">b</span>&gt;'],
  ['plain <text>', 'text', 'plain &lt;text&gt;'],
  ['plain', undefined, 'plain'],
])('%j in %s: markup is escaped, and no comment separates two texts', (code, language, html) => {
  expect(htmlOf(code, language)).toBe(html);
});
