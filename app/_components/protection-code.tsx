import { Fragment } from 'react';
import { protectionOf } from '#app/_snippets/protection.ts';
import type { PublishedApi } from '#lib/oauth/metadata.ts';
import { CodeBlock, type CopyWords } from './copy.tsx';
import { highlight } from './highlight.tsx';

type ProtectionCodeProps = { api: PublishedApi; copyWords?: (label: string) => CopyWords };

/**
 * Code that verifies an API's tokens, one example per language, with the command that installs the package from this
 * service.
 */
export function ProtectionCode({ api, copyWords }: ProtectionCodeProps) {
  return protectionOf(api).map(({ label, code, language, install }) => (
    <Fragment key={label}>
      {install && (
        <CodeBlock label={`$ ${label}`} code={highlight(install, 'sh')} said={copyWords?.(`$ ${label}`)} />
      )}
      <CodeBlock label={label} code={highlight(code, language)} said={copyWords?.(label)} />
    </Fragment>
  ));
}
