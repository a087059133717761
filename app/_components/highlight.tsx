// Colours code on the server. The browser receives spans and no script.
import apache from 'highlight.js/lib/languages/apache';
import bash from 'highlight.js/lib/languages/bash';
import csharp from 'highlight.js/lib/languages/csharp';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import kotlin from 'highlight.js/lib/languages/kotlin';
import lua from 'highlight.js/lib/languages/lua';
import nginx from 'highlight.js/lib/languages/nginx';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import swift from 'highlight.js/lib/languages/swift';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { createLowlight } from 'lowlight';
import { createElement, Fragment, type ReactNode } from 'react';
import { log } from '#lib/kit/log.ts';
import { keepMade } from '#lib/kit/process.ts';
import { ownValue } from '#lib/kit/wire.ts';

const lowlight = createLowlight({
  apache,
  bash,
  csharp,
  go,
  ini,
  java,
  json,
  kotlin,
  lua,
  nginx,
  php,
  python,
  sql,
  swift,
  typescript,
  xml,
  yaml,
});
/** Languages of Markdown and file extensions of docs/snippets. */
lowlight.registerAlias({
  bash: 'sh',
  csharp: 'cs',
  kotlin: 'kt',
  nginx: 'conf',
  python: 'py',
  typescript: ['javascript', 'js', 'mjs', 'ts', 'tsx'],
  xml: ['html', 'vue'],
  yaml: 'yml',
});

/** CSS class for each kind of token. Other kinds keep the colour of the text, so that pages stay small. */
const CLASSES: Readonly<Record<string, string>> = {
  'hljs-comment': 'code-comment',
  'hljs-string': 'code-string',
  'hljs-keyword': 'code-word',
  'hljs-literal': 'code-word',
  'hljs-attr': 'code-name',
  'hljs-attribute': 'code-name',
  'hljs-name': 'code-name',
};

type Nodes = ReturnType<typeof lowlight.highlight>['children'];
/** Part of the code in one colour. */
type Run = { className: string | undefined; text: string };

/** Caches coloured code by language and text, because pages of the documentation repeat the same code. */
const runCache = keepMade<Run[]>('coloured code', 500);

/**
 * Splits code into text and coloured spans. `language`: as in Markdown, such as `sh`. Unknown languages remain text.
 */
export function highlight(code: string, language: string | undefined): ReactNode {
  if (language === undefined || !lowlight.registered(language)) return code;
  const runs = runCache(`${language} ${code}`, () => colourCode(code, language));
  return createElement(Fragment, null, ...runs.map(renderRun));
}

/** Colours code. If the grammar cannot read a text, the text keeps one colour. */
function colourCode(code: string, language: string): Run[] {
  try {
    return runsOf(lowlight.highlight(language, code).children, undefined);
  } catch (error) {
    log().warn({ error, language }, 'code could not be coloured');
    return [{ className: undefined, text: code }];
  }
}

const renderRun = ({ className, text }: Run): ReactNode =>
  className === undefined ? text : <span className={className}>{text}</span>;

/** Joins adjacent pieces of the same colour, because React separates adjacent texts by a comment in the HTML. */
function runsOf(nodes: Nodes, outer: string | undefined): Run[] {
  const runs: Run[] = [];
  for (const node of nodes)
    for (const run of runsIn(node, outer)) {
      const last = runs.at(-1);
      if (last && last.className === run.className) last.text += run.text;
      else runs.push(run);
    }
  return runs;
}

function runsIn(node: Nodes[number], outer: string | undefined): Run[] {
  if (node.type === 'text') return [{ className: outer, text: node.value }];
  if (node.type !== 'element') return [];
  const [kind] = [node.properties['className']].flat();
  return runsOf(node.children as Nodes, ownValue(CLASSES, String(kind)) ?? outer);
}
