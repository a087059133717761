// Next compiles routes for server components, where its bundler refuses react-dom/server; Node's own loader gives it.
import { createRequire } from 'node:module';
import path from 'node:path';
import type { ReactNode } from 'react';
import { htmlDocument } from '#lib/http/index.ts';
import { COPY_SCRIPT } from './copy-script.ts';

const load = createRequire(path.resolve('package.json'));
const { renderToStaticMarkup } = load('react-dom/server') as typeof import('react-dom/server');

/** A document. Its components are synchronous and have no state. `nonce`: of the script behind the buttons that copy. */
export function markupOf({ title, content }: { title?: string; content: ReactNode }, nonce?: string): string {
  return htmlDocument({
    title: title === undefined ? 'Gatehouse' : `${title} · Gatehouse`,
    head: nonce === undefined ? '' : `<script src="${COPY_SCRIPT}" nonce="${nonce}" defer></script>\n`,
    body: renderToStaticMarkup(content),
  });
}
