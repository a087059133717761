import { Fragment } from 'react';
import { protectionOf } from '#app/_snippets/index.ts';
import type { PublishedApi } from '#lib/oauth/index.ts';
import { CodeBlock } from './code-block.tsx';

/** How an API checks its tokens, in each language, with the command that gets the package from this service. */
export function ProtectionCode({ api }: { api: PublishedApi }) {
  return protectionOf(api).map(({ label, code, install }) => (
    <Fragment key={label}>
      {install && <CodeBlock label={`$ ${label}`} code={install} />}
      <CodeBlock label={label} code={code} />
    </Fragment>
  ));
}
